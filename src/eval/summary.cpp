#include "eval/summary.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/check.h"

namespace cmr::eval {

std::optional<double> Summary::population_deviation() const {
    if (!deviation) return std::nullopt;
    return *deviation * std::sqrt(static_cast<double>(count - 1) / static_cast<double>(count));
}

Summary summarise(std::span<const double> values) {
    require_finite("values", values);
    Summary out{.count = std::ssize(values)};
    const auto count = static_cast<double>(values.size());
    for (const double value : values) out.mean += value;
    out.mean /= count;
    if (values.size() < 2) return out;
    double squares = 0;
    for (const double value : values) squares += (value - out.mean) * (value - out.mean);
    out.deviation = std::sqrt(squares / (count - 1));
    return out;
}

double quantile(std::vector<double> values, double share) {
    require_finite("values", values);
    if (!(share >= 0 && share <= 1)) throw InputError("a quantile at {}, between 0 and 1 is needed", share);
    std::ranges::sort(values);
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace cmr::eval
