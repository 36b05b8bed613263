#include "simulate/mat_write.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "io/file.h"
#include "io/mat/format.h"

namespace cmr::simulate {
namespace {

namespace mat = io::mat;
using mat::Class;
using mat::Storage;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

template <typename T>
void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_tag(std::string& out, Storage storage, size_t bytes) {
    append(out, static_cast<uint32_t>(storage));
    append(out, static_cast<uint32_t>(bytes));
}

void append_element(std::string& out, Storage storage, std::string_view bytes) {
    append_tag(out, storage, bytes.size());
    out += bytes;
    out.resize((out.size() + 7) / 8 * 8, '\0');
}

// The parts that every array begins with.
void append_array_head(std::string& out, Class array_class, int64_t rows, int64_t columns, const std::string& name) {
    append_tag(out, Storage::kUint32, 8);
    append(out, static_cast<uint32_t>(array_class));
    append(out, uint32_t{0});
    append_tag(out, Storage::kInt32, 8);
    append(out, static_cast<int32_t>(rows));
    append(out, static_cast<int32_t>(columns));
    append_element(out, Storage::kInt8, name);
}

void append_array(std::string& out, const std::string& name, const MatValue& value);

void append_text(std::string& out, const std::string& name, const std::string& text) {
    const auto letters = std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
    append_array_head(out, Class::kChar, 1, letters, name);
    append_element(out, Storage::kUtf8, text);
}

void append_numbers(std::string& out, const std::string& name, const MatValue& value) {
    CMR_ASSERT(static_cast<uint64_t>(value.rows * value.columns) == value.numbers.size(), "the shape of the numbers");
    append_array_head(out, Class::kDouble, value.rows, value.columns, name);
    append_tag(out, Storage::kDouble, value.numbers.size() * sizeof(double));
    const size_t begin = out.size();
    out.resize(begin + value.numbers.size() * sizeof(double));
    for (size_t i = 0; i < value.numbers.size(); ++i) {
        const double wide = value.numbers[i];
        std::memcpy(out.data() + begin + i * sizeof wide, &wide, sizeof wide);
    }
}

void append_struct(std::string& out, const std::string& name, const MatValue& value) {
    const size_t elements = value.fields.front().second.size();
    size_t longest = 31;  // the width that old versions of MATLAB expect
    for (const auto& [field, values] : value.fields) {
        CMR_ASSERT(values.size() == elements, "every field has one value per element");
        longest = std::max(longest, field.size());
    }
    append_array_head(out, Class::kStruct, 1, static_cast<int64_t>(elements), name);
    append(out, uint32_t{4} << 16 | static_cast<uint32_t>(Storage::kInt32));  // a small element: tag and data in one
    append(out, static_cast<int32_t>(longest + 1));
    std::string names;
    for (const auto& field : value.fields) {
        names += field.first;
        names.resize((names.size() + longest + 1) / (longest + 1) * (longest + 1), '\0');
    }
    append_element(out, Storage::kInt8, names);
    for (size_t i = 0; i < elements; ++i)
        for (const auto& field : value.fields) append_array(out, "", field.second[i]);
}

void append_array(std::string& out, const std::string& name, const MatValue& value) {
    const size_t tag = out.size();
    append_tag(out, Storage::kMatrix, 0);
    if (!value.fields.empty())
        append_struct(out, name, value);
    else if (!value.text.empty())
        append_text(out, name, value.text);
    else
        append_numbers(out, name, value);
    std::string length;
    append_tag(length, Storage::kMatrix, out.size() - tag - mat::kTagBytes);
    out.replace(tag, mat::kTagBytes, length);
}

std::string compressed(const std::string& bytes) {
    uLongf length = compressBound(bytes.size());
    std::string packed(length, '\0');
    // The fastest level: on float numbers stored as double it already finds the zeros, which is most of the gain.
    const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_SPEED);
    if (result != Z_OK) throw std::bad_alloc();  // its only other failure, a short buffer, is excluded above
    packed.resize(length);
    return packed;
}

}  // namespace

void write_mat(const fs::path& path, const std::string& variable, const MatValue& value) {
    std::string array;
    append_array(array, variable, value);
    constexpr size_t kLimit = std::numeric_limits<int32_t>::max();
    if (array.size() > kLimit)
        throw InputError("{}: {} would take {} bytes, a MATLAB file of version 5 holds at most {} in one variable",
                         path.string(), variable, array.size(), kLimit);
    const std::string packed = compressed(array);
    std::string head = "MATLAB 5.0 MAT-file, written by cmr";
    head.resize(mat::kHeaderBytes - 4, ' ');
    std::fill(head.end() - 8, head.end(), '\0');  // no data of MATLAB's own
    append(head, uint16_t{0x0100});
    head += "IM";
    append_tag(head, Storage::kCompressed, packed.size());
    io::write_file_atomically(path, [&](const io::Sink& sink) {
        sink(std::as_bytes(std::span(head)));
        sink(std::as_bytes(std::span(packed)));
    });
}

}  // namespace cmr::simulate
