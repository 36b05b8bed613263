#include "eval/summary.h"

#include <cmath>

#include "eval/check.h"

namespace cmr::eval {

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

}  // namespace cmr::eval
