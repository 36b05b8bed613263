#pragma once
// Which instruction set the kernels run on. The best one this CPU has is chosen at first use;
// CMR_ISA=portable|avx2|avx512 forces one. (CMR_ISA=twin forces none: see precision.h.)

#include <string>
#include <vector>

namespace cmr::kernels {

enum class Isa { portable, avx2, avx512 };

const char* name(Isa isa);

// The sets compiled in that this CPU can run, slowest first; `portable` is always there.
std::vector<Isa> available_isas();

// Throws InputError when CMR_ISA names an unknown set or one that this CPU lacks.
Isa current_isa();

// For tests and benches. Packed weights belong to the set they were packed for: repack after a change.
void use_isa(Isa isa);

}  // namespace cmr::kernels
