#pragma once
// Faults that spread: debris in one stage of the plant, which the water carries on into the next.

#include "simulate/water.h"

namespace cmr::simulate {

// The plant with so many of them, one after the other; afterwards it is flushed. They begin in the inlet, the transfer
// and the filtration in turn.
WaterAttackRun spreading_faults(int64_t rows, int64_t faults, Rng rng, int64_t rig);

}  // namespace cmr::simulate
