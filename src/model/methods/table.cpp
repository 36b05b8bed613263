#include <algorithm>

#include "base/suggest.h"
#include "model/methods/rows.h"

namespace cmr::model {

std::span<const Method> methods() {
    static const std::vector<Method> kMethods = {
        cmr_method(),  untrained_method(),          ae_method(), vae_method(), usad_method(),
        svdd_method(), anomaly_transformer_method()};
    return kMethods;
}

const Method& method_named(const std::string& name) { return row_named(methods(), "method", name); }

std::unique_ptr<ScoringNetwork> load_network(const Model& model, const OptionalStreams& streams) {
    return method_named(model.config.method).load(model, streams);
}

int64_t windows_at_once(const Config& config, int64_t length) {
    constexpr int64_t kFloats = int64_t{128} << 20;  // training keeps about ten times as much of a window as scoring
    return std::clamp<int64_t>(kFloats / method_named(config.method).floats_per_window(config, length), 1, 256);
}

}  // namespace cmr::model
