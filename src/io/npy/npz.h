#pragma once
// NumPy's .npz, a zip archive of .npy.
//
// An archive of one array is a table of its columns, as is the array that the `array` option names. Any other archive
// has one column per one-dimensional array, under its name.

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_npz(const fs::path& path, const TableOptions& options);

}  // namespace cmr::io
