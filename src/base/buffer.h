#pragma once
// A 64-byte aligned block of floats that is not initialised: scratch, packed weights, tapes.

#include <cstdint>
#include <memory>

namespace cmr {

class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(int64_t floats) { reserve(floats); }

    // Grows to at least `floats`; the content is lost when it grows.
    void reserve(int64_t floats);

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    int64_t size() const { return size_; }

  private:
    struct Free {
        int64_t bytes;
        void operator()(float* pointer) const;
    };
    std::unique_ptr<float, Free> data_;
    int64_t size_ = 0;
};

}  // namespace cmr
