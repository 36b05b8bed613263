#pragma once
// What explanations need beside the scores and the novelty of causes: whether a channel is odd by itself, and which
// share of a residual makes a cause one to name.

#include "score/explain/cause_limits.h"
#include "score/explain/channel_ranges.h"

namespace cmr::score {

struct Explainer {
    ChannelRanges ranges;           // of the effects
    ChannelRanges cause_ranges;     // of the causes
    ChannelRanges residual_ranges;  // of what the lagged mechanism leaves of the effects
    CauseLimits limits;
};

}  // namespace cmr::score
