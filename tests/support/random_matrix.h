#pragma once
// Matrices of normal draws.

#include "base/matrix.h"
#include "base/rng.h"

namespace cmr::test {

inline Matrix random_matrix(int64_t rows, int64_t columns, uint64_t seed, double offset = 0.0) {
    Matrix out(rows, columns);
    Rng rng(seed);
    for (float& value : out.values) value = static_cast<float>(offset + rng.normal());
    return out;
}

}  // namespace cmr::test
