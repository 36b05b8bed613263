#pragma once
// Many vectors of one length: what scores are made from.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cmr {

// [rows, columns] floats that someone else owns, row-major.
struct MatrixView {
    const float* data = nullptr;
    int64_t rows = 0;
    int64_t columns = 0;

    std::span<const float> row(int64_t i) const { return {data + i * columns, static_cast<size_t>(columns)}; }
    MatrixView rows_from(int64_t begin, int64_t count) const { return {data + begin * columns, count, columns}; }
};

struct Matrix {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<float> values;  // [rows, columns], row-major

    Matrix() = default;
    Matrix(int64_t row_count, int64_t column_count)
        : rows(row_count), columns(column_count), values(static_cast<size_t>(row_count * column_count)) {}

    std::span<float> row(int64_t i) { return {values.data() + i * columns, static_cast<size_t>(columns)}; }
    std::span<const float> row(int64_t i) const { return {values.data() + i * columns, static_cast<size_t>(columns)}; }
    operator MatrixView() const { return {values.data(), rows, columns}; }
};

// The rows of `left`, each followed by its row of `right`.
Matrix concat_columns(const MatrixView& left, const MatrixView& right);

Matrix chosen_rows(const MatrixView& matrix, std::span<const int64_t> rows);

// Below those that are there; where there are none yet, with the columns of `more`.
void append_rows(Matrix& to, const MatrixView& more);

// One number per row, summed in double.
std::vector<float> mean_of_rows(const MatrixView& matrix);
std::vector<float> max_of_rows(const MatrixView& matrix);

// Throws InputError naming `what` unless there are rows, columns and nothing but finite numbers.
void check_finite(const MatrixView& matrix, const std::string& what);

// At most this many rows enter an eigenvalue problem whose cost grows with their cube; of more,
// evenly spaced ones.
inline constexpr int64_t kMostRows = 2048;
Matrix evenly_spaced_rows(const MatrixView& matrix, int64_t most);

}  // namespace cmr
