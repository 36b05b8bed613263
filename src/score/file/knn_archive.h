#pragma once
// A bank in a model file.

#include "score/file/archive.h"
#include "score/scorers/knn_bank.h"

namespace cmr::score {

inline KnnBank bank_of(const Archive& from, Metric metric, int64_t columns) {
    const Matrix vectors = from.matrix("bank");
    from.require(vectors.rows > 0 && vectors.columns == columns, "its bank does not fit the windows");
    return {vectors, metric};
}

}  // namespace cmr::score
