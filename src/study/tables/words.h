#pragma once
// Words that several tables share.

#include <fmt/format.h>

#include "study/outcome.h"

namespace cmr::study::tables {

// The protocol behind an experiment's numbers, for captions.
inline std::string protocol_of(const Outcome& outcome, const Experiment& e) {
    return "protocol " + outcome.protocol_of(e);
}

// `over`: as Outcome::spread_over says it.
inline std::string spread_words(const std::string& over) {
    return over.empty() ? "one fit each" : "mean ± deviation over " + over;
}

inline std::string spread_of(const Outcome& outcome, const Experiment& e) {
    return spread_words(outcome.spread_over(e));
}

}  // namespace cmr::study::tables
