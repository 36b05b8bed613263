#include "score/features/pooling.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/suggest.h"

namespace cmr::score {
namespace {

std::vector<double> means(const MatrixView& tokens) {
    std::vector<double> out(tokens.columns, 0.0);
    for (int64_t t = 0; t < tokens.rows; ++t)
        for (int64_t f = 0; f < tokens.columns; ++f) out[f] += tokens.row(t)[f];
    for (double& value : out) value /= static_cast<double>(tokens.rows);
    return out;
}

void mean(const MatrixView& tokens, float* out) { std::ranges::copy(means(tokens), out); }

// Of the population: √(Σ (z - mean)² / tokens).
void deviation(const MatrixView& tokens, float* out) {
    const std::vector<double> centre = means(tokens);
    std::vector<double> squares(tokens.columns, 0.0);
    for (int64_t t = 0; t < tokens.rows; ++t)
        for (int64_t f = 0; f < tokens.columns; ++f) {
            const double d = tokens.row(t)[f] - centre[f];
            squares[f] += d * d;
        }
    for (int64_t f = 0; f < tokens.columns; ++f)
        out[f] = static_cast<float>(std::sqrt(squares[f] / static_cast<double>(tokens.rows)));
}

void most(const MatrixView& tokens, float* out) {
    std::ranges::copy(tokens.row(0), out);
    for (int64_t t = 1; t < tokens.rows; ++t)
        for (int64_t f = 0; f < tokens.columns; ++f) out[f] = std::max(out[f], tokens.row(t)[f]);
}

// One after the other.
template <auto... kPools>
void join(const MatrixView& tokens, float* out) {
    ((kPools(tokens, out), out += tokens.columns), ...);
}

constexpr Pooling kPoolings[] = {
    {"std", 1, deviation},
    {"mean", 1, mean},
    {"max", 1, most},
    {"mean+std", 2, join<mean, deviation>},
    {"mean+std+max", 3, join<mean, deviation, most>},
};

}  // namespace

std::span<const Pooling> poolings() { return kPoolings; }

const Pooling& pooling_named(const std::string& name) {
    std::vector<std::string> names;
    for (const Pooling& pooling : kPoolings) {
        if (pooling.name == name) return pooling;
        names.emplace_back(pooling.name);
    }
    const auto known = suggest(name, names);
    throw InputError("pooling \"{}\": expected one of {}{}", name, fmt::join(names, ", "),
                     known ? "; did you mean " + *known + "?" : "");
}

Matrix pool_windows(const Pooling& pooling, int64_t windows, int64_t tokens, int64_t features, const float* z) {
    if (tokens < 1 || features < 1)
        throw InputError("pooling: {} tokens of {} features, expected at least one of each", tokens, features);
    Matrix out(windows, pooling.parts * features);
    parallel_for(windows, [&](int64_t w) {
        pooling.pool({z + w * tokens * features, tokens, features}, out.row(w).data());
    });
    return out;
}

}  // namespace cmr::score
