#pragma once
// Excel workbooks (.xlsx, .xlsm): one sheet is one table. Formulas give the values that were last computed.

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_xlsx(const fs::path& path, const TableOptions& options);

}  // namespace cmr::io
