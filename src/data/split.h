#pragma once
// What is for training, for validation and for testing.

#include <string>
#include <vector>

#include "data/windows.h"

namespace cmr::data {

struct Fold {
    std::string name;                // "K001+K002", "valve1/0.csv", or empty where there is one fold
    std::vector<Window> train;       // healthy
    std::vector<Window> validation;  // healthy
    std::vector<Window> test;        // healthy and faulty
    int64_t purged = 0;              // windows left out because they are too near to training windows
};

// All folds of the recipe, in a fixed order, each proven free of leakage (see leakage.h). With a fold per recording,
// those that are too short for one are left out (and named in `left_out`), as long as there is another.
std::vector<Fold> make_folds(const Dataset& dataset, const recipe::Recipe& recipe,
                             std::vector<std::string>* left_out = nullptr);

}  // namespace cmr::data
