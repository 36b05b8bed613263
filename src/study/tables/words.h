#pragma once
// Words that several tables share.

#include <fmt/format.h>

#include "study/outcome.h"

namespace cmr::study::tables {

// The protocol behind an experiment's numbers, for captions.
inline std::string protocol_of(const Outcome& outcome, const Experiment& e) {
    return "protocol " + outcome.protocol_of(e);
}

inline std::string spread_of(const Outcome& outcome, const Experiment& e, const Setting& setting = {}) {
    const std::string over = outcome.spread_over(e, setting);
    return over.empty() ? "one fit each" : "mean ± deviation over " + over;
}

}  // namespace cmr::study::tables
