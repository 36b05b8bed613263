#include <algorithm>

#include "model/methods/rivals.h"

namespace cmr::model {
namespace {

constexpr RivalKind kKinds[] = {
    {"ae", "convolutional autoencoder", 1e-3, true, ae_parameters, ae_features, load_ae, ae_floats},
    {"vae", "variational autoencoder", 1e-3, true, vae_parameters, vae_features, load_vae, vae_floats},
    {"usad", "USAD: adversarially trained autoencoders", 1e-3, true, usad_parameters, usad_features, load_usad,
     usad_floats},
    {"svdd", "Deep SVDD: distance to a centre", 1e-4, false, svdd_parameters, svdd_features, load_svdd, svdd_floats},
    {"anomaly-transformer", "Anomaly Transformer: association discrepancy", 1e-4, true, anomaly_transformer_parameters,
     anomaly_transformer_features, load_anomaly_transformer, anomaly_transformer_floats},
};

}  // namespace

std::span<const RivalKind> rival_kinds() { return kKinds; }

const RivalKind* find_rival(const std::string& method) {
    const auto found = std::ranges::find(kKinds, method, &RivalKind::name);
    return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace cmr::model
