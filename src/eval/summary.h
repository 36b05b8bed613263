#pragma once
// One number and its spread over folds or seeds.

#include <cstdint>
#include <optional>
#include <span>

namespace cmr::eval {

struct Summary {
    int64_t count = 0;
    double mean = 0;
    std::optional<double> deviation = {};  // of the sample: √(Σ (x − mean)² / (count − 1)); none for a single value
};

// Two passes, in the order given. No values, NaN or infinity: InputError.
Summary summarise(std::span<const double> values);

}  // namespace cmr::eval
