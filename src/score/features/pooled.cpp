#include "score/features/pooled.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "score/file/pca_archive.h"

namespace cmr::score {
namespace {

constexpr std::string_view kNames[] = {"std",          "mean",     "max",          "mean+std",
                                       "mean+std+max", "mean-pca", "effect+cause", "cause-encoder"};
constexpr int64_t kComponents = 64;

}  // namespace

std::span<const std::string_view> pooled_names() { return kNames; }

Pooled::Pooled(const std::string& name, const Features& healthy) : name_(name) {
    if (std::ranges::find(kNames, name) == std::end(kNames))
        throw InputError("pooling \"{}\": expected one of {}", name, fmt::join(kNames, ", "));
    if (name == "mean-pca") pca_ = linear::fit_pca(healthy.mean, kComponents);
}

Pooled::Pooled(const Archive& from, int64_t effect_features) {
    name_ = kNames[from.whole("pooling", 0, std::ssize(kNames) - 1)];
    if (name_ == "mean-pca") pca_ = pca_of(from, "pca_", effect_features);
}

int64_t Pooled::columns(int64_t cause_features, int64_t effect_features) const {
    if (pca_) return pca_->components();
    if (name_ == "effect+cause") return effect_features + cause_features;
    return effect_features * (1 + std::ranges::count(name_, '+'));
}

Matrix Pooled::operator()(const Features& windows) const {
    if (name_ == "std") return windows.std;
    if (name_ == "mean") return windows.mean;
    if (name_ == "max") return windows.max;
    if (name_ == "mean+std") return concat_columns(windows.mean, windows.std);
    if (name_ == "mean+std+max") return concat_columns(concat_columns(windows.mean, windows.std), windows.max);
    if (name_ == "mean-pca") return pca_->transform(windows.mean);
    if (name_ == "effect+cause") return concat_columns(windows.std, windows.cause_std);
    CMR_ASSERT(windows.cause_encoded.columns > 0, "the embedder was asked for this pooling");
    return windows.cause_encoded;
}

void Pooled::save(Archive& to) const {
    to.put("pooling", static_cast<double>(std::ranges::find(kNames, name_) - std::begin(kNames)));
    if (pca_) put_pca(to, "pca_", *pca_);
}

}  // namespace cmr::score
