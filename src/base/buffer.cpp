#include "base/buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace cmr {
namespace {

// Blocks of this size and more come from the system in huge pages where it has them: a tape has gigabytes, and a fault
// per 4 KB of it would cost more than the arithmetic of some layers.
constexpr int64_t kLarge = int64_t{4} << 20;

}  // namespace

void Buffer::Free::operator()(float* pointer) const {
    if (bytes >= kLarge) {
        munmap(pointer, static_cast<size_t>(bytes));
    } else {
        std::free(pointer);
    }
}

void Buffer::reserve(int64_t floats) {
    if (floats <= size_) return;
    data_.reset();
    size_ = 0;
    const int64_t bytes = (floats * static_cast<int64_t>(sizeof(float)) + 63) / 64 * 64;
    void* block = nullptr;
    if (bytes >= kLarge) {
        block = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        madvise(block, static_cast<size_t>(bytes), MADV_HUGEPAGE);
#endif
    } else {
        block = std::aligned_alloc(64, static_cast<size_t>(bytes));
        if (!block) throw std::bad_alloc();
    }
    data_ = {static_cast<float*>(block), Free{bytes}};
    size_ = floats;
}

}  // namespace cmr
