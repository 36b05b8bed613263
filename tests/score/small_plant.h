#pragma once
// A plant small enough to fit everything on: two causes, three effects that follow them, and a network that never
// learned. Its names hold what a CSV must quote.

#include <functional>

#include "base/version.h"
#include "data/fingerprint.h"
#include "data/synthetic.h"
#include "model/tiny_model.h"
#include "score/fit_detector.h"

namespace cmr::test {

inline constexpr int64_t kPlantLength = 32, kPlantStride = 16;

inline recipe::Recipe small_recipe() {
    recipe::Recipe out = make_recipe(kPlantLength, kPlantStride);
    out.name = "small";
    out.data.rate_hz = 1;
    for (const char* role : {"fit", "test"}) {
        recipe::Part& part = out.data.part.emplace_back();
        part.name = part.role = role;
        part.files = std::string(role) + "*.csv";
        part.state = "healthy";
    }
    const auto channels = [&](const char* role, const char* group, const std::vector<std::string>& names) {
        recipe::Channels& entry = out.channels.emplace_back();
        entry.role = role;
        entry.group = group;
        entry.names = names;
    };
    channels("cause", "drive", {"speed", "load"});
    channels("effect", "pressure", {"inlet", "outlet"});
    channels("effect", "flow", {"flow, \"main\""});
    out.model.width = 16;
    out.model.layers = 1;
    out.model.state = 4;
    out.model.rank = 2;
    out.score.k = 3;
    out.score.lags = 2;
    out.score.blocks = 4;
    out.score.components = 5;
    return out;
}

// Causes wander; effects follow them with a lag, and some noise.
inline data::Recording& add_plant_recording(data::Dataset& dataset, int64_t length, uint64_t seed, int32_t part = 0) {
    data::Recording& out = add_recording(dataset, length, seed, part);
    Rng rng = Rng(seed).split("plant");
    std::array<std::span<float>, 5> c;
    for (size_t i = 0; i < c.size(); ++i) c[i] = out.channels[i].values();
    for (int64_t t = 0; t < length; ++t) {
        const auto noise = [&] { return static_cast<float>(0.1 * rng.normal()); };
        for (size_t i = 0; i < 2; ++i) c[i][t] = t == 0 ? c[i][t] : 0.9f * c[i][t - 1] + 0.45f * c[i][t];
        const int64_t before = std::max<int64_t>(t - 1, 0);
        c[2][t] = 10 + 2 * c[0][t] + c[1][before] + noise();
        c[3][t] = 0.5f * c[1][t] - c[0][before] + noise();
        c[4][t] = c[0][t] * std::abs(c[0][t]) + c[1][t] + noise();
    }
    return out;
}

// 1,600 healthy samples to fit, and 480 to test of which the last 160 are faulty: the inlet no longer follows.
inline data::Dataset small_dataset() {
    data::Dataset out = make_dataset({false, false, true, true, true});
    const std::vector<std::string> names = {"speed", "load", "inlet", "outlet", "flow, \"main\""};
    const std::vector<std::string> groups = {"drive", "drive", "pressure", "pressure", "flow"};
    for (size_t i = 0; i < names.size(); ++i) out.channels[i] = {names[i], i >= 2, groups[i]};
    out.events = {{.name = "clogged, \"badly\"", .target = "inlet", .start_s = 320, .end_s = 480}};
    add_plant_recording(out, 1600, 1);
    data::Recording& test = add_plant_recording(out, 480, 2, 1);
    test.name = "test, \"new\".csv";
    mark(test, 320, 480, data::State::kFaulty, 1, 0);
    for (float& value : test.channels[2].values().subspan(320)) value = 20 - value;
    return out;
}

struct SmallPlant {
    recipe::Recipe recipe;
    data::Dataset dataset;
    data::Fold fold;
    model::Preprocessing preprocessing;
    model::Model network;
    std::unique_ptr<score::Embedder> embedder;

    explicit SmallPlant(const std::function<void(recipe::Recipe&)>& change = [](recipe::Recipe&) {})
        : recipe(changed(change)),
          dataset(small_dataset()),
          fold(data::make_folds(dataset, recipe).front()),
          preprocessing(model::prepare(dataset, recipe, fold)),
          network(model::used_model(preprocessing.config)),
          embedder(embedder_of(network, {recipe.score.pooling})) {}
    SmallPlant(const SmallPlant&) = delete;
    SmallPlant& operator=(const SmallPlant&) = delete;

    std::unique_ptr<score::Embedder> embedder_of(const model::Model& model, std::vector<std::string> poolings) const {
        return std::make_unique<score::Embedder>(model, preprocessing.inputs,
                                                 score::EmbedOptions{.poolings = std::move(poolings)});
    }
    score::Features features(const std::vector<data::Window>& windows) const {
        return embedder->embed(preprocessing.cause_windows(dataset, windows, kPlantLength),
                               preprocessing.effect_windows(dataset, windows, kPlantLength));
    }
    score::Healthy healthy() const {
        return {dataset, recipe, preprocessing, {0, 1}, fold.train, features(fold.train)};
    }
    score::Setting setting() const { return {recipe, preprocessing}; }
    score::Provenance origin() const {
        return {recipe::to_toml(recipe), fold.name, 0, 7, data::fingerprint(dataset), std::string(version())};
    }
    score::Detector fit() const { return score::fit_detector(dataset, recipe, fold, preprocessing, network, origin()); }
    // Without the network.
    score::Detector fit_bare() const { return score::fit_detector(dataset, recipe, fold, preprocessing, {}, origin()); }

    std::vector<data::Window> tested(data::State state) const {
        std::vector<data::Window> out;
        for (const data::Window& w : fold.test)
            if (w.state == state) out.push_back(w);
        return out;
    }

  private:
    static recipe::Recipe changed(const std::function<void(recipe::Recipe&)>& change) {
        recipe::Recipe out = small_recipe();
        change(out);
        return out;
    }
};

}  // namespace cmr::test
