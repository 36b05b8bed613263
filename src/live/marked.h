#pragma once
// Alarms that somebody marked as false: what a model may learn as healthy (score/update.h).

#include <vector>

#include "live/ledger.h"

namespace cmr::live {

struct Marked {
    std::string asset;
    double raised_s = 0;  // by the data
    double end_s = 0;  // when it was over; when it was marked, where it was not yet: nobody has spoken of what followed
    std::string who, why;
};

// In order of time; an alarm that was unmarked again is not among them.
std::vector<Marked> marked(Ledger& ledger, const std::string& asset);

}  // namespace cmr::live
