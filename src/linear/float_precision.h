#pragma once

namespace cmr::linear {

// As a file keeps the numbers: what was fitted just now and what was loaded give the same bits.
template <typename M>
M to_float_precision(const M& values) {
    return values.template cast<float>().template cast<double>();
}

}  // namespace cmr::linear
