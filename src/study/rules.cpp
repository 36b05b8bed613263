#include "study/rules.h"

#include <algorithm>
#include <cmath>

#include "score/combine/combined.h"
#include "score/combine/tail.h"

namespace cmr::study {
namespace {

std::vector<float> column_of(const MatrixView& matrix, int64_t column) {
    std::vector<float> out;
    for (int64_t i = 0; i < matrix.rows; ++i) out.push_back(matrix.row(i)[column]);
    return out;
}

// Fisher's join. A p-value of 0 is as good as 1e-300.
std::vector<double> sum_of_log_p(const MatrixView& healthy, const MatrixView& tested) {
    std::vector<double> out(tested.rows);
    for (int64_t k = 0; k < healthy.columns; ++k) {
        std::vector<float> own = column_of(healthy, k);
        for (float& value : own) value = std::max(value, 1e-12f);
        const score::Tail tail(std::move(own));
        for (int64_t i = 0; i < tested.rows; ++i)
            out[i] -= std::log(std::max(tail.p_value(std::max(tested.row(i)[k], 1e-12f)), 1e-300));
    }
    return out;
}

// z of each voice in healthy deviations of its logarithm.
Matrix deviations(const MatrixView& healthy, const MatrixView& tested) {
    Matrix out(tested.rows, tested.columns);
    for (int64_t k = 0; k < healthy.columns; ++k) {
        const score::LogScale scale = score::log_scale(column_of(healthy, k));
        for (int64_t i = 0; i < tested.rows; ++i) out.row(i)[k] = static_cast<float>(scale.z(tested.row(i)[k]));
    }
    return out;
}

Matrix whitened(const MatrixView& healthy, const MatrixView& tested, double least = score::Combined::kLeast) {
    std::vector<std::string> names;
    for (int64_t k = 0; k < healthy.columns; ++k) names.push_back(std::to_string(k));
    return score::Combined({names, healthy}, least).voices_of({names, tested});
}

std::vector<double> sum_of_evidence(const MatrixView& healthy, const MatrixView& tested) {
    const Matrix z = deviations(healthy, tested);
    std::vector<double> out(z.rows);
    for (int64_t i = 0; i < z.rows; ++i)
        for (const float value : z.row(i)) out[i] += score::evidence_of(value);
    return out;
}

std::vector<double> largest_of(const Matrix& voices) {
    std::vector<double> out;
    for (int64_t i = 0; i < voices.rows; ++i) out.push_back(*std::ranges::max_element(voices.row(i)));
    return out;
}

std::vector<double> white_sum_of_squares(const MatrixView& healthy, const MatrixView& tested) {
    const Matrix w = whitened(healthy, tested);
    std::vector<double> out(w.rows);
    for (int64_t i = 0; i < w.rows; ++i)
        for (const float value : w.row(i)) out[i] += value > 0 ? double{value} * value : 0;
    return out;
}

constexpr Rule kRules[] = {
    {kFloor, "unweighted sum of the logarithms of p-values (Fisher)", sum_of_log_p},
    {"sum of evidence", "sum of log(1 + exp z)", sum_of_evidence},
    {"largest", "the largest z",
     [](const MatrixView& healthy, const MatrixView& tested) { return largest_of(deviations(healthy, tested)); }},
    {"white sum", "voices whitened, sum of the squares of those above 0", white_sum_of_squares},
    {"white largest", "voices whitened, the largest: the combined score",
     [](const MatrixView& healthy, const MatrixView& tested) { return largest_of(whitened(healthy, tested)); }},
    {"least -1", "the same, z counts as at least -1",
     [](const MatrixView& healthy, const MatrixView& tested) { return largest_of(whitened(healthy, tested, -1)); }},
    {"no least", "the same, however low z is",
     [](const MatrixView& healthy, const MatrixView& tested) { return largest_of(whitened(healthy, tested, -1e6)); }},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

}  // namespace cmr::study
