#pragma once
// Text files: CSV, TSV, semicolons, columns set apart by blanks.
//
// Found from the first rows unless the options say it: the delimiter (where several would do: tab, semicolon, bar,
// comma, and blanks last) and whether there is a header (a word where the rows below have values, or a first row of
// words only). Cells may be quoted, with doubled quotes and line ends inside; blanks around cells do not count, nor
// does a delimiter at the end of rows. Lines end with LF, CRLF or CR; blank lines are skipped; skip_rows counts lines.
// Absent: the empty cell, NaN in any case, and the spellings in `missing`, letter by letter. Inf in any case is
// infinite. Text that is not UTF-8 passes through; UTF-16 and zero bytes are refused.
//
// The column count of every row is checked, but only selected cells are looked at. The first defect in the order of the
// file is the one told, whatever the thread count.

#include <functional>
#include <span>

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_csv(const fs::path& path, const TableOptions& options);

// The same, reading so many bytes at a time.
std::unique_ptr<Table> open_csv(const fs::path& path, const TableOptions& options, size_t block_bytes);

// Rows as they come: read() gives those that are there, and waits where there are none. `bytes` waits for some and says
// how many it got; 0 at their end.
std::unique_ptr<Table> open_live_csv(const std::string& name, std::function<size_t(std::span<std::byte>)> bytes,
                                     const TableOptions& options);

}  // namespace cmr::io
