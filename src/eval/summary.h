#pragma once
// One number for many, and its spread over folds or seeds. No values, NaN or infinity: InputError.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cmr::eval {

struct Summary {
    int64_t count = 0;
    double mean = 0;
    std::optional<double> deviation = {};  // of the sample: √(Σ (x − mean)² / (count − 1)); none for a single value

    // Of the population, which takes the values for all that there are: √(Σ (x − mean)² / count).
    std::optional<double> population_deviation() const;
};

// Two passes, in the order given.
Summary summarise(std::span<const double> values);

// The value at place share · (count − 1) of the sorted ones, counted from 0; between two places the straight line
// between their values (NumPy's default). A share outside 0 … 1: InputError.
double quantile(std::vector<double> values, double share);
// The quantile at one half: the middle one, or the mean of the middle two.
double median(std::vector<double> values);

}  // namespace cmr::eval
