#pragma once
// Reads an HDF5 file with the library. Only for the child process: see hdf5.cpp.

#include <map>

#include "io/hdf5/list.h"

namespace cmr::io {

// A rectangle of one array.
struct Hdf5Request {
    size_t array = 0;
    int64_t first_row = 0;
    int64_t rows = 0;
    int64_t first_column = 0;
    int64_t columns = 0;
};

class Hdf5Reader {
  public:
    // `name` is for messages, `path` is what is opened.
    Hdf5Reader(const std::string& name, const std::string& path, uint64_t file_bytes);

    const std::vector<Hdf5Array>& arrays() const { return arrays_; }
    // [rows, columns]
    std::vector<double> read(const Hdf5Request& request);

  private:
    hid_t dataset(size_t array);

    std::string name_;
    Hdf5Handle file_;
    std::vector<Hdf5Array> arrays_;
    std::map<size_t, Hdf5Handle> open_;  // stay open: each keeps the chunks it has unpacked
};

}  // namespace cmr::io
