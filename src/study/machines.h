#pragma once
// Damaged machines apart, where the recipe tells how severe each one's damage is: does a score rise with it?

#include <span>

#include "data/recording.h"
#include "recipe/recipe.h"
#include "study/result.h"

namespace cmr::study {

// Those among the test windows that have faulty ones. `recording`, `faulty`: of each test window.
std::vector<MachineFacts> machines_of(const recipe::Recipe& recipe, const data::Dataset& dataset,
                                      std::span<const int64_t> recording, std::span<const uint8_t> faulty);

// Each against all healthy test windows.
std::vector<MachineResult> by_machine(const std::vector<MachineFacts>& machines, const data::Dataset& dataset,
                                      std::span<const double> scores, std::span<const int64_t> recording,
                                      std::span<const uint8_t> faulty);

}  // namespace cmr::study
