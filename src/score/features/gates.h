#pragma once
// How much of what the network foretells of each effect counts beside the linear mechanism:
//
//   r = (1 - g) · (y - linear(x)) + g · (y - network(x)),   0 ≤ g ≤ 1
//
// g is what leaves least of the healthy windows that neither has seen, and 0 unless it leaves a hundredth less of
// either half of them when it is taken from the other: so the mechanism of both is not worse than the linear one.

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace cmr::score {

struct Gate {
    double open = 0;  // g
    double left = 1;  // Σ r² over that of the linear mechanism alone
};

using Gates = std::vector<Gate>;  // per effect; none where there is no network

bool any_open(const Gates& gates);

// linear, network [windows, effects · length]: what each leaves of the effects of windows that it did not see. The
// first samples of a window have no foretelling where `from` is above 0; they are left out.
Gates fit_gates(const MatrixView& linear, const MatrixView& network, int64_t effects, int64_t from);

// r of one effect of a window, in place of what the linear mechanism leaves.
void blend(const Gate& gate, std::span<const float> network, int64_t from, std::span<float> linear);

}  // namespace cmr::score
