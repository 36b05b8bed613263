#pragma once
// A machine small enough that an epoch takes milliseconds: two causes, one effect that follows them linearly and one
// that follows their product.

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "data/synthetic.h"
#include "model/preprocessing.h"
#include "train/fit.h"

namespace cmr::train {

inline recipe::Recipe tiny_recipe() {
    recipe::Recipe out = test::make_recipe(/*length=*/32, /*stride=*/32);
    out.name = "tiny";
    out.model.width = 16;
    out.model.layers = 1;
    out.model.state = 4;
    out.model.rank = 2;
    out.train.batch = 8;
    out.train.max_epochs = 6;
    out.train.warmup_epochs = 1;
    out.train.learning_rate = 5e-3;
    return out;
}

inline data::Dataset tiny_dataset(data::Storage storage = data::Storage::kMemory) {
    constexpr int64_t kSamples = 2048;
    data::Dataset out = test::make_dataset({false, false, true, true});
    for (data::Channel& channel : out.channels) channel.group = channel.effect ? "answer" : "drive";
    data::Recording& recording = test::add_recording(out, kSamples, /*seed=*/1);
    recording.channels.assign(4, data::Samples());
    for (data::Samples& samples : recording.channels) samples = data::Samples(storage);
    Rng rng(2);
    double first = 0;
    for (int64_t i = 0; i < kSamples; ++i) {
        first = 0.9 * first + 0.4 * rng.normal();
        const double second = std::sin(0.2 * static_cast<double>(i)) + 0.1 * rng.normal();
        recording.channels[0].push_back(static_cast<float>(first));
        recording.channels[1].push_back(static_cast<float>(second));
        recording.channels[2].push_back(static_cast<float>(0.8 * first + 0.4 * second + 0.1 * rng.normal()));
        recording.channels[3].push_back(static_cast<float>(first * second + 0.1 * rng.normal()));
    }
    for (data::Samples& samples : recording.channels) samples.seal();
    return out;
}

struct TinyRun {
    explicit TinyRun(const recipe::Recipe& chosen = tiny_recipe(), data::Storage storage = data::Storage::kMemory)
        : recipe(chosen), dataset(tiny_dataset(storage)) {}

    Fitted fit(const FitOptions& options = {}) const {
        return train::fit(dataset, recipe, fold, preprocessing, options);
    }

    // One sample of an effect of each of these windows becomes NaN; after heal() all are what they were.
    void poison(std::span<const data::Window> windows) {
        for (const data::Window& window : windows) {
            float& sample = dataset.recordings[window.recording].channels[2].values()[window.begin];
            healthy_.emplace_back(&sample, sample);
            sample = std::nanf("");
        }
    }
    void heal() {
        for (const auto& [sample, value] : healthy_) *sample = value;
        healthy_.clear();
    }

    recipe::Recipe recipe;
    data::Dataset dataset;
    data::Fold fold = data::make_folds(dataset, recipe).front();
    model::Preprocessing preprocessing = model::prepare(dataset, recipe, fold);

  private:
    std::vector<std::pair<float*, float>> healthy_;
};

inline bool same_bits(const model::Model& a, const model::Model& b) {
    if (a.tensors.size() != b.tensors.size()) return false;
    for (size_t i = 0; i < a.tensors.size(); ++i)
        if (a.tensors[i].name != b.tensors[i].name || a.tensors[i].values != b.tensors[i].values) return false;
    return true;
}

inline bool is_finite(const model::Model& model) {
    for (const io::NamedTensor& tensor : model.tensors)
        for (const float value : tensor.values)
            if (!std::isfinite(value)) return false;
    return true;
}

}  // namespace cmr::train
