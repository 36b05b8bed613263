#pragma once
// How a text file is laid out: its delimiter, its header, where its data begin. Found in the first rows.

#include <optional>

#include "io/table.h"
#include "io/text/csv_index.h"

namespace cmr::io {

struct CsvLayout {
    CsvDialect dialect;
    std::vector<std::string> columns;
    bool named = false;  // by the header or by `names`
    size_t begin = 0;    // of the data, in the text
    int64_t line = 1;    // where they begin
};

// Nothing if `text`, the beginning of the file `name`, does not show enough; never when it is the whole file.
// A header that differs from `names` is an InputError.
std::optional<CsvLayout> find_layout(const std::string& name, std::string_view text, bool whole,
                                     const TableOptions& options);

// InputError for the row of more than kMaxColumns columns at this line.
[[noreturn]] void refuse_wide_row(const std::string& name, int64_t line);

}  // namespace cmr::io
