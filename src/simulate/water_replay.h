#pragma once
// Mechanism-only attacks on a record of healthy operation.

#include "simulate/water.h"

namespace cmr::simulate {

// Exchanges sensors of `record` for those of `donor`, another healthy record, in one stretch per slot of the schedule.
std::vector<WaterAttack> replay_attacks(WaterRecord& record, const WaterRecord& donor, int64_t attacks, Rng rng);

}  // namespace cmr::simulate
