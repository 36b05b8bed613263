#include "kernels/precision.h"

#include <atomic>
#include <cstdlib>

#include "base/error.h"
#include "kernels/amx.h"
#include "kernels/isa.h"

namespace cmr::kernels {

// The table that the products are put into has the flags that they are compiled with.
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
namespace amx_bf16x3 {
void put_products(Kernels& table);
}
namespace amx_bf16 {
void put_products(Kernels& table);
}
namespace twin_bf16x3 {
void put_products(Kernels& table);
}
namespace twin_bf16 {
void put_products(Kernels& table);
}
#else
namespace portable {
extern const Kernels table;
}
namespace twin_bf16x3 {
void put_products(Kernels& table);
}
namespace twin_bf16 {
void put_products(Kernels& table);
}
#endif

namespace {

using Put = void (*)(Kernels&);

Kernels with_products(const Kernels& base, Put put) {
    Kernels table = base;
    put(table);
    return table;
}

struct Row {
    Precision precision;
    const char* name;
};
constexpr Row kRows[] = {{Precision::float32, "float32"}, {Precision::bf16x3, "bf16x3"}, {Precision::bf16, "bf16"}};

std::atomic<int> twin{-1};  // not yet known

std::string missing_for_twin() {
#if defined(__x86_64__)
    for (const Isa isa : available_isas())
        if (isa == Isa::avx2) return {};
    return "the twins want a processor with AVX2";
#else
    return {};
#endif
}

std::string missing_for_amx() {
    static const std::string tiles = missing_for_tiles(tile_facts());
    if (!tiles.empty()) return tiles;
    if (current_isa() != Isa::avx512)
        return fmt::format("AMX comes with avx512, and the kernels are {}", name(current_isa()));
    return {};
}

}  // namespace

const char* name(Precision precision) {
    for (const Row& row : kRows)
        if (row.precision == precision) return row.name;
    return "";
}

Precision precision_named(std::string_view name, std::string_view what) {
    for (const Row& row : kRows)
        if (name == row.name) return row.precision;
    throw InputError("{} = \"{}\" must be float32, bf16x3 or bf16", what, name);
}

Precision chosen_precision(Precision wanted) {
    const char* text = std::getenv("CMR_PRECISION");
    return text && *text ? precision_named(text, "CMR_PRECISION") : wanted;
}

bool twin_in_use() {
    int known = twin.load();
    if (known < 0) {
        const char* isa = std::getenv("CMR_ISA");
        twin = known = isa && std::string_view(isa) == "twin" ? 1 : 0;
    }
    return known == 1;
}

void use_twin(bool wanted) { twin = wanted ? 1 : 0; }

std::string missing(Precision precision) {
    if (precision == Precision::float32) return {};
    return twin_in_use() ? missing_for_twin() : missing_for_amx();
}

std::vector<Precision> available_precisions() {
    std::vector<Precision> out;
    for (const Row& row : kRows)
        if (missing(row.precision).empty()) out.push_back(row.precision);
    return out;
}

const Kernels& kernels(Precision precision) {
    if (precision == Precision::float32) return kernels();
    if (const std::string lack = missing(precision); !lack.empty())
        throw InputError(
            "precision {}: {}; CMR_PRECISION=float32 does without it, CMR_ISA=twin computes the same slowly",
            name(precision), lack);
#if defined(__x86_64__)
    if (!twin_in_use()) {
        static const bool permitted = (permit_tiles(), true);
        (void)permitted;
        static const Kernels three = with_products(avx512::table, amx_bf16x3::put_products);
        static const Kernels one = with_products(avx512::table, amx_bf16::put_products);
        return precision == Precision::bf16x3 ? three : one;
    }
    const Kernels& base = avx2::table;
#else
    const Kernels& base = portable::table;
#endif
    static const Kernels three = with_products(base, twin_bf16x3::put_products);
    static const Kernels one = with_products(base, twin_bf16::put_products);
    return precision == Precision::bf16x3 ? three : one;
}

}  // namespace cmr::kernels
