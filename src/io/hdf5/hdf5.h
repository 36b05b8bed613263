#pragma once
// HDF5, and MATLAB 7.3, which is HDF5.

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_hdf5(const fs::path& path, const TableOptions& options);

}  // namespace cmr::io
