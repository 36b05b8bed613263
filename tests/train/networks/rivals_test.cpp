// The rivals against their formulas in NumPy (rivals.py), against themselves without libtorch, and on a case that each
// must be able to learn.

#include "model/methods/method.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "score/auroc.h"
#include "support/python.h"
#include "support/write_npy.h"
#include "train/networks/network_case.h"
#include "train/networks/optimiser.h"

namespace cmr::train {
namespace {

Config rival_config(std::string_view method) {
    Config config = tiny_config_of_many_effects();
    config.method = method;
    return config;
}

class EveryRival : public testing::TestWithParam<std::string> {
  protected:
    Config config_ = rival_config(GetParam());
};

std::vector<std::string> every_rival() {
    std::vector<std::string> out;
    for (const model::Method& method : model::methods())
        if (!method.knows_causes) out.emplace_back(method.name);
    return out;
}

INSTANTIATE_TEST_SUITE_P(All, EveryRival, testing::ValuesIn(every_rival()), [](const auto& rival) {
    std::string name = rival.param;
    std::erase(name, '-');
    return name;
});

TEST(Methods, EachHasANetworkInTrainingWithTheParametersOfItsRow) {
    for (const model::Method& method : model::methods()) {
        const Config config = rival_config(method.name);
        const auto network = make_network(new_model(config));
        int64_t count = 0;
        for (const Parameter& parameter : network->parameters()) count += parameter.value.numel();
        EXPECT_EQ(count, model::parameter_count(config)) << method.name;
        EXPECT_TRUE(std::isfinite(network->evaluate(machine_windows(config, 3, 40)).total)) << method.name;
    }
}

model::Embedding output_of(const Model& model, const torch::Tensor& windows) {
    return model::load_network(model)->embed(windows.size(0), windows.size(2), values_of(windows).data());
}

// Loss with batch moments ("-": not known), with running moments, native scores.
std::vector<std::string> numpy_says(const Model& model, const torch::Tensor& windows, int64_t epoch, int64_t phase) {
    const test::TemporaryFolder folder;
    model::save_model(folder / "model.cmr", model);
    test::write_npy(folder / "windows.npy", values_of(windows), {windows.size(0), windows.size(1), windows.size(2)});
    const auto result = test::run_command("/usr/bin/python3 '" CMR_RIVALS_PY "' '" + (folder / "model.cmr").string() +
                                          "' '" + (folder / "windows.npy").string() + "' " + std::to_string(epoch) +
                                          " " + std::to_string(phase) + " 2>&1");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    std::vector<std::string> out;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) out.push_back(line);
    return out;
}

void expect_close(double found, const std::string& wanted, const std::string& what) {
    const double want = std::stod(wanted);
    EXPECT_NEAR(found, want, 2e-5 * std::max(1.0, std::abs(want))) << what;
}

TEST_P(EveryRival, HasTheLossAndTheScoreOfItsFormulas) {
    if (!test::python_has("numpy")) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    for (const int64_t length : {24, 37, 530}) {
        const Model model = used_model(config_);
        const torch::Tensor windows = machine_windows(config_, 3, length);
        for (const int64_t epoch : {1, 4}) {
            const auto phases = make_network(model)->phases();
            for (int64_t phase = 0; phase < phases; ++phase) {
                const std::string what = "length " + std::to_string(length) + ", epoch " + std::to_string(epoch) +
                                         ", phase " + std::to_string(phase);
                const std::vector<std::string> numpy = numpy_says(model, windows, epoch, phase);
                ASSERT_EQ(numpy.size(), 5) << what;
                const auto network = make_network(model);
                if (phase == 0) expect_close(network->evaluate(windows, epoch).total, numpy[1], what + ", evaluated");
                if (numpy[0] != "-")
                    expect_close(network->train_step(windows, {Rng(1), epoch, phase}).total, numpy[0], what);
                const model::Embedding out = output_of(model, windows);
                for (size_t i = 0; i < 3; ++i) expect_close(out.native[i], numpy[2 + i], what + ", score");
            }
        }
    }
}

TEST_P(EveryRival, ScoresAWindowTheSameAloneAndAmongOthers) {
    const Model model = used_model(config_);
    const torch::Tensor windows = machine_windows(config_, 7, 50);
    const model::Embedding all = output_of(model, windows);
    ASSERT_EQ(std::ssize(all.native), 7);
    const auto [tokens, features, values] = all.effects;
    EXPECT_EQ(std::ssize(values), 7 * tokens * features);
    EXPECT_EQ(features, model::method_named(GetParam()).features(config_).effects);
    for (int64_t i = 0; i < 7; ++i) {
        const model::Embedding one = output_of(model, windows.slice(0, i, i + 1).contiguous());
        EXPECT_EQ(one.native[0], all.native[i]);
        for (int64_t j = 0; j < tokens * features; ++j)
            ASSERT_EQ(one.effects.values[j], values[i * tokens * features + j]);
    }
}

TEST_P(EveryRival, PartsOfTheScoreAreThoseOfTheChannels) {
    const model::Embedding out = output_of(used_model(config_), machine_windows(config_, 3, 40));
    if (model::method_named(GetParam()).native != model::Native::kByChannel) {
        EXPECT_EQ(out.native_parts.columns, 0);
        return;
    }
    ASSERT_EQ(out.native_parts.columns, config_.channels());
    for (int64_t i = 0; i < 3; ++i) {
        double mean = 0;
        for (const float part : out.native_parts.row(i)) mean += part / static_cast<double>(config_.channels());
        EXPECT_NEAR(mean, out.native[i], 1e-5 * std::max(1.0, mean));
    }
}

TEST_P(EveryRival, GivesTheSameBitsForTheSameSeed) {
    const torch::Tensor windows = machine_windows(config_, 4, 40);
    const auto trained = [&] {
        auto network = make_network(new_model(config_));
        network->begin([&](const auto& body) { body(windows); });
        std::vector<Optimiser> optimisers(network->phases(), Optimiser(network->parameters(), {.rate = 1e-3}));
        for (int64_t step = 0; step < 3; ++step)
            for (int64_t phase = 0; phase < network->phases(); ++phase) {
                network->train_step(windows, {Rng(3).split(static_cast<uint64_t>(step)), 1 + step, phase});
                optimisers[phase].step();
            }
        return network->snapshot();
    };
    const Model one = trained(), other = trained();
    for (size_t i = 0; i < one.tensors.size(); ++i) EXPECT_EQ(one.tensors[i].values, other.tensors[i].values);
}

// Windows of a machine, and windows whose last channel runs on its own.
TEST_P(EveryRival, LearnsToTellAWindowThatIsNotLikeTheOthers) {
    const int64_t length = 48;
    auto network = make_network(new_model(config_));
    network->begin([&](const auto& body) { body(machine_windows(config_, 64, length, 100)); });
    std::vector<Optimiser> optimisers(network->phases(), Optimiser(network->parameters(), {.rate = 2e-3}));
    const torch::Tensor held_out = machine_windows(config_, 64, length, 999);
    const double before = network->evaluate(held_out).judged;
    for (int64_t step = 0; step < 150; ++step)
        for (int64_t phase = 0; phase < network->phases(); ++phase) {
            // One epoch of USAD: later ones play the game.
            network->train_step(machine_windows(config_, 16, length, static_cast<uint64_t>(step % 10)),
                                {Rng(static_cast<uint64_t>(step)), 1, phase});
            optimisers[phase].step();
        }
    EXPECT_LT(network->evaluate(held_out).judged, 0.5 * before);
    torch::Tensor odd = held_out.clone();
    odd.select(1, 5) = 3 * torch::randn({64, length});
    const Model model = network->snapshot();
    const model::Embedding healthy = output_of(model, held_out), faulty = output_of(model, odd);
    EXPECT_GT(test::auroc(healthy.native, faulty.native), 0.9);
}

// --- What sets each apart -------------------------------------------------------------------------------------------

std::set<std::string> moved_by_phase(const std::string& method, int64_t phase, int64_t epoch) {
    const Config config = rival_config(method);
    const auto network = make_network(used_model(config));
    network->train_step(machine_windows(config, 3, 40), {Rng(1), epoch, phase});
    std::set<std::string> out;
    for (const auto& [name, gradient] : gradients_of(*network))
        if (largest(gradient) > 0) out.insert(name.substr(0, name.find('.')));
    return out;
}

TEST(Usad, EachPhaseMovesTheEncoderAndItsOwnDecoder) {
    for (const int64_t epoch : {1, 5}) {
        EXPECT_EQ(moved_by_phase("usad", 0, epoch), (std::set<std::string>{"encoder", "decoder1"}));
        EXPECT_EQ(moved_by_phase("usad", 1, epoch), (std::set<std::string>{"encoder", "decoder2"}));
    }
}

// In a late epoch a step of phase 0 makes AE2 rebuild what AE1 made better, and a step of phase 1 worse.
TEST(Usad, PhasesPlayAgainstEachOther) {
    const Config config = rival_config("usad");
    const torch::Tensor windows = machine_windows(config, 16, 40);
    for (const int64_t phase : {0, 1}) {
        const auto network = make_network(new_model(config));
        Optimiser optimiser(network->parameters(), {.rate = 1e-3});
        const auto adversarial = [&](Network& of) {  // nothing else is left of phase 0 in a very late epoch
            const double loss = of.train_step(windows, {Rng(1), 1'000'000, 0}).total;
            optimiser.discard();
            return loss;
        };
        const double before = adversarial(*network);
        for (int i = 0; i < 10; ++i) {
            network->train_step(windows, {Rng(1), 1000, phase});
            optimiser.step();
        }
        if (phase == 0)
            EXPECT_LT(adversarial(*network), before);
        else
            EXPECT_GT(adversarial(*network), before);
    }
}

TEST(Vae, DrawsFromItsLatentDistribution) {
    const Config config = rival_config("vae");
    const torch::Tensor windows = machine_windows(config, 3, 40);
    const auto loss = [&](uint64_t seed) {
        return make_network(used_model(config))->train_step(windows, {Rng(seed)}).total;
    };
    EXPECT_EQ(loss(1), loss(1));
    EXPECT_NE(loss(1), loss(2));
}

// A latent number that the decoder does not need goes to the standard normal distribution.
TEST(Vae, UnusedLatentNumbersBecomeStandardNormal) {
    const Config config = rival_config("vae");
    auto network = make_network(new_model(config));
    Optimiser optimiser(network->parameters(), {.rate = 2e-2});
    const torch::Tensor nothing = 1e-4 * machine_windows(config, 8, 32);
    for (uint64_t step = 0; step < 500; ++step) {
        if (step == 300) optimiser.set_rate(1e-3);
        network->train_step(nothing, {Rng(step)});
        optimiser.step();
    }
    const model::Embedding out = output_of(network->snapshot(), nothing);
    double squares = 0;
    for (const float mean : out.effects.values) squares += mean * mean / static_cast<double>(out.effects.values.size());
    EXPECT_LT(squares, 0.02);
    EXPECT_LT(network->evaluate(nothing).total, 0.02);
}

TEST(Svdd, TheCentreIsTheMeanOfTheFirstPassAndAwayFromZero) {
    const Config config = rival_config("svdd");
    auto network = make_network(new_model(config));
    const torch::Tensor windows = machine_windows(config, 32, 40);
    network->begin([&](const auto& body) { body(windows); });
    const Model model = network->snapshot();
    const float* centre = model.at("centre");
    for (int64_t f = 0; f < model::method_named("svdd").features(config).effects; ++f)
        EXPECT_GE(std::abs(centre[f]), 0.1f - 1e-6f);
    for (const model::ParameterSpec& spec : model::parameter_specs(config))
        EXPECT_FALSE(spec.trained && spec.name.ends_with(".bias")) << spec.name;
}

// The reconstruction apart, a step brings the Gaussian nearer to the series, and the series away from it.
TEST(AnomalyTransformer, TheGamePullsThePriorAndPushesTheSeries) {
    const Config config = rival_config("anomaly-transformer");
    const auto network = make_network(used_model(config));
    network->train_step(machine_windows(config, 3, 40), {Rng(1)});
    const auto gradients = gradients_of(*network);
    // Only the prior knows sigma: its gradient is that of + k · discrepancy, so a finite step must lower it.
    const auto discrepancy = [&](const std::string& moved, double step) {
        Model model = used_model(config);
        for (io::NamedTensor& tensor : model.tensors)
            if (!moved.empty() && tensor.name.ends_with(moved)) {
                const std::vector<float> slope = values_of(gradients.at(tensor.name));
                for (size_t i = 0; i < slope.size(); ++i) tensor.values[i] -= static_cast<float>(step) * slope[i];
            }
        return make_network(model)->evaluate(machine_windows(config, 3, 40)).mechanism;
    };
    EXPECT_LT(discrepancy("sigma.weight", 1e-2), discrepancy("", 0));
    // The series knows queries and keys. The reconstruction pulls at them too, though not as much.
    EXPECT_GT(discrepancy("query.weight", 1e-2), discrepancy("", 0));
    EXPECT_GT(discrepancy("key.weight", 1e-2), discrepancy("", 0));
}

}  // namespace
}  // namespace cmr::train
