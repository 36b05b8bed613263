#include "score/pooled.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"

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

Pooled::Pooled(const Archive& from) {
    const auto index = static_cast<size_t>(from.number("pooling"));
    if (index >= std::size(kNames)) throw InputError("{}: pooling number {} is unknown", from.source(), index);
    name_ = kNames[index];
    if (name_ == "mean-pca") pca_ = {from.vector("pca_mean"), from.doubles("pca_basis"), from.vector("pca_variances")};
}

Matrix Pooled::operator()(const Features& windows) const {
    if (name_ == "std") return windows.std;
    if (name_ == "mean") return windows.mean;
    if (name_ == "max") return windows.max;
    if (name_ == "mean+std") return beside(windows.mean, windows.std);
    if (name_ == "mean+std+max") return beside(beside(windows.mean, windows.std), windows.max);
    if (name_ == "mean-pca") return pca_->transform(windows.mean);
    if (name_ == "effect+cause") return beside(windows.std, windows.cause_std);
    CMR_ASSERT(windows.foreign.columns > 0, "the embedder was asked for this pooling");
    return windows.foreign;
}

void Pooled::save(Archive& to) const {
    to.put("pooling", static_cast<double>(std::ranges::find(kNames, name_) - std::begin(kNames)));
    if (!pca_) return;
    to.put("pca_mean", pca_->mean);
    to.put("pca_basis", pca_->basis);
    to.put("pca_variances", pca_->variances);
}

}  // namespace cmr::score
