#include "base/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace cmr {
namespace {

// The number in a file of the system; `fallback` where there is none.
int64_t number_in(const char* file, int64_t fallback) {
    std::ifstream in(file);
    int64_t value = 0;
    return in >> value ? value : fallback;
}

// What `ulimit -v` leaves of the address space; `most` where there is no such limit.
int64_t address_space_left(int64_t most) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return most;
    const int64_t taken = number_in("/proc/self/statm", 0) * ::sysconf(_SC_PAGESIZE);
    return std::clamp<int64_t>(static_cast<int64_t>(limit.rlim_cur) - taken, 0, most);
}

}  // namespace

void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void return_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void release_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

int64_t available_memory() {
    int64_t machine = int64_t{2} << 30;
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word)
        if (int64_t kilobytes = 0; word == "MemAvailable:" && file >> kilobytes) machine = kilobytes * 1024;
    machine = address_space_left(machine);
    const int64_t limit = number_in("/sys/fs/cgroup/memory.max", -1);  // "max" is no number
    if (limit < 0) return machine;
    return std::min(machine, std::max<int64_t>(0, limit - number_in("/sys/fs/cgroup/memory.current", 0)));
}

}  // namespace cmr
