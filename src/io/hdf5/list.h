#pragma once
// The datasets of an HDF5 file as named arrays. Only for the child process: see hdf5.cpp.
//
// Datasets go by their path, `/group/data`. In a MATLAB file of version 7.3 a struct is a group, a cell array a dataset
// of references, and a struct array a group in which every field is a dataset of references; there the names are those
// of files of version 5, `run.Y[force].Data`, and the axes are in MATLAB's order, which is the reverse of the file's.

#include "io/arrays/named_array_table.h"
#include "io/hdf5/handle.h"

namespace cmr::io {

struct Hdf5Array {
    ArrayInfo info;
    haddr_t address = 0;
    bool reversed = false;  // info.shape is the reverse of the file's
};

std::vector<Hdf5Array> list_hdf5(const std::string& path, uint64_t file_bytes, hid_t file);

}  // namespace cmr::io
