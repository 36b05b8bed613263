// The torch-free encoder and predictor against the network that was trained, through the model file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/predictor.h"
#include "support/temporary_folder.h"
#include "train/networks/network_case.h"
#include "train/networks/optimiser.h"

namespace cmr::train {
namespace {

using torch::Tensor;

// Both run the same kernels in the same order; embeddings are of the order of one.
constexpr double kTolerance = 1e-5;

// A network with running moments, norms and weights that training has moved.
CmrNetwork trained_network(const Config& config) {
    CmrNetwork network(used_model(config));
    Optimiser optimiser(network.parameters(), {.rate = 5e-3});
    for (uint64_t step = 0; step < 4; ++step) {
        network.train_step(machine_windows(config, 3, 80, step), {Rng(step)});
        optimiser.step();
    }
    return network;
}

Model through_file(const CmrNetwork& network) {
    const test::TemporaryFolder folder;
    model::save_model(folder / "m.cmr", network.snapshot());
    return model::load_model(folder / "m.cmr");
}

Tensor embed(const Model& model, const std::string& group, const Tensor& samples) {
    const model::Encoder encoder(model, group);
    Tensor z = torch::full({samples.size(0), encoder.tokens(samples.size(1)), encoder.width()}, NAN);
    encoder.embed(samples.size(0), samples.size(1), samples.data_ptr<float>(), z.data_ptr<float>());
    return z;
}

TEST(Scoring, EmbedsAsTheNetworkThatWasTrained) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        CmrNetwork network = trained_network(config);
        const Model model = through_file(network);
        const torch::NoGradGuard no_gradients;
        for (const ChannelGroup& group : config.groups)
            for (const int64_t length : {1, 4, 77, 900}) {
                const Tensor samples = tensor_of(random_values(5 * length, 2), {5, length});
                const Tensor wanted = network.encode(group, samples, false);
                EXPECT_LE(difference(embed(model, group.name, samples), wanted), kTolerance)
                    << group.name << " " << length;
            }
    }
}

TEST(Scoring, EmbedsExtremeSamplesAsTheNetwork) {
    CmrNetwork network = trained_network(tiny_config());
    const Model model = through_file(network);
    const torch::NoGradGuard no_gradients;
    for (const double size : {0.0, 1e-40, 1e8, 1e30}) {
        const Tensor samples = tensor_of(random_values(3 * 100, 3), {3, 100}) * size;
        const Tensor wanted = network.encode(network.config().groups[0], samples, false);
        EXPECT_TRUE(torch::isfinite(wanted).all().item<bool>()) << size;
        EXPECT_LE(difference(embed(model, "current", samples), wanted), kTolerance) << size;
    }
}

TEST(Scoring, DecodesAsTheNetworkThatWasTrained) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        CmrNetwork network = trained_network(config);
        const Model model = through_file(network);
        const torch::NoGradGuard no_gradients;
        for (const ChannelGroup& group : config.groups) {
            if (!group.effect) continue;
            for (int64_t c = 0; c < group.channels; ++c) {
                const std::string name = fmt::format("{}.{}", group.name, c);
                for (const int64_t length : {1, 4, 77}) {
                    const int64_t tokens = config.tokens(length);
                    const Tensor z = tensor_of(random_values(3 * tokens * config.width, 7), {3, tokens, config.width});
                    Tensor found = torch::full({3, length}, NAN);
                    model::Decoder(model, name).decode(3, tokens, z.data_ptr<float>(), length, found.data_ptr<float>());
                    EXPECT_LE(difference(found, network.decode(name, z, length, false)), kTolerance)
                        << name << " " << length;
                }
            }
        }
    }
}

TEST(Scoring, PredictsAsTheNetworkThatWasTrained) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        CmrNetwork network = trained_network(config);
        const model::Predictor predictor(through_file(network));
        const int64_t in = config.cause_channels() * config.width, out = config.effect_channels() * config.width;
        for (const int64_t tokens : {1, 5, 230}) {
            const Tensor causes = tensor_of(random_values(4 * tokens * in, 4), {4, tokens, in});
            Tensor found = torch::full({4, tokens, out}, NAN);
            predictor.predict(4, tokens, causes.data_ptr<float>(), found.data_ptr<float>());
            const torch::NoGradGuard no_gradients;
            EXPECT_LE(difference(found, network.predict(causes, 0.0, Rng(1))), kTolerance) << tokens << " tokens";
        }
    }
}

TEST(Scoring, AgreesAtTheUsualSize) {
    Config config;
    config.groups = {{"current", false, 2}, {"vibration", true, 1}};
    config.effect_weight = 0.0;
    CmrNetwork network(used_model(config));
    const Model model = network.snapshot();
    const torch::NoGradGuard no_gradients;
    const Tensor samples = tensor_of(random_values(2 * 600, 5), {2, 600});
    const Tensor z = network.encode(config.groups[0], samples, false);
    EXPECT_LE(difference(embed(model, "current", samples), z), kTolerance);
    const Tensor causes = z.reshape({1, 150, 2, 128}).reshape({1, 150, 256}).contiguous();
    Tensor found = torch::full({1, 150, 128}, NAN);
    model::Predictor(model).predict(1, 150, causes.data_ptr<float>(), found.data_ptr<float>());
    EXPECT_LE(difference(found, network.predict(causes, 0.0, Rng(1))), kTolerance);
}

TEST(Scoring, ANetworkFromTheFileGoesOnWithTheSameBits) {
    const Config config = tiny_config();
    CmrNetwork network = trained_network(config), loaded(through_file(network));
    expect_same_bits(loaded.snapshot(), network.snapshot(), "loaded");
    const Tensor windows = random_windows(config, 3, 60);
    EXPECT_EQ(loaded.evaluate(windows).total, network.evaluate(windows).total);
    EXPECT_EQ(loaded.train_step(windows, {Rng(1)}).total, network.train_step(windows, {Rng(1)}).total);
    const auto found = gradients_of(loaded), wanted = gradients_of(network);
    for (const auto& [name, gradient] : wanted) EXPECT_TRUE(torch::equal(found.at(name), gradient)) << name;
}

}  // namespace
}  // namespace cmr::train
