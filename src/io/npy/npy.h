#pragma once
// NumPy's .npy, read as a table: numbers and booleans in either byte order, in C or Fortran order, of one or two
// dimensions; objects, records and texts are refused.

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_npy(const fs::path& path, const TableOptions& options);

}  // namespace cmr::io
