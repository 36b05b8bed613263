#pragma once
// NumPy's .npy of float32 in C order, as numpy.save writes it.

#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace cmr::test {

inline void write_npy(const std::filesystem::path& path, std::span<const float> values,
                      const std::vector<int64_t>& shape) {
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}",
                                     fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    constexpr size_t kStart = 10, kAlignment = 64;  // of the values
    header.append(kAlignment - 1 - (kStart + header.size()) % kAlignment, ' ');
    header += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    std::ofstream file(path, std::ios::binary);
    file << start << header;
    file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

}  // namespace cmr::test
