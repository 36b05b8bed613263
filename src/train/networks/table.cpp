#include "base/error.h"
#include "model/methods/rival.h"
#include "train/networks/cmr_network.h"
#include "train/networks/networks.h"

namespace cmr::model {
namespace {

struct Trained {
    std::string_view name;
    std::unique_ptr<Network> (*make)(const Model& model);
};

constexpr Trained kRivals[] = {
    {"ae", train_ae},
    {"vae", train_vae},
    {"usad", train_usad},
    {"svdd", train_svdd},
    {"anomaly-transformer", train_anomaly_transformer},
};

}  // namespace

std::unique_ptr<Network> make_network(const Model& model) {
    for (const Trained& rival : kRivals)
        if (rival.name == model.config.method) return rival.make(model);
    CMR_ASSERT(!find_rival(model.config.method), "every rival can be trained");
    return std::make_unique<CmrNetwork>(model);
}

}  // namespace cmr::model
