#pragma once

#include <Eigen/Core>

namespace cmr::linear {

// As a file keeps the numbers: what was fitted just now and what was loaded give the same bits.
template <typename M>
M to_float_precision(const M& values) {
    return values.template cast<float>().template cast<double>();
}

// The same where two bytes are enough: of what is fitted afterwards, such as weights of rounded directions.
template <typename M>
M to_half_precision(const M& values) {
    return values.template cast<float>().template cast<Eigen::half>().template cast<double>();
}

}  // namespace cmr::linear
