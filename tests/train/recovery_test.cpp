// Training on windows that make the loss no number: NaN in a sample does, and `io` lets none in.

#include <gtest/gtest.h>

#include "io/json_fields.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"
#include "train/tiny_run.h"

namespace cmr::train {
namespace {

using test::expect_input_error;

TEST(Recovery, SkipsAndCountsTheStepsThatAreNotFinite) {
    TinyRun run;
    run.poison(std::span(run.fold.train).subspan(3, 1));
    const Fitted fitted = run.fit();
    for (const Epoch& epoch : fitted.facts.epochs) {
        EXPECT_EQ(epoch.skipped, 1) << "epoch " << epoch.epoch;
        EXPECT_TRUE(std::isfinite(epoch.train_total));
        EXPECT_TRUE(std::isfinite(epoch.validation_total));
    }
    EXPECT_EQ(fitted.facts.recoveries, 0);
    EXPECT_TRUE(is_finite(fitted.model));
    EXPECT_LT(fitted.facts.schedule.best, fitted.facts.untrained_loss);
}

// All windows are bad from the second step of the third epoch on, for `bad` steps.
FitOptions with_a_bad_spell(TinyRun& run, int64_t bad) {
    FitOptions out;
    out.on_step = [&run, bad, all = int64_t{0}](int64_t, int64_t steps) mutable {
        ++all;
        if (all == 2 * steps + 1) run.poison(run.fold.train);
        if (all == 2 * steps + 1 + bad) run.heal();
    };
    return out;
}

TEST(Recovery, GoesBackToTheLastGoodStateAtHalfTheRateAfterThreeBadStepsInARow) {
    for (const int64_t bad : {2, 3, 5}) {
        TinyRun run;
        const RunFacts facts = run.fit(with_a_bad_spell(run, bad)).facts;
        EXPECT_EQ(facts.epochs[2].skipped, bad);
        EXPECT_EQ(facts.recoveries, bad < 3 ? 0 : 1);
        EXPECT_DOUBLE_EQ(facts.epochs[2].rate, run.recipe.train.learning_rate);
        EXPECT_DOUBLE_EQ(facts.epochs[3].rate, run.recipe.train.learning_rate / (bad < 3 ? 1 : 2));
        EXPECT_LT(facts.schedule.best, facts.untrained_loss);
    }
}

// The third epoch has one good step, which is lost with the rest: it ends as the second did.
TEST(Recovery, LosesTheEpochInWhichItWentBack) {
    TinyRun run;
    FitOptions options;
    options.on_step = [&run, all = int64_t{0}](int64_t, int64_t steps) mutable {
        ++all;
        if (all == 2 * steps + 1) run.poison(run.fold.train);
        if (all == 3 * steps) run.heal();
    };
    const RunFacts facts = run.fit(options).facts;
    EXPECT_GE(facts.recoveries, 1);
    EXPECT_EQ(facts.epochs[2].validation_total, facts.epochs[1].validation_total);
    EXPECT_NE(facts.epochs[3].validation_total, facts.epochs[2].validation_total);
}

TEST(Recovery, GivesUpWithAMessageWhereAnEpochHasFewStepsAndAllAreBad) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.batch = 64;  // one step per epoch
    TinyRun run(recipe);
    run.poison(std::span(run.fold.train).first(1));
    expect_input_error([&] { run.fit(); }, {"tiny", "does not stay finite", "train.learning_rate", "cmr inspect"});
}

TEST(Recovery, GivesUpWithAMessageWhereNothingHelps) {
    TinyRun run;
    run.poison(run.fold.train);
    expect_input_error([&] { run.fit(); }, {"tiny", "does not stay finite", "train.learning_rate", "cmr inspect"});
}

TEST(Recovery, GivesUpWhereNoValidationLossIsFinite) {
    TinyRun run;
    run.poison(run.fold.validation);
    expect_input_error([&] { run.fit(); }, {"tiny", "finite"});
}

// A stop in between must change nothing, wherever the bad spell was.
TEST(Recovery, IsPartOfWhatACheckpointTakesUp) {
    const test::TemporaryFolder folder;
    struct Stop {};
    // Training steps, or the validation of the third epoch.
    const auto spoil = [](TinyRun& run, bool validation, int64_t epoch, int64_t step, int64_t steps) {
        if (epoch == 3 && step == (validation ? steps : 1))
            validation ? run.poison(run.fold.validation) : run.poison(run.fold.train);
        if (epoch == 3 && step == 5) run.heal();
    };
    for (const bool validation : {false, true}) {
        const auto fitted = [&](int64_t stop_after) {
            TinyRun run;
            FitOptions options;
            options.checkpoint = folder / "part";
            options.run = "tiny";
            int64_t epoch = 1;
            options.on_step = [&](int64_t step, int64_t steps) { spoil(run, validation, epoch, step, steps); };
            options.on_epoch = [&](const Epoch& finished) {
                run.heal();
                epoch = finished.epoch + 1;
                if (finished.epoch == stop_after) throw Stop();
            };
            options.restart = true;
            if (stop_after == 0) return run.fit(options);
            EXPECT_THROW(run.fit(options), Stop);
            options.restart = false;
            return run.fit(options);
        };
        const Fitted undisturbed = fitted(0);
        EXPECT_EQ(undisturbed.facts.recoveries, 1) << (validation ? "validation" : "training");
        EXPECT_TRUE(is_finite(undisturbed.model));
        for (const int64_t epoch : {2, 3, 4}) {
            const Fitted resumed = fitted(epoch);
            EXPECT_TRUE(same_bits(resumed.model, undisturbed.model)) << "after epoch " << epoch;
            EXPECT_EQ(io::to_json(resumed.facts.schedule), io::to_json(undisturbed.facts.schedule));
        }
    }
}

}  // namespace
}  // namespace cmr::train
