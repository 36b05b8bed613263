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
inline std::string spread_words(const Outcome& outcome, const Experiment& e, const std::string& over) {
    if (over.empty()) return "one fit each";
    return fmt::format("mean ± {}deviation over {}", outcome.protocol_of(e) == "paper" ? "population " : "", over);
}

inline std::string spread_of(const Outcome& outcome, const Experiment& e) {
    return spread_words(outcome, e, outcome.spread_over(e));
}

// Of which faults a table tells that does not tell of all; empty where it does.
inline std::string faults_of(const Experiment& e) {
    return e.stratum.empty() ? "" : ", faults of stratum \"" + e.stratum + "\"";
}

// Of a table that tells of all faults where others of the experiment do not.
inline std::string all_faults_of(const Experiment& e) { return e.stratum.empty() ? "" : ", all faults"; }

}  // namespace cmr::study::tables
