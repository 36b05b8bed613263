#pragma once
// The rivals, each in a file of its own.

#include "model/methods/rival.h"

namespace cmr::model {

#define CMR_RIVAL(name)                                         \
    void name##_parameters(Specs& specs, const Config& config); \
    int64_t name##_features(const Config& config);              \
    std::unique_ptr<Rival> load_##name(const Model& model);     \
    int64_t name##_floats(const Config& config, int64_t length)

CMR_RIVAL(ae);
CMR_RIVAL(vae);
CMR_RIVAL(usad);
CMR_RIVAL(svdd);
CMR_RIVAL(anomaly_transformer);

#undef CMR_RIVAL

}  // namespace cmr::model
