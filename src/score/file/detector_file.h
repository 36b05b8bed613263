#pragma once
// A detector as one safetensors file: the network as model_file.h has it; all else below "detector.", and as JSON and
// TOML in the metadata. docs/model-file.md lists what is in it.

#include <filesystem>

#include "score/detector.h"

namespace cmr::score {

void save_detector(const Detector& detector, const std::filesystem::path& file);

// Refuses a file that is not whole, of another schema, or whose golden windows get other scores than when it was
// written: InputError.
Detector load_detector(const std::filesystem::path& file);

}  // namespace cmr::score
