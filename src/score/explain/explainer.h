#pragma once
// What explanations need beside the scores: whether causes are new, and whether an effect is odd by itself.

#include "score/explain/novelty.h"

namespace cmr::score {

struct Explainer {
    CauseNovelty novelty;
    EffectRanges ranges;
};

}  // namespace cmr::score
