// Settings that must reach the optimiser, and the epoch that must be returned: tests of the parts see neither.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/temporary_folder.h"
#include "tiny_run.h"
#include "train/checkpoint.h"

namespace cmr::train {
namespace {

// What a checkpoint holds after one step over all training windows.
RunState after_first_step(double clip, double weight_decay) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.batch = 1000;
    recipe.train.clip = clip;
    recipe.train.weight_decay = weight_decay;
    const TinyRun run(recipe);
    const test::TemporaryFolder folder;
    struct Enough {};
    FitOptions options;
    options.checkpoint = folder / "run.part";
    options.on_epoch = [](const Epoch&) { throw Enough(); };
    EXPECT_THROW(run.fit(options), Enough);
    const auto state = load_checkpoint(options.checkpoint, options.run, run.preprocessing.config, /*phases=*/1);
    EXPECT_EQ(state->optimisers.front().steps, 1);
    return *state;
}

// The norm of the gradients as the optimiser took them: after one step its mean is a tenth of them.
double gradient_norm(const RunState& state) {
    double sum = 0;
    for (const Optimiser::Moments& moments : state.optimisers.front().moments)
        for (const float mean : moments.mean) sum += 100.0 * mean * mean;
    return std::sqrt(sum);
}

// At several rates, so that some epoch of one of them improves by less than a thousandth.
TEST(FitWiring, KeepsTheEpochThatTheProtocolCallsBetter) {
    bool differ = false;
    for (const char* protocol : {"strict", "paper"})
        for (const double slower : {1.0, 0.5, 0.3, 0.2, 0.1}) {
            recipe::Recipe recipe = tiny_recipe();
            recipe.split.protocol = protocol;
            recipe.train.max_epochs = recipe.train.patience = 40;
            recipe.train.learning_rate *= slower;
            const bool paper = recipe.split.protocol == "paper";
            double best = 1e300;
            for (const Epoch& epoch : TinyRun(recipe).fit().facts.epochs) {
                const bool a_little = epoch.validation_judged < best, clearly = epoch.validation_judged < 0.999 * best;
                differ |= a_little != clearly;
                EXPECT_EQ(epoch.best, paper ? a_little : clearly) << protocol << ", epoch " << epoch.epoch;
                if (epoch.best) best = epoch.validation_judged;
            }
        }
    EXPECT_TRUE(differ) << "so that the test can fail";
}

TEST(FitWiring, ClipsGradientsAtTheNormOfTheRecipe) {
    const double whole = gradient_norm(after_first_step(/*clip=*/1e9, 0));
    ASSERT_GT(whole, 0.05);
    EXPECT_NEAR(gradient_norm(after_first_step(/*clip=*/0.05, 0)), 0.05, 1e-5);
    EXPECT_NEAR(gradient_norm(after_first_step(/*clip=*/0.01, 0)), 0.01, 1e-6);
    EXPECT_EQ(gradient_norm(after_first_step(/*clip=*/2e9, 0)), whole) << "a limit that nothing reaches";
}

TEST(FitWiring, DecaysWeightsByTheRateOfTheRecipe) {
    const RunState kept = after_first_step(1, /*weight_decay=*/0), decayed = after_first_step(1, /*weight_decay=*/0.5);
    const double rate = kept.facts.epochs.front().rate;
    int64_t large = 0;
    for (size_t i = 0; i < kept.network.tensors.size(); ++i) {
        if (kept.network.tensors[i].name.find("running_") != std::string::npos) continue;  // no parameters
        for (size_t j = 0; j < kept.network.tensors[i].values.size(); ++j) {
            const double before = kept.network.tensors[i].values[j], after = decayed.network.tensors[i].values[j];
            if (std::abs(before) < 0.2) continue;
            ++large;
            // p - rate · decay · p at the beginning of the step, which moves p itself by no more than the rate.
            ASSERT_NEAR(before - after, rate * 0.5 * before, rate * 0.6 * rate) << kept.network.tensors[i].name;
        }
    }
    EXPECT_GT(large, 100);
}

TEST(FitWiring, ReturnsTheWeightsOfTheBestEpochAndNotOfTheLast) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.max_epochs = 200;
    recipe.train.patience = 3;
    recipe.train.learning_rate = 0.02;
    const TinyRun run(recipe);
    const test::TemporaryFolder folder;
    std::map<int64_t, model::Model> networks;
    FitOptions options;
    options.checkpoint = folder / "run.part";
    options.on_epoch = [&](const Epoch& epoch) {
        const auto state = load_checkpoint(options.checkpoint, options.run, run.preprocessing.config, 1);
        networks[epoch.epoch] = state->network;
    };
    const Fitted fitted = run.fit(options);
    const int64_t best = fitted.facts.best_epoch, last = std::ssize(fitted.facts.epochs);
    ASSERT_EQ(best, last - 3) << "the loss rises at the end";
    for (const auto& [epoch, network] : networks)
        EXPECT_EQ(same_bits(fitted.model, network), epoch == best) << "epoch " << epoch << ", the best is " << best;
}

}  // namespace
}  // namespace cmr::train
