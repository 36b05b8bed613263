#include "base/memory.h"

#include <malloc.h>

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

}  // namespace

void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int64_t available_memory() {
    int64_t machine = int64_t{2} << 30;
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word)
        if (int64_t kilobytes = 0; word == "MemAvailable:" && file >> kilobytes) machine = kilobytes * 1024;
    const int64_t limit = number_in("/sys/fs/cgroup/memory.max", -1);  // "max" is no number
    if (limit < 0) return machine;
    return std::min(machine, std::max<int64_t>(0, limit - number_in("/sys/fs/cgroup/memory.current", 0)));
}

}  // namespace cmr
