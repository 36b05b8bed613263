#include "io/npy/columns.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::io {
namespace {

constexpr uint64_t kPieceBytes = 1 << 18;

class RowOrder : public NpyColumns {
  public:
    RowOrder(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytes read, std::string name)
        : layout_(layout), columns_(std::move(columns)), read_(std::move(read)), name_(std::move(name)) {}

    void read(int64_t rows, double* values, size_t step) override {
        const uint64_t row_bytes = static_cast<uint64_t>(layout_.columns) * layout_.type.bytes;
        const auto most = static_cast<int64_t>(std::max<uint64_t>(1, kPieceBytes / row_bytes));
        while (rows > 0) {
            const int64_t now = std::min(rows, most);
            piece_.resize(static_cast<size_t>(now) * row_bytes);
            if (read_(piece_) != piece_.size())
                throw InputError("{}: ends within rows {} to {} of {}", name_, done_ + 1, done_ + now, layout_.rows);
            for (size_t i = 0; i < columns_.size(); ++i)
                layout_.type.decode(piece_.data() + static_cast<size_t>(columns_[i]) * layout_.type.bytes, row_bytes,
                                    values + i, step, static_cast<size_t>(now));
            values += static_cast<size_t>(now) * step;
            rows -= now;
            done_ += now;
        }
        // Nothing may follow, and only at the end does an archive tell whether its checksum holds.
        std::byte more;
        if (done_ == layout_.rows && read_(std::span(&more, 1)) != 0)
            throw InputError("{}: goes on after its {} rows", name_, layout_.rows);
    }

  private:
    NpyLayout layout_;
    std::vector<int64_t> columns_;
    ReadBytes read_;
    std::string name_;
    std::vector<std::byte> piece_;
    int64_t done_ = 0;
};

class ColumnOrder : public NpyColumns {
  public:
    ColumnOrder(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytesAt read, std::string name)
        : layout_(layout), columns_(std::move(columns)), read_(std::move(read)), name_(std::move(name)) {}

    void read(int64_t rows, double* values, size_t step) override {
        piece_.resize(static_cast<size_t>(rows) * layout_.type.bytes);
        for (size_t i = 0; i < columns_.size(); ++i) {
            const auto index = static_cast<uint64_t>(columns_[i] * layout_.rows + done_);
            if (read_(index * layout_.type.bytes, piece_) != piece_.size())
                throw InputError("{}: ends within column {} of {}", name_, columns_[i] + 1, layout_.columns);
            layout_.type.decode(piece_.data(), layout_.type.bytes, values + i, step, static_cast<size_t>(rows));
        }
        done_ += rows;
    }

  private:
    NpyLayout layout_;
    std::vector<int64_t> columns_;
    ReadBytesAt read_;
    std::string name_;
    std::vector<std::byte> piece_;
    int64_t done_ = 0;
};

}  // namespace

NpyLayout npy_layout(const NpyHeader& header, uint64_t found, const std::string& name) {
    NpyLayout layout;
    layout.type = npy_type(header.type, name);
    layout.bytes = layout.type.bytes;
    for (const int64_t extent : header.shape) {
        if (extent == 0) throw InputError("{}: holds no values, its shape is {}", name, tuple_text(header.shape));
        if (__builtin_mul_overflow(layout.bytes, static_cast<uint64_t>(extent), &layout.bytes))
            throw InputError("{}: its shape {} is too large", name, tuple_text(header.shape));
    }
    if (layout.bytes != found)
        throw InputError("{}: {} bytes of values, but its shape {} of type {} needs {}", name, found,
                         tuple_text(header.shape), header.type, layout.bytes);
    std::vector<int64_t> shape = header.shape;
    while (shape.size() > 2) {
        const auto single = std::ranges::find(shape, 1);
        if (single == shape.end())
            throw InputError("{}: its shape is {}, expected one or two dimensions: rows, and columns", name,
                             tuple_text(header.shape));
        shape.erase(single);
    }
    if (shape.empty()) throw InputError("{}: holds a single value, expected rows", name);
    layout.rows = shape[0];
    if (shape.size() == 2) layout.columns = shape[1];
    layout.column_after_column = header.fortran_order && layout.columns > 1 && layout.rows > 1;
    return layout;
}

std::unique_ptr<NpyColumns> read_rows(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytes read,
                                      std::string name) {
    return std::make_unique<RowOrder>(layout, std::move(columns), std::move(read), std::move(name));
}

std::unique_ptr<NpyColumns> read_places(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytesAt read,
                                        std::string name) {
    return std::make_unique<ColumnOrder>(layout, std::move(columns), std::move(read), std::move(name));
}

}  // namespace cmr::io
