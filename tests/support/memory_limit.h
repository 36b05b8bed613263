#pragma once
// While this lives, the process gets no more than so many bytes of memory beyond those it has.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace cmr::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryCanBeLimited = false;  // a sanitizer takes terabytes of addresses
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif

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
