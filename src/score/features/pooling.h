#pragma once
// The tokens of one channel → one vector. A new pooling is one function and one line of the table in pooling.cpp.
//
// Poolings that need more than tokens are made of these:
//   mean-pca       mean, then Pca (pca.h) fitted on healthy training windows
//   effect+cause   concat_columns(std of the effect's tokens, std of the cause's tokens)
//   cause-encoder  the effect's samples through the cause's model::Encoder, then mean

#include <string_view>

#include "base/matrix.h"

namespace cmr::score {

struct Pooling {
    std::string_view name;
    int64_t parts;  // the vector has parts · features numbers

    // tokens: [tokens, features]. Sums are in double.
    void (*pool)(const MatrixView& tokens, float* out);
};

std::span<const Pooling> poolings();
const Pooling& pooling_named(const std::string& name);  // InputError with the nearest name if there is none

// z: [windows, tokens, features], as Encoder::embed gives it → [windows, parts · features]
Matrix pool_windows(const Pooling& pooling, int64_t windows, int64_t tokens, int64_t features, const float* z);

}  // namespace cmr::score
