#pragma once
// MATLAB files as the rigs of the field write them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cmr::simulate {

namespace fs = std::filesystem;

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

}  // namespace cmr::simulate
