#include "io/mat/mat.h"

#include <array>
#include <cstring>

#include "base/error.h"
#include "io/arrays/named_array_table.h"
#include "io/file.h"
#include "io/hdf5/hdf5.h"
#include "io/mat/parse.h"

namespace cmr::io {
namespace {

using mat::Storage;

template <typename Bits>
Bits swap_bytes(Bits bits) {
    if constexpr (sizeof bits == 2) return __builtin_bswap16(bits);
    if constexpr (sizeof bits == 4) return __builtin_bswap32(bits);
    if constexpr (sizeof bits == 8) return __builtin_bswap64(bits);
    return bits;
}

template <typename Number, typename Bits>
void copy(const char* from, bool swapped, int64_t count, double* to, size_t stride) {
    for (int64_t i = 0; i < count; ++i) {
        Bits bits;
        std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
        if (swapped) bits = swap_bytes(bits);
        Number number;
        std::memcpy(&number, &bits, sizeof number);
        to[i * stride] = static_cast<double>(number);
    }
}

void copy(Storage storage, const char* from, bool swapped, int64_t count, double* to, size_t stride) {
    switch (storage) {
        case Storage::kInt8:
            return copy<int8_t, uint8_t>(from, swapped, count, to, stride);
        case Storage::kUint8:
            return copy<uint8_t, uint8_t>(from, swapped, count, to, stride);
        case Storage::kInt16:
            return copy<int16_t, uint16_t>(from, swapped, count, to, stride);
        case Storage::kUint16:
            return copy<uint16_t, uint16_t>(from, swapped, count, to, stride);
        case Storage::kInt32:
            return copy<int32_t, uint32_t>(from, swapped, count, to, stride);
        case Storage::kUint32:
            return copy<uint32_t, uint32_t>(from, swapped, count, to, stride);
        case Storage::kInt64:
            return copy<int64_t, uint64_t>(from, swapped, count, to, stride);
        case Storage::kUint64:
            return copy<uint64_t, uint64_t>(from, swapped, count, to, stride);
        case Storage::kSingle:
            return copy<float, uint32_t>(from, swapped, count, to, stride);
        case Storage::kDouble:
            return copy<double, uint64_t>(from, swapped, count, to, stride);
        default:
            CMR_ASSERT(false, "the parser lets only numbers pass");
    }
}

std::vector<ArrayInfo> infos(const mat::Content& content) {
    std::vector<ArrayInfo> result;
    for (const mat::Array& array : content.arrays) result.push_back(array.info);
    return result;
}

class MatTable : public NamedArrayTable {
  public:
    MatTable(const fs::path& path, mat::Content content, const TableOptions& options)
        : NamedArrayTable(path, infos(content), options), content_(std::move(content)) {}

    void select(const std::vector<Selection>& columns) override {
        NamedArrayTable::select(columns);
        std::vector<bool> needed(content_.buffers.size());
        for (const ArrayColumn& column : selected()) needed[content_.arrays[column.array].buffer] = true;
        for (size_t i = 0; i < needed.size(); ++i)
            if (!needed[i]) content_.buffers[i] = {};
    }

  private:
    void fetch(int64_t first_row, int64_t rows, std::span<double> numbers) override {
        const size_t stride = selected().size();
        for (size_t i = 0; i < stride; ++i) {
            const mat::Array& array = content_.arrays[selected()[i].array];
            const int64_t first = selected()[i].column * extent(array.info.shape)->rows + first_row;
            const char* from = array.bytes.data() + first * mat::number_size(array.storage);
            copy(array.storage, from, content_.swapped, rows, numbers.data() + i, stride);
        }
    }

    mat::Content content_;
};

}  // namespace

std::unique_ptr<Table> open_mat(const fs::path& path, const TableOptions& options) {
    constexpr std::string_view kVersion73 = "MATLAB 7.3";
    std::array<char, kVersion73.size()> start{};
    InputFile(path).read(std::as_writable_bytes(std::span(start)));
    if (std::string_view(start.data(), start.size()) == kVersion73) return open_hdf5(path, options);
    return std::make_unique<MatTable>(path, mat::parse(path, read_file(path)), options);
}

}  // namespace cmr::io
