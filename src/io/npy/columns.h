#pragma once
// Chosen columns of one array of .npy values, read front to back with bounded memory.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/npy/header.h"

namespace cmr::io {

// An array seen as a table. One dimension is one column; of three, those of length 1 are left out.
struct NpyLayout {
    int64_t rows = 0;
    int64_t columns = 1;
    bool column_after_column = false;  // Fortran order
    NpyType type;
    uint64_t bytes = 0;  // of all values
};

// An InputError when the values are no numbers, or the shape is no table with at least one row and column. `found` is
// how many bytes follow the header.
NpyLayout npy_layout(const NpyHeader& header, uint64_t found, const std::string& name);

class NpyColumns {
  public:
    virtual ~NpyColumns() = default;
    // The next rows; column i of the chosen ones goes to values[row * step + i].
    virtual void read(int64_t rows, double* values, size_t step) = 0;
};

// Row after row, from bytes that arrive in order.
std::unique_ptr<NpyColumns> read_rows(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytes read,
                                      std::string name);

// Column after column: a piece of each chosen one, from wherever it stands.
using ReadBytesAt = std::function<size_t(uint64_t offset, std::span<std::byte>)>;
std::unique_ptr<NpyColumns> read_places(const NpyLayout& layout, std::vector<int64_t> columns, ReadBytesAt read,
                                        std::string name);

}  // namespace cmr::io
