#include "study/stealth.h"

#include <algorithm>
#include <limits>

#include "eval/ranking.h"
#include "eval/summary.h"

namespace cmr::study {
namespace {

// Healthy windows and those faulty ones that `choose` takes; NaN where it takes none.
template <typename Choose>
double auroc_of_some(const std::vector<double>& scores, const std::vector<uint8_t>& faulty, const Choose& choose) {
    std::vector<double> some;
    std::vector<uint8_t> labels;
    for (size_t i = 0; i < scores.size(); ++i)
        if (faulty[i] == 0 || choose(i)) {
            some.push_back(scores[i]);
            labels.push_back(faulty[i]);
        }
    if (std::ranges::count(labels, 1) == 0) return std::numeric_limits<double>::quiet_NaN();
    return eval::auroc(some, labels);
}

}  // namespace

std::vector<StealthResult> by_stealth(const std::vector<double>& percentiles, const std::vector<double>& scores,
                                      const std::vector<uint8_t>& faulty, const std::vector<double>& marginal,
                                      const std::vector<double>& healthy) {
    std::vector<StealthResult> out;
    for (const double percentile : percentiles) {
        const double threshold = eval::quantile(healthy, percentile / 100);
        const auto is_stealthy = [&](size_t i) { return marginal[i] < threshold; };
        StealthResult& result = out.emplace_back();
        result.percentile = percentile;
        for (size_t i = 0; i < scores.size(); ++i)
            if (faulty[i] != 0) ++(is_stealthy(i) ? result.stealthy_windows : result.blunt_windows);
        result.stealthy = auroc_of_some(scores, faulty, is_stealthy);
        result.blunt = auroc_of_some(scores, faulty, [&](size_t i) { return !is_stealthy(i); });
    }
    return out;
}

}  // namespace cmr::study
