#include "score/combine/tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "score/combine/log_scale.h"

namespace cmr::score {
namespace {

constexpr double kKnee = 0.90;  // quantile above which the tail is continued

}  // namespace

Tail::Tail(std::vector<float> healthy) : healthy_(std::move(healthy)) {
    if (healthy_.size() < 10) throw InputError("{} healthy scores, expected at least 10 for p-values", healthy_.size());
    std::ranges::sort(healthy_);
    const auto first = static_cast<size_t>(kKnee * static_cast<double>(healthy_.size()));
    knee_ = log_of(healthy_[first]);
    double excess = 0;
    for (size_t i = first; i < healthy_.size(); ++i) excess += log_of(healthy_[i]) - knee_;
    excess /= static_cast<double>(healthy_.size() - first);
    slope_ = 1 / std::max(excess, 1e-3);  // the maximum likelihood of an exponential tail
}

double Tail::p_value(double score) const {
    const double at = log_of(score);
    // However far out: unlikely, never impossible.
    constexpr double kLeast = std::numeric_limits<double>::min();
    if (at > knee_) return std::max((1 - kKnee) * std::exp(-(at - knee_) * slope_), kLeast);
    const auto above = healthy_.end() - std::ranges::lower_bound(healthy_, static_cast<float>(score));
    return std::max(1 - kKnee, static_cast<double>(above + 1) / static_cast<double>(healthy_.size() + 1));
}

}  // namespace cmr::score
