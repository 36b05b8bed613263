#pragma once
// What changed between two runs, and whether it is more than noise.

#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study {

// One table per experiment that both runs have. InputError where there is none.
std::vector<ResultTable> compare(const Outcome& before, const Outcome& after);

}  // namespace cmr::study
