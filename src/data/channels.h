#pragma once
// The recipe's channels one by one.

#include <string>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// A channel with where it comes from.
struct SourceChannel : Channel {
    std::string column;  // in the files
    std::string made;    // from it: none, derivative, integral; difference: from it and
    std::string second_column;
    double rate_hz = 0;
    std::string align;
    double step = 0;  // that its values are multiples of; 0: any
};

// A value as the channel has it. Healthy data of full precision and later files that are rounded are alike only where
// both are rounded.
float to_step(float value, double step);

// In the order of the recipe.
std::vector<SourceChannel> source_channels(const recipe::Recipe& recipe);

}  // namespace cmr::data
