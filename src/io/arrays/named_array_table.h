#pragma once
// What formats that hold named arrays (MATLAB, HDF5) share: which arrays become the columns of the table, and the walk
// through their rows.

#include <optional>
#include <span>

#include "io/arrays/array_table.h"

namespace cmr::io {

struct ArrayInfo {
    std::string name;
    std::vector<int64_t> shape;
    std::string obstacle;  // why it gives no numbers: "text", "a sparse matrix"; empty: it does
};

// One column of an array; a vector has only column 0.
struct ArrayColumn {
    size_t array = 0;
    int64_t column = 0;
};

// Axes of length 1 do not count: 1 x n and n x 1 are vectors, and so is a scalar.
struct Extent {
    int64_t rows = 1;
    int64_t columns = 1;
};
// Nothing where more than two axes are left.
std::optional<Extent> extent(const std::vector<int64_t>& shape);

// "2 x 3"
std::string shape_text(const std::vector<int64_t>& shape);

class NamedArrayTable : public ArrayTable {
  protected:
    NamedArrayTable(const fs::path& path, std::vector<ArrayInfo> arrays, const TableOptions& options);

    const ArrayInfo& array(size_t index) const { return arrays_[index]; }
    const std::vector<ArrayColumn>& selected() const { return selected_; }

    // Numbers of the selected columns, [rows, columns].
    virtual void fetch(int64_t first_row, int64_t rows, std::span<double> numbers) = 0;

  private:
    int64_t open_columns(const std::vector<int64_t>& columns) override;
    void read_columns(int64_t rows, std::span<double> values) override;

    void offer_vectors();
    void list_left_out();
    void offer_array(size_t index, const TableOptions& options);
    size_t find_array(const std::string& pattern) const;

    std::vector<ArrayInfo> arrays_;
    std::vector<ArrayColumn> offered_;  // behind each of columns_
    std::vector<ArrayColumn> selected_;
    int64_t next_ = 0;
};

}  // namespace cmr::io
