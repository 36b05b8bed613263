#include "score/features/pooling.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"
#include "score/features/features.h"
#include "score/file/pca_archive.h"

namespace cmr::score {
namespace {

// visit(t, z): a token's features in double.
template <typename Visit>
void for_each_token(const TokenView& tokens, const Visit& visit) {
    std::vector<double> z(tokens.features);
    for (int64_t t = 0; t < tokens.tokens; ++t) {
        std::copy_n(tokens.values + t * tokens.features, tokens.features, z.begin());
        if (tokens.minus)
            for (int64_t f = 0; f < tokens.features; ++f) z[f] -= tokens.minus[t * tokens.features + f];
        visit(t, z);
    }
}

template <typename Term>
std::vector<double> mean_over_time(const TokenView& tokens, const Term& term) {
    std::vector<double> out(tokens.features, 0.0);
    for_each_token(tokens, [&](int64_t, const std::vector<double>& z) {
        for (size_t f = 0; f < z.size(); ++f) out[f] += term(f, z[f]);
    });
    for (double& value : out) value /= static_cast<double>(tokens.tokens);
    return out;
}

std::vector<double> means(const TokenView& tokens) {
    return mean_over_time(tokens, [](size_t, double z) { return z; });
}

void mean(const TokenView& tokens, float* out) { std::ranges::copy(means(tokens), out); }

void square(const TokenView& tokens, float* out) {
    std::ranges::copy(mean_over_time(tokens, [](size_t, double z) { return z * z; }), out);
}

// Of the population: √(Σ (z - mean)² / tokens).
void deviation(const TokenView& tokens, float* out) {
    const std::vector<double> centre = means(tokens);
    const auto variance = mean_over_time(tokens, [&](size_t f, double z) { return (z - centre[f]) * (z - centre[f]); });
    std::ranges::transform(variance, out, [](double v) { return static_cast<float>(std::sqrt(v)); });
}

void most(const TokenView& tokens, float* out) {
    for_each_token(tokens, [&](int64_t t, const std::vector<double>& z) {
        for (size_t f = 0; f < z.size(); ++f)
            out[f] = t == 0 ? static_cast<float>(z[f]) : std::max(out[f], static_cast<float>(z[f]));
    });
}

constexpr Statistic kMean{"mean", mean}, kStd{"std", deviation}, kMax{"max", most}, kSquare{"square", square};

constexpr PooledMatrix kAlways[] = {{"effects", kMean}, {"effects", kStd},   {"causes", kMean},
                                    {"causes", kStd},   {"residual", kMean}, {"residual", kSquare}};

Matrix joined(const PoolingKind& kind, const Features& windows) {
    Matrix out = windows[kind.parts.front().name()];
    for (const PooledMatrix& part : std::span(kind.parts).subspan(1)) out = concat_columns(out, windows[part.name()]);
    return out;
}

}  // namespace

std::span<const PooledMatrix> always_pooled() { return kAlways; }

std::span<const PoolingKind> pooling_kinds() {
    static const std::vector<PoolingKind> kinds = {
        {"std", {{"effects", kStd}}},
        {"mean", {{"effects", kMean}}},
        {"max", {{"effects", kMax}}},
        {"mean+std", {{"effects", kMean}, {"effects", kStd}}},
        {"mean+std+max", {{"effects", kMean}, {"effects", kStd}, {"effects", kMax}}},
        {"mean-pca", {{"effects", kMean}}, /*components=*/64},
        {"effect+cause", {{"effects", kStd}, {"causes", kStd}}},
        {"effect+mean-cause", {{"effects", kStd}, {"mean-cause", kStd}}},
        {"cause-encoder", {{"cause-encoded", kMean}}},
    };
    return kinds;
}

bool PoolingKind::needs_causes() const { return std::ranges::any_of(parts, &PooledMatrix::needs_causes); }

int64_t PoolingKind::columns(const model::FeatureCounts& features) const {
    int64_t out = 0;
    for (const PooledMatrix& part : parts) out += part.columns(features);
    return out;
}

const PoolingKind& pooling_named(const std::string& name) { return row_named(pooling_kinds(), "pooling", name); }

void check_pooling(const std::string& pooling, const std::string& method, const std::string& source) {
    if (pooling_named(pooling).needs_causes() && !model::method_named(method).knows_causes)
        throw InputError("{}: score.pooling: {} needs cause embeddings, which method {} does not have", source, pooling,
                         method);
}

Pooling::Pooling(const std::string& name, const Features& healthy) : kind_(&pooling_named(name)) {
    if (kind_->components > 0) pca_ = linear::fit_pca(joined(*kind_, healthy), kind_->components);
}

Pooling::Pooling(const std::string& name, const Archive& from, const model::FeatureCounts& features)
    : kind_(&pooling_named(name)) {
    if (kind_->components > 0) pca_ = pca_of(from, "pca_", kind_->columns(features));
}

int64_t Pooling::columns(const model::FeatureCounts& features) const {
    return pca_ ? pca_->components() : kind_->columns(features);
}

Matrix Pooling::operator()(const Features& windows) const {
    Matrix all = joined(*kind_, windows);
    return pca_ ? pca_->transform(all) : all;
}

void Pooling::save(Archive& to) const {
    if (pca_) put_pca(to, "pca_", *pca_);
}

}  // namespace cmr::score
