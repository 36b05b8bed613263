#pragma once
// A ridge regression in a model file.

#include "base/error.h"
#include "linear/ridge.h"
#include "score/archive.h"

namespace cmr::score {

inline void put_ridge(Archive& to, const linear::Ridge& ridge) {
    to.put("input_mean", ridge.input_mean);
    to.put("output_mean", ridge.output_mean);
    to.put("weights", ridge.weights);
    to.put("deviation", ridge.deviation);
    to.put("penalty", ridge.penalty);
}

inline linear::Ridge ridge_of(const Archive& from) {
    linear::Ridge out{from.vector("input_mean"), from.vector("output_mean"), from.doubles("weights"),
                      from.vector("deviation"), from.number("penalty")};
    if (out.weights.rows() != out.input_mean.size() || out.weights.cols() != out.output_mean.size() ||
        out.deviation.size() != out.output_mean.size() || !(out.deviation.array() > 0).all())
        throw InputError("{}: the parts of a linear mechanism do not fit together", from.source());
    return out;
}

}  // namespace cmr::score
