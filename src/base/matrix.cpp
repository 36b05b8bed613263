#include "base/matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace cmr {

Matrix concat_columns(const MatrixView& left, const MatrixView& right) {
    CMR_ASSERT(left.rows == right.rows, "the two sides have the same rows");
    Matrix out(left.rows, left.columns + right.columns);
    for (int64_t i = 0; i < out.rows; ++i) {
        const auto row = out.row(i);
        std::ranges::copy(left.row(i), row.begin());
        std::ranges::copy(right.row(i), row.begin() + left.columns);
    }
    return out;
}

Matrix chosen_rows(const MatrixView& matrix, std::span<const int64_t> rows) {
    Matrix out(std::ssize(rows), matrix.columns);
    for (int64_t i = 0; i < out.rows; ++i) std::ranges::copy(matrix.row(rows[i]), out.row(i).begin());
    return out;
}

void append_rows(Matrix& to, const MatrixView& more) {
    CMR_ASSERT(to.rows == 0 || to.columns == more.columns, "rows of one length");
    to.columns = more.columns;
    to.rows += more.rows;
    to.values.insert(to.values.end(), more.data, more.data + more.rows * more.columns);
}

std::vector<float> mean_of_rows(const MatrixView& matrix) {
    std::vector<float> out(matrix.rows);
    for (int64_t i = 0; i < matrix.rows; ++i) {
        const auto row = matrix.row(i);
        out[i] = static_cast<float>(std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(matrix.columns));
    }
    return out;
}

std::vector<float> max_of_rows(const MatrixView& matrix) {
    std::vector<float> out(matrix.rows);
    for (int64_t i = 0; i < matrix.rows; ++i) out[i] = std::ranges::max(matrix.row(i));
    return out;
}

void check_finite(const MatrixView& matrix, const std::string& what) {
    if (matrix.rows < 1 || matrix.columns < 1)
        throw InputError("{}: {} rows of {} numbers, expected at least one of each", what, matrix.rows, matrix.columns);
    for (int64_t i = 0; i < matrix.rows; ++i)
        for (const float value : matrix.row(i))
            if (!std::isfinite(value)) throw InputError("{}: row {} holds {}, expected finite numbers", what, i, value);
}

Matrix evenly_spaced_rows(const MatrixView& matrix, int64_t most) {
    Matrix out(std::min(matrix.rows, most), matrix.columns);
    for (int64_t i = 0; i < out.rows; ++i)
        std::ranges::copy(matrix.row(i * matrix.rows / out.rows), out.row(i).begin());
    return out;
}

}  // namespace cmr
