#pragma once
// The safetensors format (https://github.com/huggingface/safetensors), of which float32, float16 and bytes:
//
// - eight bytes: the length of the header, little-endian;
// - the header, JSON:
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}};
// - the data: the tensors' values, row-major and little-endian, one tensor after the other without gaps.
//
// What we write has one more text in its metadata, "digest", of all the others and of the tensors. Where a file has one
// it must be right; it is not shown to the reader.
//
// A file is someone else's bytes: whatever is wrong with one is an InputError, and what it claims is held against its
// real size before memory is asked for: four bytes for each number, the header a few times.

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cmr::io {

namespace fs = std::filesystem;

// How numbers stand in the file.
enum class Dtype { f32, f16, u8 };

struct NamedTensor {
    std::string name;
    std::vector<int64_t> shape;  // {} is a single number
    std::vector<float> values;   // row-major; no NaN; such as their type can hold
    Dtype dtype = Dtype::f32;
};

struct Safetensors {
    std::string source;  // the file's name, for messages
    std::map<std::string, std::string> metadata;
    std::vector<NamedTensor> tensors;  // in the order of their data
    bool digest = false;               // of a file that was read: it had one

    // The tensor of this name. An InputError tells of another shape, or names the nearest tensor when there is none.
    const NamedTensor& at(const std::string& name, std::span<const int64_t> shape) const;
    const NamedTensor& at(const std::string& name, std::initializer_list<int64_t> shape) const {
        return at(name, std::span(shape.begin(), shape.size()));
    }
};

// The same content gives the same bytes. Atomic: see write_file_atomically.
void write_safetensors(const fs::path& path, const Safetensors& content);

Safetensors read_safetensors(const fs::path& path);

}  // namespace cmr::io
