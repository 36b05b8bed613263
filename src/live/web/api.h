#pragma once
// What the page and other programs get and give, as JSON. docs/live.md lists the requests.

#include <string>
#include <vector>

#include "io/json_fields.h"
#include "live/engine.h"

namespace cmr::live {

io::Json summary_json(const AssetView& view);  // for a list
io::Json detail_json(const AssetView& view);
io::Json entry_json(const Entry& entry);
io::Json status_json(const EngineStatus& status);

// At most `points` spans of equal length, each with the highest of what it holds.
struct Curve {
    std::vector<Level> levels;
    int64_t span_s = 0;
};
Curve pooled(std::vector<Level> levels, double from_s, double to_s, int64_t resolution_s, int64_t points);
io::Json curve_json(const Curve& curve, const std::vector<std::string>& effects);

}  // namespace cmr::live
