// Rivals are trained by the loop that trains CMR, and promise the same.

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "model/methods/method.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"
#include "train/tiny_run.h"

namespace cmr::train {
namespace {

struct Stop {};

recipe::Recipe recipe_of(std::string_view method) {
    recipe::Recipe out = tiny_recipe();
    out.model.method = method;
    out.train.rival_rate = 2e-3;
    return out;
}

TEST(FitRival, StoppedAfterAnEpochGivesTheSameBits) {
    for (const model::Method& kind : model::methods()) {
        if (kind.knows_causes) continue;
        const TinyRun run(recipe_of(kind.name));
        const Fitted undisturbed = run.fit();
        const test::TemporaryFolder folder;
        FitOptions options;
        options.checkpoint = folder / "part";
        options.run = "tiny";
        FitOptions stopping = options;
        stopping.on_epoch = [&](const Epoch& epoch) {
            if (epoch.epoch == 3) throw Stop();
        };
        EXPECT_THROW(run.fit(stopping), Stop) << kind.name;
        const Fitted resumed = run.fit(options);
        EXPECT_TRUE(resumed.resumed) << kind.name;
        EXPECT_TRUE(same_bits(resumed.model, undisturbed.model)) << kind.name;
    }
}

TEST(FitRival, GivesTheSameBitsForAnyNumberOfThreads) {
    const int before = thread_count();
    for (const model::Method& kind : model::methods()) {
        if (kind.knows_causes) continue;
        const TinyRun run(recipe_of(kind.name));
        set_thread_count(1);
        const Fitted alone = run.fit();
        set_thread_count(3);
        EXPECT_TRUE(same_bits(alone.model, run.fit().model)) << kind.name;
    }
    set_thread_count(before);
}

TEST(FitRival, LearnsAtTheRateOfItsPublicationUnlessToldOtherwise) {
    recipe::Recipe recipe = recipe_of("svdd");
    recipe.train.warmup_epochs = 0;
    EXPECT_EQ(TinyRun(recipe).fit().facts.epochs.front().rate, 2e-3);
    recipe.train.rival_rate = 0;
    EXPECT_EQ(TinyRun(recipe).fit().facts.epochs.front().rate, model::method_named("svdd").learning_rate);
}

TEST(FitRival, TheRateOfRivalsIsNotThatOfCmr) {
    recipe::Recipe recipe = recipe_of("cmr");
    recipe.train.warmup_epochs = 0;
    EXPECT_EQ(TinyRun(recipe).fit().facts.epochs.front().rate, recipe.train.learning_rate);
}

TEST(FitRival, SkipsAndCountsStepsThatAreNotFinite) {
    for (const model::Method& kind : model::methods()) {
        if (kind.knows_causes) continue;
        TinyRun run(recipe_of(kind.name));
        run.poison(std::span(run.fold.train).first(1));
        const Fitted fitted = run.fit();
        EXPECT_GT(fitted.facts.epochs.back().skipped, 0) << kind.name;
        EXPECT_TRUE(is_finite(fitted.model)) << kind.name;
    }
}

TEST(FitRival, TheUntrainedControlIsTheNetworkAsItBegins) {
    const TinyRun run(recipe_of("untrained"));
    const Fitted fitted = run.fit();
    EXPECT_TRUE(fitted.facts.epochs.empty());
    model::Config config = run.preprocessing.config;
    const model::Model begins{"", config, model::initial_parameters(config, Rng(FitOptions().seed).split("init"))};
    EXPECT_TRUE(same_bits(fitted.model, begins));
}

}  // namespace
}  // namespace cmr::train
