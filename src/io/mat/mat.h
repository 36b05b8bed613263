#pragma once
// MATLAB files of version 5 (compressed or not), the format of `save` before -v7.3. The tree of structs is flattened
// into named arrays: `speed`, `run.Y[3].Data`. An element of a struct array that has a text field `Name` goes by it:
// `run.Y[vibration_1].Data`.

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_mat(const fs::path& path, const TableOptions& options);

}  // namespace cmr::io
