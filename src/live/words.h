#pragma once
// What an operator reads: short, and something to act on.

#include <string>

#include "live/ledger.h"
#include "score/explain/explain.h"

namespace cmr::live {

// "pump 3: alarm, level 1.8", "pump 3: alarm, level 1.8, outside the learned range", "pump 3: acknowledged by Ada"; for
// lists and messages.
std::string headline(const Entry& entry);

// What stands in the ledger of an explanation: verdict, sentence with what to look at first, evidence as JSON.
void put_words(const score::Explanation& explanation, Entry& entry);

// "Look first at …", by the kind of trouble, and never more than the explanation's own sentence says; nothing where
// that says it all, or has no place to name.
std::string look_first(const score::Explanation& explanation);

}  // namespace cmr::live
