#pragma once
// A whole table in memory.

#include <map>
#include <string>
#include <vector>

#include "io/table.h"

namespace cmr::test {

inline io::TableOptions with_array(const std::string& array) {
    io::TableOptions options;
    options.array = array;
    return options;
}

inline io::TableOptions with_names(const std::vector<std::string>& names) {
    io::TableOptions options;
    options.names = names;
    return options;
}

inline io::TableOptions transposed() {
    io::TableOptions options;
    options.transposed = true;
    return options;
}

inline std::vector<double> read_column(const io::fs::path& path, const std::string& column,
                                       const io::TableOptions& options = {}) {
    const auto table = io::open_table(path, options);
    table->select({{table->find(column)}});
    std::vector<double> values;
    for (io::TableBlock block; table->read(block);)
        values.insert(values.end(), block.numbers.begin(), block.numbers.end());
    return values;
}

// Every column by itself, so that they may differ in length.
inline std::map<std::string, std::vector<double>> read_columns(const io::fs::path& path,
                                                               const io::TableOptions& options = {}) {
    std::map<std::string, std::vector<double>> values;
    const auto table = io::open_table(path, options);
    for (const std::string& column : table->columns()) values[column] = read_column(path, column, options);
    return values;
}

}  // namespace cmr::test
