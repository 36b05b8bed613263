#pragma once
// What explanations need beside the scores and the novelty of causes: whether a channel is odd by itself.

#include "score/explain/channel_ranges.h"

namespace cmr::score {

struct Explainer {
    ChannelRanges ranges;           // of the effects
    ChannelRanges cause_ranges;     // of the causes
    ChannelRanges residual_ranges;  // of what the lagged mechanism leaves of the effects
};

}  // namespace cmr::score
