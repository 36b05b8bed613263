#include "io/npy/npy.h"

#include "base/error.h"
#include "io/arrays/array_table.h"
#include "io/file.h"
#include "io/npy/columns.h"

namespace cmr::io {
namespace {

class NpyTable : public ArrayTable {
  public:
    NpyTable(const fs::path& path, const TableOptions& options) : ArrayTable(path.string(), options), file_(path) {
        const NpyHeader header =
            read_npy_header([this](std::span<std::byte> bytes) { return file_.read(bytes); }, name_);
        begin_ = header.bytes;
        layout_ = npy_layout(header, file_.size() > begin_ ? file_.size() - begin_ : 0, name_);
        number_columns(layout_.columns, options);
    }

  private:
    int64_t open_columns(const std::vector<int64_t>& columns) override {
        reader_ = layout_.column_after_column
                      ? read_places(
                            layout_, columns,
                            [this](uint64_t offset, std::span<std::byte> bytes) {
                                return file_.read_at(begin_ + offset, bytes);
                            },
                            name_)
                      : read_rows(
                            layout_, columns, [this](std::span<std::byte> bytes) { return file_.read(bytes); }, name_);
        return layout_.rows;
    }

    void read_columns(int64_t rows, std::span<double> values) override {
        reader_->read(rows, values.data(), values.size() / static_cast<size_t>(rows));
    }

    InputFile file_;
    uint64_t begin_ = 0;  // of the values
    NpyLayout layout_;
    std::unique_ptr<NpyColumns> reader_;
};

}  // namespace

std::unique_ptr<Table> open_npy(const fs::path& path, const TableOptions& options) {
    return std::make_unique<NpyTable>(path, options);
}

void write_npy(const fs::path& path, std::span<const float> values, const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    CMR_ASSERT(count == static_cast<int64_t>(values.size()), "a shape holds as many values as are written");
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", tuple_text(shape));
    // The values begin at a multiple of 64 bytes, so that they can be mapped into memory.
    constexpr size_t kStart = 10, kAlignment = 64;
    header.append(kAlignment - 1 - (kStart + header.size()) % kAlignment, ' ');
    header += '\n';
    CMR_ASSERT(header.size() < 65536, "version 1 keeps the length in two bytes");
    const std::string start{
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
    write_file_atomically(path, [&](const Sink& sink) {
        sink(std::as_bytes(std::span(start)));
        sink(std::as_bytes(std::span(header)));
        sink(std::as_bytes(values));
    });
}

}  // namespace cmr::io
