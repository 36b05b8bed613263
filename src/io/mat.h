#pragma once
// MATLAB files of version 5 (compressed or not), the format of `save` before -v7.3. The tree of structs is flattened
// into named arrays: `speed`, `run.Y[3].Data`. An element of a struct array that has a text field `Name` goes by it:
// `run.Y[vibration_1].Data`.

#include <string>
#include <utility>
#include <vector>

#include "io/table.h"

namespace cmr::io {

std::unique_ptr<Table> open_mat(const fs::path& path, const TableOptions& options);

// A value to write: exactly one of numbers, text and fields is used.
struct MatValue {
    std::vector<float> numbers;  // [rows, columns], column-major, written as double like the files of the field
    int64_t rows = 0;
    int64_t columns = 0;
    std::string text;
    // A struct array: each field with one value per element.
    std::vector<std::pair<std::string, std::vector<MatValue>>> fields;
};

// One variable, compressed, all of the file or nothing.
void write_mat(const fs::path& path, const std::string& variable, const MatValue& value);

}  // namespace cmr::io
