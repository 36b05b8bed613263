#include "study/named_strata.h"

namespace cmr::study {

std::vector<StratumResult> named_strata(const std::vector<eval::StratumAuroc>& strata, const data::Dataset& dataset) {
    std::vector<StratumResult> out;
    for (const eval::StratumAuroc& s : strata)
        if (s.stratum >= 0) out.push_back({dataset.strata[s.stratum], s.faulty, s.auroc});
    return out;
}

}  // namespace cmr::study
