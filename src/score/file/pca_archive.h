#pragma once
// Principal components in a model file.

#include "linear/pca.h"
#include "score/file/archive.h"

namespace cmr::score {

inline void put_pca(Archive& to, const std::string& prefix, const linear::Pca& pca) {
    to.put(prefix + "mean", pca.mean);
    to.put(prefix + "basis", pca.basis);
    to.put(prefix + "variances", pca.variances);
}

inline linear::Pca pca_of(const Archive& from, const std::string& prefix, int64_t features) {
    linear::Pca out{from.vector(prefix + "mean"), from.doubles(prefix + "basis"), from.vector(prefix + "variances")};
    from.require(out.mean.size() == features && out.basis.rows() == features && out.basis.cols() > 0 &&
                     out.variances.size() == out.basis.cols(),
                 "the parts of a PCA do not fit together");
    return out;
}

}  // namespace cmr::score
