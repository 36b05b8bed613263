#pragma once
// Whose trouble it is, of the evidence alone: the machine's, a sensor's, or of causes that nobody has seen before.

#include "score/explain/explain.h"

namespace cmr::score {

inline constexpr double kOddByItself = 3.5;  // healthy deviations
// Of what is unexplained of an effect: makes a cause one to name. An effect that answers something else instead leaves
// half of it to the cause.
inline constexpr double kClearShare = 0.4;

// Puts the effects in order, the worst first, and the sensor to look at first; then says what they come to. `coupled`:
// share of an effect that causes must foretell to count as its causes.
void reach_verdict(Explanation& e, const ScoredWindow& window, double coupled);

}  // namespace cmr::score
