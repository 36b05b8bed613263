#pragma once
// Words that several tables share.

#include <fmt/format.h>

#include "study/outcome.h"

namespace cmr::study::tables {

// The protocol behind an experiment's numbers, for captions.
inline std::string protocol_of(const Outcome& outcome, const Experiment& e) {
    for (const std::string& method : e.methods)
        for (const Result* r : outcome.of(e, method)) return "protocol " + r->protocol;
    return "";
}

inline std::string spread_of(const Outcome& outcome, const Experiment& e) {
    return "mean ± deviation over " + outcome.spread_over(e);
}

}  // namespace cmr::study::tables
