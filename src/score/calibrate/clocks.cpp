#include "score/calibrate/clocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace cmr::score {
namespace {

// The mean after each window.
std::vector<double> means_of(const Clocks& clocks, std::span<const double> combined, std::span<const int32_t> segment,
                             double period_s) {
    CMR_ASSERT(combined.size() == segment.size(), "a segment for each window");
    std::vector<double> out;
    for (size_t i = 0; i < combined.size(); ++i) {
        const bool goes_on = i > 0 && segment[i] == segment[i - 1];
        out.push_back(clocks.next(goes_on ? out.back() : clocks.usual(), combined[i], period_s));
    }
    return out;
}

// Where the upper tenth of some numbers begins, and how far above that it is on average.
struct UpperTenth {
    double begin, excess;

    explicit UpperTenth(std::vector<double> values) {
        const auto first = values.begin() + std::ssize(values) * 9 / 10;
        std::ranges::nth_element(values, first);
        begin = *first;
        excess = std::accumulate(first, values.end(), 0.0) / static_cast<double>(values.end() - first) - begin;
    }
};

}  // namespace

Clocks::Clocks(const HealthyTrace& healthy, double half_life_s) : half_life_s_(half_life_s) {
    for (const double score : healthy.score)
        usual_ += std::min(score, kLoudest) / static_cast<double>(healthy.score.size());
    const UpperTenth combined(healthy.score);
    const UpperTenth mean(means_of(*this, healthy.score, healthy.segment, healthy.period_s));
    if (mean.excess > 0) factor_ = combined.excess / mean.excess;
    offset_ = combined.begin - factor_ * mean.begin;
}

double Clocks::next(double mean, double combined, double period_s) const {
    return mean + (1 - std::exp2(-period_s / half_life_s_)) * (std::min(combined, kLoudest) - mean);
}

std::vector<double> Clocks::slow(std::span<const double> combined, std::span<const int32_t> segment,
                                 double period_s) const {
    std::vector<double> out = means_of(*this, combined, segment, period_s);
    for (double& value : out) value = slow(value);
    return out;
}

}  // namespace cmr::score
