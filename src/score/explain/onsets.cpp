#include "score/explain/onsets.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cmr::score {
namespace {

std::optional<double> onset_of(const MatrixView& residuals, std::span<const double> end_s, int64_t effect) {
    double sum = 0, since = 0;
    for (int64_t i = 0; i < residuals.rows; ++i) {
        const double residual = residuals.row(i)[effect];
        if (std::isnan(residual)) continue;
        if (sum == 0) since = end_s[i];
        sum = std::max(0.0, sum + residual - kAlsoOff);
    }
    return sum >= kAlsoOff ? std::optional(since) : std::nullopt;
}

}  // namespace

std::vector<EffectOnset> onsets(const MatrixView& residuals, std::span<const int64_t> effects,
                                std::span<const double> end_s, double unsure_s, const Eigen::MatrixXd& drives) {
    std::vector<EffectOnset> out;
    for (const int64_t effect : effects)
        if (const auto onset = onset_of(residuals, end_s, effect)) out.push_back({effect, *onset});
    std::ranges::stable_sort(out, {}, &EffectOnset::onset_s);
    if (out.size() < 2 || drives.size() == 0) return out;
    const auto unsure =
        std::ranges::find_if(out, [&](const EffectOnset& o) { return o.onset_s >= out.front().onset_s + unsure_s; });
    const auto lead = [&](const EffectOnset& a) {
        double sum = 0;
        for (auto b = out.begin(); b != unsure; ++b) sum += drives(a.effect, b->effect) - drives(b->effect, a.effect);
        return sum;
    };
    const auto first = std::max_element(out.begin(), unsure,
                                        [&](const EffectOnset& a, const EffectOnset& b) { return lead(a) < lead(b); });
    std::rotate(out.begin(), first, first + 1);
    return out;
}

}  // namespace cmr::score
