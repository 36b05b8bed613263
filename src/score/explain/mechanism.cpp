#include "score/explain/mechanism.h"

#include <limits>

namespace cmr::score {

std::vector<float> expected_effect(const Pipeline& pipeline, const data::Dataset& dataset, int32_t recording,
                                   int64_t begin, int64_t end, int64_t effect) {
    const data::Window all{.recording = recording, .begin = begin};
    const int64_t length = end - begin;
    const model::Preprocessing& preprocessing = pipeline.preprocessing();
    const linear::LaggedRidge& mechanism = pipeline.mechanism();
    const Matrix residuals = mechanism.residuals(preprocessing.cause_windows(dataset, {all}, length),
                                                 preprocessing.effect_windows(dataset, {all}, length));
    const int64_t channel = preprocessing.effects[effect], known = length - mechanism.lags();
    const auto samples = dataset.recordings[recording].channels[channel].values();
    const double unit = mechanism.ridge().deviation(effect) * preprocessing.scaler.deviation[channel];
    std::vector<float> out(length, std::numeric_limits<float>::quiet_NaN());
    for (int64_t t = 0; t < known; ++t)
        out[length - known + t] =
            static_cast<float>(samples[end - known + t] - residuals.row(0)[effect * known + t] * unit);
    return out;
}

}  // namespace cmr::score
