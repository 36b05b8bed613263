#pragma once
// NumPy's .npy, read as a table and written. Read are numbers and booleans in either byte order, in C or Fortran order,
// of one or two dimensions; objects, records and texts are refused.

#include <span>
#include <vector>

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_npy(const fs::path& path, const TableOptions& options);

// Writes `values` as float32 in C order, all of the file or nothing.
void write_npy(const fs::path& path, std::span<const float> values, const std::vector<int64_t>& shape);

}  // namespace cmr::io
