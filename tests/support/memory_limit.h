#pragma once
// While this lives, the process gets no more than so many bytes of memory beyond those it has.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "support/sanitized.h"

namespace cmr::test {

inline constexpr bool kMemoryCanBeLimited = !kSanitized;  // a sanitizer takes terabytes of addresses

class MemoryLimit {
  public:
    explicit MemoryLimit(uint64_t more_bytes) {
        getrlimit(RLIMIT_AS, &before_);
        uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit limit{pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + more_bytes, before_.rlim_max};
        if (kMemoryCanBeLimited) setrlimit(RLIMIT_AS, &limit);
    }
    ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

  private:
    rlimit before_{};
};

}  // namespace cmr::test
