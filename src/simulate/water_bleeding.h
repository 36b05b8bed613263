#pragma once
// Additive faults on a record of healthy operation.

#include "simulate/water.h"

namespace cmr::simulate {

// Adds a disturbance from elsewhere to one sensor of `record` at a time, in one stretch per slot of the schedule.
std::vector<WaterAttack> bleeding_attacks(WaterRecord& record, int64_t attacks, Rng rng);

}  // namespace cmr::simulate
