#pragma once
// `cmr update`: "that was healthy". A model learns more healthy data without being trained again; the model that it was
// is kept beside it, and can be put back.

#include <filesystem>
#include <string>

#include "data_to_score.h"

namespace cmr::cli {

struct UpdateOptions {
    std::filesystem::path model;
    DataOptions healthy;           // data: what was healthy; the root is of the data that the model was fitted on
    bool undo = false;             // take the last addition back
    std::filesystem::path marked;  // a plant: only alarms that were marked as false in its ledger are healthy
    std::string asset;             // whose
    std::string who, why;
    bool json = false;
};

std::string update(const UpdateOptions& options);

}  // namespace cmr::cli
