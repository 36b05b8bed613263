#pragma once
// One POST over HTTP or HTTPS.

#include <atomic>
#include <memory>
#include <string>

namespace cmr::live {

struct HttpTarget {
    std::string url;
    std::string token;    // bearer token; empty: none
    std::string ca_file;  // empty: as the system trusts
    double timeout_s = 10;
    std::shared_ptr<std::atomic<bool>> give_up = std::make_shared<std::atomic<bool>>(false);  // by another thread
};

// Returns the answer, when the other side has answered with a status of 2xx. SystemError where it does not answer or is
// not ready; Refused (notifier.h) where it finds fault with the message itself: 400, 413 or 422.
std::string post_json(const HttpTarget& target, const std::string& body);

}  // namespace cmr::live
