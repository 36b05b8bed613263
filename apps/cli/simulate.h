#pragma once
// `cmr simulate`: data of a machine that does not exist, in the files of one that does.

#include <filesystem>
#include <string>

#include "simulate/bearing.h"
#include "simulate/hydraulic.h"
#include "simulate/water.h"

namespace cmr::cli {

// Each writes into `folder` and returns what to print: what was written, and what to do with it.
std::string simulate(const std::filesystem::path& folder, const simulate::BearingOptions& options);
std::string simulate(const std::filesystem::path& folder, const simulate::HydraulicOptions& options);
std::string simulate(const std::filesystem::path& folder, const simulate::WaterOptions& options);

}  // namespace cmr::cli
