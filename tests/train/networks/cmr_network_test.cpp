#include "train/networks/cmr_network.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/parallel.h"
#include "train/networks/network_case.h"

namespace cmr::train {
namespace {

using torch::Tensor;

Config without_decoders(Config config) {
    config.effect_weight = config.cause_weight = 0.0;
    return config;
}

Config with_stop(Config config, bool stop) {
    config.stop_gradient = stop;
    return config;
}

// The paper's loss.
Config without_waveform(Config config) {
    config.waveform_weight = 0;
    return config;
}

// [batch * channels, tokens, width] → [batch, tokens, channels * width]
Tensor side_by_side(const Tensor& z, int64_t channels) {
    const int64_t batch = z.size(0) / channels;
    std::vector<Tensor> parts;
    for (int64_t c = 0; c < channels; ++c)
        parts.push_back(z.reshape({batch, channels, z.size(1), z.size(2)}).select(1, c));
    return torch::cat(parts, 2).contiguous();
}

struct Parts {
    Tensor mechanism, effect, cause, waveform;

    Tensor total(const Config& config) const {
        return 0.2 * mechanism + effect + config.cause_weight * cause + config.waveform_weight * waveform;
    }
};

// The losses in one graph, written from their definition on the network's building blocks.
Parts losses_in_one_graph(CmrNetwork& network, const Tensor& windows, bool training) {
    const Config& config = network.config();
    const int64_t length = windows.size(2);
    std::vector<Tensor> causes, effects;
    Parts parts{{}, torch::zeros({}), torch::zeros({}), torch::zeros({})};
    struct Decoded {
        std::string decoder;
        Tensor tokens, samples;
    };
    std::vector<Decoded> decoded;
    int64_t first = 0;
    for (const ChannelGroup& group : config.groups) {
        const Tensor samples = windows.slice(1, first, first + group.channels).reshape({-1, length}).contiguous();
        first += group.channels;
        const Tensor z = network.encode(group, samples, training);
        (group.effect ? effects : causes).push_back(side_by_side(z, group.channels));
        const auto square = [](const Tensor& a, const Tensor& b) { return (a - b).square().mean(); };
        if (group.effect && config.effect_weight > 0)
            for (int64_t c = 0; c < group.channels; ++c) {
                const auto of_channel = [&](const Tensor& t) {
                    return t.slice(0, c, t.size(0), group.channels).contiguous();
                };
                decoded.push_back({group.name + "." + std::to_string(c), of_channel(z), of_channel(samples)});
            }
        if (!group.effect && config.cause_weight > 0)
            parts.cause = parts.cause + square(network.decode(group.name, z, length, training), samples) *
                                            group.channels / config.cause_channels();
    }
    const Tensor predicted = network.predict(torch::cat(causes, 2).contiguous(), 0.0, Rng(1));
    const Tensor observed = torch::cat(effects, 2);
    parts.mechanism = (predicted - (config.stop_gradient ? observed.detach() : observed)).square().mean();
    int64_t at = 0;
    for (const Decoded& each : decoded) {
        const int64_t batch = each.tokens.size(0), from = at;
        at += config.width;
        Tensor tokens = each.tokens;
        if (config.waveform_weight > 0) tokens = torch::cat({tokens, predicted.slice(2, from, at)});
        const Tensor samples = network.decode(each.decoder, tokens.contiguous(), length, training);
        const auto error = [&](int64_t first_row) {
            return (samples.slice(0, first_row, first_row + batch) - each.samples).square().mean() /
                   config.effect_channels();
        };
        parts.effect = parts.effect + error(0);
        if (config.waveform_weight > 0) parts.waveform = parts.waveform + error(batch);
    }
    return parts;
}

// --- Loss -----------------------------------------------------------------------------------------------------------

TEST(Network, EvaluatesTheLossOfItsDefinition) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects(), without_waveform(tiny_config())}) {
        CmrNetwork network(used_model(config));
        const Tensor windows = random_windows(config, 3, 50);
        const Losses found = network.evaluate(windows);
        const torch::NoGradGuard no_gradients;
        const Parts wanted = losses_in_one_graph(network, windows, false);
        EXPECT_NEAR(found.mechanism, wanted.mechanism.item<double>(), 1e-5 * found.mechanism);
        EXPECT_NEAR(found.effect, wanted.effect.item<double>(), 1e-5 * found.effect);
        EXPECT_NEAR(found.cause, wanted.cause.item<double>(), 1e-5 * found.cause);
        EXPECT_NEAR(found.waveform, wanted.waveform.item<double>(), 1e-5 * found.waveform);
        EXPECT_NEAR(found.total,
                    0.2 * found.mechanism + found.effect + config.cause_weight * found.cause +
                        config.waveform_weight * found.waveform,
                    1e-12);
        EXPECT_GT(found.mechanism, 0.01);
        EXPECT_GT(found.effect, 0.01);
    }
}

// One window of three samples, two cause channels: few enough numbers to square by hand.
TEST(Network, AveragesSquaresOverWindowsChannelsAndSamples) {
    const Config config = tiny_config();
    CmrNetwork network(used_model(config));
    const Tensor windows = random_windows(config, 1, 3);
    const Losses found = network.evaluate(windows);
    const Tensor z = network.encode(config.groups[0], windows[0].slice(0, 0, 2).contiguous(), false);
    const std::vector<float> decoded = values_of(network.decode("current", z, 3, false)), samples = values_of(windows);
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += std::pow(double{decoded[i]} - samples[i], 2);
    EXPECT_NEAR(found.cause, sum / 6, 1e-6);
}

TEST(Network, EvaluatesWithoutLeavingATrace) {
    CmrNetwork network(used_model(tiny_config()));
    const Model before = network.snapshot();
    const Tensor windows = random_windows(tiny_config(), 2, 40);
    const Losses first = network.evaluate(windows), second = network.evaluate(windows);
    EXPECT_EQ(first.total, second.total);
    EXPECT_TRUE(gradients_of(network).empty());
    expect_same_bits(network.snapshot(), before, "evaluate");
}

TEST(Network, TellsTheMechanismLossEvenWhereItDoesNotCount) {
    Config config = tiny_config();
    config.mechanism_weight = 0.0;
    CmrNetwork network(used_model(config));
    const Losses losses = network.evaluate(random_windows(config, 2, 40));
    EXPECT_GT(losses.mechanism, 0.0);
    EXPECT_NEAR(losses.total, losses.effect + 0.75 * losses.cause + losses.waveform, 1e-12);
}

TEST(Network, RefusesWindowsOfOtherChannels) {
    CmrNetwork network(new_model(tiny_config()));
    EXPECT_THROW(network.evaluate(torch::zeros({1, 2, 40})), c10::Error);
    EXPECT_THROW(network.evaluate(torch::zeros({3, 40})), c10::Error);
}

// --- Gradients ------------------------------------------------------------------------------------------------------

TEST(Network, TrainsByTheGradientOfTheWholeLoss) {
    for (const Config& base : {tiny_config(), tiny_config_of_many_effects(), without_waveform(tiny_config())})
        for (const bool stop : {true, false}) {
            const Config config = with_stop(base, stop);
            const Tensor windows = random_windows(config, 3, 50);
            CmrNetwork network(used_model(config)), plain(used_model(config));
            const Losses losses = network.train_step(windows, {Rng(1)});
            const Parts parts = losses_in_one_graph(plain, windows, true);
            const Tensor total = parts.total(config);
            total.backward();
            EXPECT_NEAR(losses.total, total.item<double>(), 1e-5 * losses.total);
            const auto found = gradients_of(network), wanted = gradients_of(plain);
            ASSERT_EQ(found.size(), network.parameters().size());
            ASSERT_EQ(wanted.size(), found.size());
            double scale = 0.0;
            for (const auto& [name, gradient] : wanted) scale = std::max(scale, largest(gradient));
            for (const auto& [name, gradient] : wanted)
                EXPECT_LE(largest(found.at(name) - gradient), 1e-5 * std::max(largest(gradient), 1e-2 * scale)) << name;
        }
}

// Decoders of few tokens run beside each other, those of many one after the other; 5 windows of 900 tokens are many.
TEST(Network, HasTheSameBitsForAnyThreads) {
    const Config config = tiny_config_of_many_effects();
    const int before = thread_count();
    for (const auto& [batch, length] : {std::pair<int64_t, int64_t>{6, 32}, {5, 3600}}) {
        const Tensor windows = random_windows(config, batch, length);
        const auto step = [&](int threads) {
            set_thread_count(threads);
            CmrNetwork network(used_model(config));
            const double loss = network.train_step(windows, {Rng(1)}).total;
            return std::pair(loss, gradients_of(network));
        };
        const auto [loss, gradients] = step(1);
        for (const int threads : {2, 4, 8}) {
            const auto [found, other] = step(threads);
            EXPECT_EQ(found, loss) << threads << " threads, " << batch << " windows";
            for (const auto& [name, gradient] : gradients)
                EXPECT_TRUE(torch::equal(other.at(name), gradient)) << name << ", " << threads << " threads";
        }
    }
    set_thread_count(before);
}

TEST(Network, DecodesManyTokensByTheLossOfItsDefinition) {
    const Config config = tiny_config_of_many_effects();
    const Tensor windows = random_windows(config, 5, 3600);
    CmrNetwork network(used_model(config)), plain(used_model(config));
    const Losses losses = network.train_step(windows, {Rng(1)});
    const Tensor total = losses_in_one_graph(plain, windows, true).total(config);
    total.backward();
    EXPECT_NEAR(losses.total, total.item<double>(), 1e-5 * losses.total);
    const auto found = gradients_of(network), wanted = gradients_of(plain);
    double scale = 0.0;
    for (const auto& [name, gradient] : wanted) scale = std::max(scale, largest(gradient));
    for (const auto& [name, gradient] : wanted)
        EXPECT_LE(largest(found.at(name) - gradient), 1e-4 * std::max(largest(gradient), 1e-2 * scale)) << name;
}

TEST(Network, AddsToTheGradientsOfEarlierSteps) {
    const Config config = tiny_config();
    const Tensor first = random_windows(config, 2, 40, 1), second = random_windows(config, 2, 40, 2);
    CmrNetwork one(used_model(config)), other(used_model(config)), both(used_model(config));
    one.train_step(first, {Rng(1)});
    other.train_step(second, {Rng(1)});
    both.train_step(first, {Rng(1)});
    both.train_step(second, {Rng(1)});
    const auto a = gradients_of(one), b = gradients_of(other), sum = gradients_of(both);
    for (const auto& [name, gradient] : sum) EXPECT_LE(largest(gradient - (a.at(name) + b.at(name))), 1e-6) << name;
}

// What the kernels keep for the way back is used again by later steps, but not while a graph still needs it.
TEST(Network, KeepsAGraphInHandIntactDuringAStep) {
    const Config config = tiny_config();
    const Tensor samples = tensor_of(random_values(3 * 50, 7), {3, 50});
    const auto gradient = [&](bool step_between) {
        CmrNetwork network(used_model(config));
        const Tensor z = network.encode(config.groups[0], samples, true);
        if (step_between) {
            network.train_step(random_windows(config, 3, 50), {Rng(1)});
            for (const Parameter& p : network.parameters()) p.value.mutable_grad().reset();
        }
        torch::autograd::backward({z}, {tensor_of(random_values(z.numel(), 8), z.sizes().vec())});
        return gradients_of(network);
    };
    const auto alone = gradient(false), between = gradient(true);
    EXPECT_EQ(alone.size(), between.size());
    for (const auto& [name, wanted] : alone) EXPECT_TRUE(torch::equal(between.at(name), wanted)) << name;
}

TEST(Network, KeepsTheMechanismLossOutOfTheEffectEncoderWhenTold) {
    for (const bool stop : {true, false}) {
        const Config config = without_decoders(with_stop(tiny_config(), stop));
        CmrNetwork network(used_model(config));
        network.train_step(random_windows(config, 3, 50), {Rng(1)});
        const auto gradients = gradients_of(network);
        for (const Parameter& p : network.parameters()) {
            if (p.name.ends_with("stem.conv.bias")) continue;  // the batch norm behind it takes its effect away
            const auto found = gradients.find(p.name);
            const double size = found == gradients.end() ? 0.0 : largest(found->second);
            if (stop && p.name.starts_with("encoders.vibration."))
                EXPECT_EQ(size, 0.0) << p.name;
            else
                EXPECT_GT(size, 0.0) << p.name << (stop ? " with" : " without") << " the stop";
        }
    }
}

TEST(Network, SendsTheReconstructionIntoTheEffectEncoderInAnyCase) {
    Config config = tiny_config();
    config.mechanism_weight = config.cause_weight = config.waveform_weight = 0.0;
    CmrNetwork network(used_model(config));
    network.train_step(random_windows(config, 3, 50), {Rng(1)});
    const auto gradients = gradients_of(network);
    EXPECT_GT(largest(gradients.at("encoders.vibration.layers.0.a_log")), 0.0);
    EXPECT_GT(largest(gradients.at("decoders.vibration.0.mix.weight")), 0.0);
    for (const auto& [name, gradient] : gradients)
        EXPECT_TRUE(name.starts_with("encoders.vibration.") || name.starts_with("decoders.vibration.")) << name;
}

TEST(Network, DropsOutWhileTrainingByItsSeedAlone) {
    Config config = tiny_config();
    config.dropout = 0.5;
    const Tensor windows = random_windows(config, 2, 40);
    const auto mechanism = [&](uint64_t seed) {
        return CmrNetwork(used_model(config)).train_step(windows, {Rng(seed)}).mechanism;
    };
    EXPECT_EQ(mechanism(1), mechanism(1));
    EXPECT_NE(mechanism(1), mechanism(2));
    CmrNetwork network(used_model(config));
    EXPECT_EQ(network.evaluate(windows).total, network.evaluate(windows).total);
    // Evaluating drops nothing.
    config.dropout = 0;
    EXPECT_EQ(network.evaluate(windows).total, CmrNetwork(used_model(config)).evaluate(windows).total);
}

// --- Parts ----------------------------------------------------------------------------------------------------------

TEST(Network, EncodesEveryChannelOfAGroupByTheSameWeights) {
    const Config config = tiny_config();
    CmrNetwork network(used_model(config));
    const Tensor samples = tensor_of(random_values(4 * 61, 3), {4, 61});  // two windows of two channels
    const Tensor together = network.encode(config.groups[0], samples, false);
    for (int64_t i = 0; i < 4; ++i)
        EXPECT_TRUE(torch::equal(network.encode(config.groups[0], samples.slice(0, i, i + 1).contiguous(), false)[0],
                                 together[i]));
    EXPECT_FALSE(torch::equal(network.encode(config.groups[1], samples, false), together));
}

TEST(Network, PutsTheChannelsOfAWindowInTheOrderOfTheGroups) {
    const Config config = tiny_config_of_many_effects();  // pressure 2, valve 3, level 1
    CmrNetwork network(used_model(config));
    const Tensor windows = random_windows(config, 2, 40);
    const double before = network.evaluate(windows).effect;
    for (int64_t channel = 0; channel < 6; ++channel) {
        Tensor moved = windows.clone();
        moved.select(1, channel) *= 3.0;
        const bool is_effect = channel < 2 || channel == 5;
        EXPECT_EQ(network.evaluate(moved).effect != before, is_effect) << "channel " << channel;
    }
}

TEST(Network, PredictsFromTheTokenItselfAndTwelveBeforeItButNoneAfter) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        CmrNetwork network(used_model(config));
        const torch::NoGradGuard no_gradients;
        const int64_t in = config.cause_channels() * config.width;
        const Tensor causes = tensor_of(random_values(2 * 60 * in, 4), {2, 60, in});
        Tensor moved = causes.clone();
        moved[0][20] += tensor_of(random_values(in, 5), {in});
        const Tensor before = network.predict(causes, 0.0, Rng(1)), after = network.predict(moved, 0.0, Rng(1));
        EXPECT_TRUE(torch::equal(before[1], after[1])) << "the other window";
        for (int64_t t = 0; t < 60; ++t)
            EXPECT_EQ(torch::equal(before[0][t], after[0][t]), t < 20 || t > 32) << "token " << t;
    }
}

TEST(Network, DecodesToAsManySamplesAsTheWindowHas) {
    const Config config = tiny_config();
    CmrNetwork network(used_model(config));
    for (const int64_t length : {1, 2, 3, 4, 5, 31, 32, 33}) {
        const Tensor z = network.encode(config.groups[1], tensor_of(random_values(2 * length, 6), {2, length}), false);
        EXPECT_EQ(network.decode("vibration.0", z, length, false).sizes(), (std::vector<int64_t>{2, length}));
    }
}

TEST(Network, TakesWindowsOfOneSampleAndExtremeOnes) {
    const Config config = tiny_config();
    for (const double size : {0.0, 1e-40, 1.0, 1e6, 1e30})
        for (const int64_t length : {1, 40}) {
            SCOPED_TRACE(testing::Message() << length << " samples of size " << size);
            CmrNetwork network(used_model(config));
            EXPECT_TRUE(std::isfinite(network.train_step(random_windows(config, 2, length) * size, {Rng(1)}).total));
            for (const auto& [name, gradient] : gradients_of(network))
                EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>()) << name;
            EXPECT_TRUE(std::isfinite(network.evaluate(random_windows(config, 2, length) * size).total));
        }
}

TEST(Network, MovesItsRunningMomentsTowardsThoseOfTheBatch) {
    const Config config = tiny_config();
    CmrNetwork network(new_model(config));
    const Tensor windows = random_windows(config, 2, 40);
    network.train_step(windows, {Rng(1)});
    const Model after = network.snapshot();
    // The stem's convolution by hand: mean over windows, channels and tokens, of which the running mean takes a tenth.
    const float *weight = after.at("encoders.vibration.stem.conv.weight"),
                *bias = after.at("encoders.vibration.stem.conv.bias");
    const auto sample = windows.accessor<float, 3>();
    for (int64_t o = 0; o < 16; ++o) {
        double mean = 0.0;
        for (int64_t b = 0; b < 2; ++b)
            for (int64_t t = 0; t < 10; ++t) {
                mean += bias[o] / 20.0;
                for (int64_t j = 0; j < 7; ++j)
                    if (const int64_t from = 4 * t - 3 + j; from >= 0 && from < 40)
                        mean += weight[o * 7 + j] * sample[b][2][from] / 20.0;
            }
        EXPECT_NEAR(after.at("encoders.vibration.stem.norm.running_mean")[o], 0.1 * mean, 1e-6);
    }
}

}  // namespace
}  // namespace cmr::train
