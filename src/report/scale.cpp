#include "report/scale.h"

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/error.h"
#include "report/text.h"
#include "report/ticks.h"

namespace cmr::report {
namespace {

constexpr double kLargest = 1e100;  // so that no difference overflows
constexpr double kLeastLog = 1e-100;

double finite_or(double value, double otherwise) {
    return std::isfinite(value) ? std::clamp(value, -kLargest, kLargest) : otherwise;
}

}  // namespace

void Range::include(double value) {
    if (!std::isfinite(value)) return;
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
}

void Range::include(std::span<const float> values) {
    for (const float value : values) include(static_cast<double>(value));
}

Scale::Scale(ScaleKind kind, double low, double high, double from, double to)
    : kind_(kind), low_(finite_or(low, 0)), high_(finite_or(high, 1)), from_(from), to_(to) {
    CMR_ASSERT(std::isfinite(from) && std::isfinite(to) && from != to, "a scale needs room");
    if (low_ > high_) std::swap(low_, high_);
    if (kind_ == ScaleKind::kLog) {
        if (high_ < kLeastLog) high_ = 1;
        low_ = std::max(low_ > 0 ? low_ : high_ / 1000, kLeastLog);
        if (high_ / low_ < 1 + 1e-6) {
            low_ /= 2;
            high_ *= 2;
        }
    } else if (const double size = std::max(std::abs(low_), std::abs(high_)); high_ - low_ <= size * 1e-12) {
        // A constant: in the middle, with room around it.
        const bool moment = kind_ == ScaleKind::kTime || kind_ == ScaleKind::kElapsed;
        const double room = size == 0 ? 1 : moment ? std::max(1.0, size * 1e-8) : size * 0.05;
        low_ -= room;
        high_ += room;
    }
}

double Scale::at(double value) const {
    CMR_ASSERT(!std::isnan(value), "NaN has no place on a scale");
    value = std::clamp(value, low_, high_);
    const double share =
        kind_ == ScaleKind::kLog ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::vector<Tick> Scale::ticks(int most) const {
    most = std::max(most, 2);
    switch (kind_) {
        case ScaleKind::kLog:
            return log_ticks(low_, high_, most);
        case ScaleKind::kTime:
            return calendar_ticks(low_, high_, most);
        case ScaleKind::kElapsed:
            return elapsed_ticks(low_, high_, most);
        default:
            return linear_ticks(low_, high_, most);
    }
}

Scale Scale::with_round_ends(int most) const {
    if (kind_ == ScaleKind::kLog) {
        const double low = std::pow(10.0, std::floor(std::log10(low_) + 1e-9));
        const double high = std::pow(10.0, std::ceil(std::log10(high_) - 1e-9));
        return {kind_, low, high, from_, to_};
    }
    if (kind_ != ScaleKind::kLinear) return *this;
    const double step = round_step((high_ - low_) / std::max(most, 2));
    return {kind_, std::floor(low_ / step + 1e-9) * step, std::ceil(high_ / step - 1e-9) * step, from_, to_};
}

std::string Scale::describe(double value) const {
    if (!std::isfinite(value)) return readable(value);
    if (kind_ == ScaleKind::kTime) return date_and_time(value);
    return kind_ == ScaleKind::kElapsed ? duration_text(value) : readable(value, 4);
}

}  // namespace cmr::report
