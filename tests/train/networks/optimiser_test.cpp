#include "train/networks/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "train/networks/network_case.h"

namespace cmr::train {
namespace {

using torch::Tensor;

Parameter parameter(const char* name, std::vector<float> values) {
    return {name, torch::tensor(values).requires_grad_(true)};
}

void set_gradient(const Parameter& p, std::vector<float> values) { p.value.mutable_grad() = torch::tensor(values); }

TEST(Optimiser, ClipsTheNormOfAllGradientsTogether) {
    const std::vector<Parameter> parameters{parameter("a", {1.0f, -2.0f}), parameter("b", {0.5f})};
    const OptimiserSettings settings{.rate = 0.01, .weight_decay = 0.1, .largest_norm = 1.0};
    Optimiser optimiser(parameters, settings);
    // The first is clipped to a hundredth, the second is left alone, the third is clipped to a fifth.
    const double steps[3][3] = {{60.0, 0.0, 80.0}, {0.3, -0.2, 0.1}, {3.0, 4.0, 0.0}};
    const double norms[3] = {100.0, std::sqrt(0.14), 5.0};
    double w[3] = {1.0, -2.0, 0.5}, m[3] = {}, v[3] = {};
    for (int step = 0; step < 3; ++step) {
        const double* gradient = steps[step];
        set_gradient(parameters[0], {static_cast<float>(gradient[0]), static_cast<float>(gradient[1])});
        set_gradient(parameters[1], {static_cast<float>(gradient[2])});
        EXPECT_NEAR(optimiser.step(), norms[step], 1e-5) << "tells the norm before clipping";
        for (int i = 0; i < 3; ++i) {
            const double g = gradient[i] / std::max(1.0, norms[step]);
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            w[i] -= 0.01 * (0.1 * w[i] + m[i] / (1 - std::pow(0.9, step + 1)) /
                                             (std::sqrt(v[i] / (1 - std::pow(0.999, step + 1))) + 1e-8));
        }
        EXPECT_NEAR(values_of(parameters[0].value)[0], w[0], 1e-6) << "step " << step;
        EXPECT_NEAR(values_of(parameters[0].value)[1], w[1], 1e-6) << "step " << step;
        EXPECT_NEAR(values_of(parameters[1].value)[0], w[2], 1e-6) << "step " << step;
    }
    EXPECT_EQ(optimiser.state().steps, 3);
}

TEST(Optimiser, DoesNotClipWithoutALargestNorm) {
    const std::vector<Parameter> free{parameter("a", {1.0f})}, scaled{parameter("a", {1.0f})};
    Optimiser unclipped(free, {.rate = 0.1, .largest_norm = 0.0}), large(scaled, {.rate = 0.1, .largest_norm = 1e9});
    for (const float gradient : {100.0f, 1.0f}) {
        set_gradient(free[0], {gradient});
        set_gradient(scaled[0], {gradient});
        unclipped.step();
        large.step();
    }
    EXPECT_EQ(values_of(free[0].value), values_of(scaled[0].value));
}

TEST(Optimiser, ClearsTheGradients) {
    const std::vector<Parameter> parameters{parameter("a", {1.0f})};
    Optimiser optimiser(parameters, {});
    set_gradient(parameters[0], {1.0f});
    optimiser.step();
    EXPECT_FALSE(parameters[0].value.grad().defined());
}

TEST(Optimiser, LeavesParametersWithoutGradientAlone) {
    const std::vector<Parameter> parameters{parameter("a", {1.0f}), parameter("b", {1.0f})};
    Optimiser optimiser(parameters, {.rate = 0.1, .weight_decay = 0.5});
    set_gradient(parameters[0], {1.0f});
    optimiser.step();
    EXPECT_NE(values_of(parameters[0].value)[0], 1.0f);
    EXPECT_EQ(values_of(parameters[1].value)[0], 1.0f);
    EXPECT_EQ(optimiser.step(), 0.0) << "no gradients at all";
}

TEST(Optimiser, ObeysANewRate) {
    const std::vector<Parameter> parameters{parameter("a", {1.0f})};
    Optimiser optimiser(parameters, {.rate = 0.1, .weight_decay = 0.0});
    optimiser.set_rate(0.0);
    set_gradient(parameters[0], {1.0f});
    optimiser.step();
    EXPECT_EQ(values_of(parameters[0].value)[0], 1.0f);
}

TEST(Optimiser, ChangesNothingWhereAGradientIsNotFinite) {
    for (const float broken : {NAN, INFINITY, -INFINITY}) {
        const std::vector<Parameter> hurt{parameter("a", {1.0f, 2.0f}), parameter("b", {3.0f})};
        const std::vector<Parameter> spared{parameter("a", {1.0f, 2.0f}), parameter("b", {3.0f})};
        Optimiser first(hurt, {}), second(spared, {});
        set_gradient(hurt[0], {1.0f, 2.0f});
        set_gradient(hurt[1], {broken});
        EXPECT_FALSE(std::isfinite(first.step()));
        EXPECT_EQ(first.state().steps, 0);
        EXPECT_EQ(values_of(hurt[0].value), (std::vector<float>{1.0f, 2.0f}));
        EXPECT_EQ(values_of(hurt[1].value), (std::vector<float>{3.0f}));
        EXPECT_FALSE(hurt[0].value.grad().defined());
        for (const auto* parameters : {&hurt, &spared}) {  // the step after it is as if it had not been
            set_gradient((*parameters)[0], {0.1f, 0.2f});
            set_gradient((*parameters)[1], {0.3f});
        }
        first.step();
        second.step();
        EXPECT_EQ(values_of(hurt[0].value), values_of(spared[0].value));
        EXPECT_EQ(values_of(hurt[1].value), values_of(spared[1].value));
    }
}

// --- Training as a whole --------------------------------------------------------------------------------------------

struct Trained {
    Model model;
    std::vector<double> losses;
};

Trained train(Config config, int steps, uint64_t seed) {
    config.dropout = 0.1;
    CmrNetwork network(new_model(config, seed));
    Optimiser optimiser(network.parameters(), {.rate = 2e-3});
    Trained trained;
    for (int step = 0; step < steps; ++step) {
        const Tensor windows = machine_windows(config, 4, 100, seed + static_cast<uint64_t>(step));
        trained.losses.push_back(network.train_step(windows, {Rng(seed).split(static_cast<uint64_t>(step))}).total);
        optimiser.step();
    }
    trained.model = network.snapshot();
    return trained;
}

TEST(Training, GivesTheSameBitsForTheSameSeedAndAnyThreads) {
    const int before = thread_count();
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        set_thread_count(1);
        const Trained alone = train(config, 3, 1), again = train(config, 3, 1), other = train(config, 3, 2);
        EXPECT_EQ(alone.losses, again.losses);
        expect_same_bits(again.model, alone.model, "the same seed");
        EXPECT_NE(alone.losses, other.losses);
        for (const int threads : {2, 3}) {
            set_thread_count(threads);
            const Trained shared = train(config, 3, 1);
            EXPECT_EQ(shared.losses, alone.losses);
            expect_same_bits(shared.model, alone.model, std::to_string(threads) + " threads");
        }
    }
    set_thread_count(before);
}

TEST(Training, LowersTheLoss) {
    const Trained trained = train(tiny_config(), 30, 1);
    const auto mean = [&](int first) {
        return (trained.losses[first] + trained.losses[first + 1] + trained.losses[first + 2]) / 3.0;
    };
    EXPECT_LT(mean(27), 0.6 * mean(0)) << "from " << mean(0);
}

TEST(Training, ChangesEveryParameter) {
    Config config = tiny_config();
    CmrNetwork network(new_model(config));
    const Model before = network.snapshot();
    Optimiser optimiser(network.parameters(), {.rate = 1e-2});
    network.train_step(machine_windows(config, 2, 60), {Rng(1)});
    EXPECT_GT(optimiser.step(), 0.0);
    const Model after = network.snapshot();
    for (size_t i = 0; i < before.tensors.size(); ++i)
        EXPECT_NE(after.tensors[i].values, before.tensors[i].values) << before.tensors[i].name;
}

}  // namespace
}  // namespace cmr::train
