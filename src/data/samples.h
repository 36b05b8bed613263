#pragma once
// The samples of one channel: a float array that grows at its end. In memory, or in an unnamed file that the system
// pages in and out, so that a dataset larger than memory is used like a small one.

#include <cstdint>
#include <memory>
#include <span>

namespace cmr::data {

enum class Storage { kMemory, kDisk };

class Samples {
  public:
    explicit Samples(Storage storage = Storage::kMemory) : storage_(storage) {}

    int64_t size() const { return size_; }
    Storage storage() const { return storage_; }
    std::span<const float> values() const { return {data(), static_cast<size_t>(size_)}; }
    std::span<float> values() { return {const_cast<float*>(data()), static_cast<size_t>(size_)}; }
    float operator[](int64_t index) const { return data()[index]; }

    void reserve(int64_t samples);
    void push_back(float value) {
        if (size_ == capacity()) reserve(size_ + 1);
        const_cast<float*>(data())[size_++] = value;
    }
    void append(std::span<const float> more);
    // Gives back what is not used. A file stays mapped but no longer open, so that thousands of recordings can be held.
    void seal();

  private:
    class Region;  // a mapping that can be moved to grow

    const float* data() const;
    int64_t capacity() const;

    Storage storage_;
    std::shared_ptr<Region> region_;  // copies of a Samples share it: append to one of them only
    int64_t size_ = 0;
};

// How much of this machine's memory a dataset may take before it goes to disk: half of what is free.
int64_t memory_for_samples();

}  // namespace cmr::data
