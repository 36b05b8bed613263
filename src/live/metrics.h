#pragma once
// All numbers of the monitor in Prometheus' text format (version 0.0.4). docs/operations.md says what each means.

#include <string>
#include <vector>

#include "live/engine.h"

namespace cmr::live {

std::string metrics_text(const EngineStatus& status, const std::vector<AssetView>& views, double wall_s);

}  // namespace cmr::live
