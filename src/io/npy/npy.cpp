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

}  // namespace cmr::io
