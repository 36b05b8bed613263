// The training face of the table in model/methods: a row per method.

#include <algorithm>

#include "base/error.h"
#include "train/networks/networks.h"

namespace cmr::train {
namespace {

struct Row {
    std::string_view method;
    std::unique_ptr<Network> (*make)(const Model& model);
};

constexpr Row kRows[] = {
    {"cmr", train_cmr},
    {"untrained", train_cmr},
    {"ae", train_ae},
    {"vae", train_vae},
    {"usad", train_usad},
    {"svdd", train_svdd},
    {"anomaly-transformer", train_anomaly_transformer},
};

}  // namespace

std::unique_ptr<Network> make_network(const Model& model) {
    const auto row = std::ranges::find(kRows, model.config.method, &Row::method);
    CMR_ASSERT(row != std::end(kRows), "every method has a network in training");
    return row->make(model);
}

}  // namespace cmr::train
