#pragma once
// What the HDF5 library hands out, released at the end of its life. Only for the child process: see hdf5.cpp.

#include <hdf5.h>

#include <utility>

namespace cmr::io {

class Hdf5Handle {
  public:
    explicit Hdf5Handle(hid_t id = -1) : id_(id) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Hdf5Handle() {
        if (id_ >= 0) H5Idec_ref(id_);
    }

    bool valid() const { return id_ >= 0; }
    hid_t id() const { return id_; }

  private:
    hid_t id_;
};

}  // namespace cmr::io
