#pragma once
// The cells of one sheet as a table: where its header is, what its columns are called, what its cells mean.

#include <functional>

#include "io/table.h"
#include "io/xlsx/workbook.h"
#include "io/xlsx/xml.h"

namespace cmr::io {

// `open` gives the XML of the sheet from its beginning; it is asked again when the order of day and month is to be
// found out. `path` begins the messages.
std::unique_ptr<Table> open_sheet(const std::string& path, Workbook book, std::function<XmlReader::ReadBytes()> open,
                                  const TableOptions& options);

}  // namespace cmr::io
