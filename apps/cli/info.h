#pragma once
// `cmr info`: what this program is and what it runs on, as one wants to see it in a bug report.

#include <string>

namespace cmr::cli {

struct InfoOptions {
    bool json = false;
};

// Throws InputError when CMR_ISA, CMR_PRECISION or CMR_THREADS asks for something impossible.
std::string info(const InfoOptions& options);

}  // namespace cmr::cli
