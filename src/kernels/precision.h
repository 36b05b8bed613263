#pragma once
// Precisions of the matrix products, and where they can be computed. float32 runs everywhere; bf16x3 and bf16 want a
// processor with AMX, or CMR_ISA=twin, which computes the same bits slowly on any. A process that asks for neither
// never touches AMX.

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernels.h"

namespace cmr::kernels {

const char* name(Precision precision);
// `what` names the setting in the InputError about a name that is none.
Precision precision_named(std::string_view name, std::string_view what);

// What CMR_PRECISION says, else `wanted`. Throws InputError when it names none.
Precision chosen_precision(Precision wanted);

// What this process lacks to compute a precision; empty where it lacks nothing.
std::string missing(Precision precision);
// Those that lack nothing, float32 first.
std::vector<Precision> available_precisions();

// Whether the slow twins compute bf16x3 and bf16. As CMR_ISA=twin says, until use_twin says otherwise: for tests, which
// look at these precisions on any processor, and at both ways in one process.
bool twin_in_use();
void use_twin(bool twin);

}  // namespace cmr::kernels
