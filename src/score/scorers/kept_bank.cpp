#include "score/scorers/kept_bank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::score {
namespace {

// Random projections of rows longer than this: sums with random signs, scaled so that distances stay about the same.
constexpr int64_t kSketch = 64;

Matrix sketch_of(const MatrixView& rows) {
    Rng rng = Rng(1).split("sketch");
    std::vector<float> signs(rows.columns * kSketch);
    const float unit = 1 / std::sqrt(static_cast<float>(kSketch));
    for (float& sign : signs) sign = rng.below(2) == 0 ? unit : -unit;
    Matrix out(rows.rows, kSketch);
    parallel_for(rows.rows, [&](int64_t i) {
        float* to = out.row(i).data();
        const auto row = rows.row(i);
        for (int64_t c = 0; c < rows.columns; ++c)
            for (int64_t j = 0; j < kSketch; ++j) to[j] += row[c] * signs[c * kSketch + j];
    });
    return out;
}

std::vector<int64_t> kept_rows(const MatrixView& healthy, int64_t most_numbers) {
    check_finite(healthy, "bank of healthy vectors");
    return spread_rows(healthy, kept_count(healthy.rows, healthy.columns, most_numbers));
}

std::vector<float> floats(const Eigen::VectorXd& values) { return {values.begin(), values.end()}; }

std::optional<Steps> steps_of(const Archive& from, int64_t columns) {
    if (from.has("bank")) return std::nullopt;
    Steps out{0, floats(from.vector("least")), floats(from.vector("largest")), from.bytes("steps", columns)};
    from.require(std::ssize(out.least) == columns && std::ssize(out.largest) == columns && columns > 0,
                 "its bank does not fit the windows");
    out.rows = std::ssize(out.steps) / columns;
    return out;
}

Matrix whole_bank(const Archive& from, int64_t columns) {
    Matrix out = from.matrix("bank");
    from.require(out.columns == columns, "its bank does not fit the windows");
    return out;
}

}  // namespace

std::vector<int64_t> spread_rows(const MatrixView& rows, int64_t most) {
    CMR_ASSERT(most >= 1, "at least one row");
    std::vector<int64_t> chosen;
    if (rows.rows <= most) {
        for (int64_t i = 0; i < rows.rows; ++i) chosen.push_back(i);
        return chosen;
    }
    const Matrix sketch = rows.columns > kSketch ? sketch_of(rows) : Matrix();
    const MatrixView points = rows.columns > kSketch ? MatrixView(sketch) : rows;
    std::vector<double> distance(rows.rows, std::numeric_limits<double>::infinity());  // to the nearest chosen row
    for (int64_t next = 0; std::ssize(chosen) < most;) {
        chosen.push_back(next);
        constexpr int64_t kRows = 64;
        parallel_for((rows.rows + kRows - 1) / kRows, [&](int64_t block) {
            for (int64_t i = block * kRows; i < std::min((block + 1) * kRows, rows.rows); ++i)
                distance[i] = std::min(distance[i], squared_distance(points.row(i), points.row(next)));
        });
        distance[next] = -1;  // a copy of it may still be chosen, itself not
        next = std::ranges::max_element(distance) - distance.begin();
    }
    std::ranges::sort(chosen);
    return chosen;
}

Steps to_steps(const MatrixView& rows) {
    Steps out{rows.rows, std::vector<float>(rows.columns), std::vector<float>(rows.columns), {}};
    for (int64_t c = 0; c < rows.columns; ++c) {
        out.least[c] = out.largest[c] = rows.rows > 0 ? rows.row(0)[c] : 0.0f;
        for (int64_t i = 1; i < rows.rows; ++i) {
            out.least[c] = std::min(out.least[c], rows.row(i)[c]);
            out.largest[c] = std::max(out.largest[c], rows.row(i)[c]);
        }
    }
    for (int64_t i = 0; i < rows.rows; ++i)
        for (int64_t c = 0; c < rows.columns; ++c) {
            const double range = static_cast<double>(out.largest[c]) - out.least[c];
            const double share = range > 0 ? (static_cast<double>(rows.row(i)[c]) - out.least[c]) / range : 0.0;
            out.steps.push_back(static_cast<uint8_t>(std::lround(255 * share)));
        }
    return out;
}

Matrix from_steps(const Steps& steps) {
    Matrix out(steps.rows, std::ssize(steps.least));
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < out.columns; ++c) {
            const double share = steps.steps[i * out.columns + c] / 255.0;
            out.row(i)[c] = static_cast<float>((1 - share) * steps.least[c] + share * steps.largest[c]);
        }
    return out;
}

KeptBank::KeptBank(const MatrixView& healthy, Metric metric, int64_t most_numbers)
    : chosen_(kept_rows(healthy, most_numbers)),
      steps_(most_numbers == kExact ? std::nullopt : std::optional(to_steps(chosen_rows(healthy, chosen_)))),
      bank_(steps_ ? KnnBank(from_steps(*steps_), metric) : KnnBank(healthy, metric)) {}

KeptBank::KeptBank(const Archive& from, Metric metric, int64_t columns)
    : steps_(steps_of(from, columns)), bank_(steps_ ? from_steps(*steps_) : whole_bank(from, columns), metric) {}

void KeptBank::save(Archive& to) const {
    if (!steps_) return to.put("bank", bank_.vectors());
    to.put_bytes("steps", steps_->steps, steps_->rows);
    to.put("least", steps_->least);
    to.put("largest", steps_->largest);
}

int64_t kept_count(int64_t rows, int64_t columns, int64_t most_numbers) {
    if (most_numbers == KeptBank::kExact) return rows;
    return std::min(rows, std::max(kFewestBankRows, most_numbers / columns));
}

int64_t bank_limit(const recipe::Recipe& recipe, int64_t most_numbers) {
    return recipe.split.protocol == "paper" ? KeptBank::kExact : most_numbers;
}

}  // namespace cmr::score
