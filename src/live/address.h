#pragma once
// host:port of something that listens.

#include <string>

namespace cmr::live {

struct Address {
    std::string host;
    int port = 0;
};

// "127.0.0.1:8470", "[::1]:8470", "localhost:8470"; port 0: any free one. InputError for all else.
Address parse_address(const std::string& text);
bool is_loopback(const std::string& host);
std::string to_text(const Address& address);

}  // namespace cmr::live
