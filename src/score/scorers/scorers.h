#pragma once
// The scorers, each in a file of its own.

#include "score/scorers/scorer.h"

namespace cmr::score {

#define CMR_SCORER(name)                                        \
    std::unique_ptr<Scorer> fit_##name(const Healthy& healthy); \
    std::unique_ptr<Scorer> load_##name(const Archive& from, const Setting& setting)

CMR_SCORER(native);
CMR_SCORER(knn);
CMR_SCORER(residual);
CMR_SCORER(standard_residual);
CMR_SCORER(residual_manifold);
CMR_SCORER(readout);
CMR_SCORER(marginal);
CMR_SCORER(lagged);
CMR_SCORER(window);
CMR_SCORER(mechanism);
CMR_SCORER(pca);
CMR_SCORER(raw_knn);
CMR_SCORER(pca_t2);
CMR_SCORER(dynamic);
CMR_SCORER(drift);
CMR_SCORER(dynamic_pca);
CMR_SCORER(canonical);
CMR_SCORER(isolation_forest);
CMR_SCORER(random);

#undef CMR_SCORER

// See ScorerKind::bank_rows.
int64_t bank_rows_of_knn(const Setting& setting, int64_t windows);
int64_t bank_rows_of_residual_manifold(const Setting& setting, int64_t windows);
int64_t bank_rows_of_raw_knn(const Setting& setting, int64_t windows);

}  // namespace cmr::score
