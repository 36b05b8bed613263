#include "score/explain/mechanism.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace cmr::score {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Both give z-scored samples of an effect, for begin … end-1.

std::vector<float> by_whole_windows(const Pipeline& pipeline, const data::Dataset& dataset,
                                    const data::SampleRange& samples, int64_t effect) {
    const int64_t length = pipeline.features().length();
    std::vector<data::Window> windows;
    for (int64_t at = samples.begin; at < samples.end; at += length)
        windows.push_back({.recording = samples.recording, .begin = std::min(at, samples.end - length)});
    const Features features = pipeline.features()(dataset, windows);
    const Matrix unexplained = pipeline.unexplained(features);
    if (unexplained.columns == 0) return {};
    std::vector<float> out(samples.end - samples.begin);
    for (size_t i = 0; i < windows.size(); ++i)
        for (int64_t t = 0; t < length; ++t) {
            const auto row = static_cast<int64_t>(i);
            out[windows[i].begin - samples.begin + t] =
                features.effects.row(row)[effect * length + t] - unexplained.row(row)[effect * length + t];
        }
    return out;
}

std::vector<float> by_lagged_causes(const Pipeline& pipeline, const data::Dataset& dataset,
                                    const data::SampleRange& samples, int64_t effect) {
    const data::Window all{.recording = samples.recording, .begin = samples.begin};
    const int64_t length = samples.end - samples.begin;
    const linear::LaggedRidge& mechanism = pipeline.mechanism();
    const Matrix causes = pipeline.preprocessing().cause_windows(dataset, {all}, length);
    const Matrix effects = pipeline.preprocessing().effect_windows(dataset, {all}, length);
    const Matrix residuals = mechanism.residuals(causes, effects);
    const int64_t known = length - mechanism.lags();  // the first few lack causes before them
    std::vector<float> out(length, kUnknown);
    for (int64_t t = 0; t < known; ++t)
        out[length - known + t] =
            static_cast<float>(effects.row(0)[effect * length + length - known + t] -
                               residuals.row(0)[effect * known + t] * mechanism.ridge().deviation(effect));
    return out;
}

}  // namespace

std::vector<float> expected_effect(const Pipeline& pipeline, const data::Dataset& dataset,
                                   const data::SampleRange& samples, int64_t effect) {
    CMR_ASSERT(samples.end - samples.begin >= pipeline.features().length(), "at least a window");
    std::vector<float> out = by_whole_windows(pipeline, dataset, samples, effect);
    if (out.empty()) out = by_lagged_causes(pipeline, dataset, samples, effect);
    const data::Scaler& scaler = pipeline.preprocessing().scaler;
    const int64_t channel = pipeline.preprocessing().effects[effect];
    for (float& value : out)
        value = static_cast<float>(scaler.mean[channel] + scaler.deviation[channel] * static_cast<double>(value));
    return out;
}

}  // namespace cmr::score
