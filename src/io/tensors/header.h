#pragma once
// The JSON header of a safetensors file, apart from the data it describes.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensors/safetensors.h"

namespace cmr::io {

// As the reference implementation. It also bounds what parsing may cost.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct SafetensorsHeader {
    struct Entry {
        std::string name;
        std::vector<int64_t> shape;
        Dtype dtype = Dtype::f32;
        uint64_t begin = 0, end = 0;  // bytes of the data
    };
    std::map<std::string, std::string> metadata;
    std::vector<Entry> entries;  // in the order of their data, which they cover without gap or overlap
};

uint64_t bytes_of(Dtype dtype);  // of a number

// `source` names the file in the InputError that anything but a flawless header over `data_bytes` of data throws.
SafetensorsHeader parse_safetensors_header(const std::string& source, std::string_view text, uint64_t data_bytes);

// Padded with spaces to a multiple of 8 bytes, as the data behind it wants.
std::string format_safetensors_header(const std::string& source, const SafetensorsHeader& header);

// A name out of a file as it may stand in a message: quoted, control characters escaped, cut when long.
std::string in_quotes(std::string_view name);

}  // namespace cmr::io
