#include "kernels/isa.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/error.h"
#include "kernels/kernels.h"

namespace cmr::kernels {

namespace portable {
extern const Kernels table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

struct Row {
    Isa isa;
    const char* name;
    const Kernels* table;
    bool (*runs_here)();
};

// Slowest first.
const Row kRowsByIsa[] = {
    {Isa::portable, "portable", &portable::table, [] { return true; }},
#if defined(__x86_64__)
    {Isa::avx2, "avx2", &avx2::table,
     [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? true : false; }},
    {Isa::avx512, "avx512", &avx512::table,
     [] {
         return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                    ? true
                    : false;
     }},
#endif
};

const Row& best_or_forced() {
    const Row* best = nullptr;
    const char* wanted = std::getenv("CMR_ISA");
    if (wanted && std::string(wanted) == "twin") wanted = nullptr;  // of the products alone: precision.h
    std::string names;
    for (const Row& row : kRowsByIsa) {
        names += names.empty() ? row.name : std::string(", ") + row.name;
        if (wanted && *wanted && std::string(wanted) != row.name) continue;
        if (row.runs_here())
            best = &row;
        else if (wanted && *wanted)
            throw InputError("CMR_ISA={}: this CPU does not have it", wanted);
    }
    if (!best) throw InputError("CMR_ISA={}: unknown instruction set, expected one of {}, twin", wanted, names);
    return *best;
}

std::atomic<const Row*> chosen{nullptr};

const Row& current_row() {
    const Row* row = chosen.load(std::memory_order_acquire);
    if (!row) chosen = row = &best_or_forced();
    return *row;
}

}  // namespace

const char* name(Isa isa) {
    switch (isa) {
        case Isa::avx2:
            return "avx2";
        case Isa::avx512:
            return "avx512";
        default:
            return "portable";
    }
}

std::vector<Isa> available_isas() {
    std::vector<Isa> isas;
    for (const Row& row : kRowsByIsa)
        if (row.runs_here()) isas.push_back(row.isa);
    return isas;
}

Isa current_isa() { return current_row().isa; }

void use_isa(Isa isa) {
    for (const Row& row : kRowsByIsa)
        if (row.isa == isa && row.runs_here()) {
            chosen = &row;
            return;
        }
    throw InputError("{}: this CPU does not have it", name(isa));
}

const Kernels& kernels() { return *current_row().table; }

}  // namespace cmr::kernels
