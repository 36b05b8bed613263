#include "train/fit.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "io/json_fields.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"
#include "train/tiny_run.h"

namespace cmr::train {
namespace {

struct Stop {};

FitOptions with_seed(uint64_t seed) {
    FitOptions out;
    out.seed = seed;
    return out;
}

// What a run found out, without the times it took.
std::string facts_of(const Fitted& fitted) {
    RunFacts facts = fitted.facts;
    for (Epoch& epoch : facts.epochs) epoch.seconds = epoch.windows_per_second = 0;
    return io::to_json(facts).dump();
}

TEST(Fit, LearnsWhatTheEffectsFollow) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.max_epochs = 30;
    const Fitted fitted = TinyRun(recipe).fit();
    const RunFacts& facts = fitted.facts;
    EXPECT_LT(facts.epochs.back().train_total, 0.5 * facts.epochs.front().train_total);
    EXPECT_LT(facts.schedule.best, 0.5 * facts.untrained_loss);
    EXPECT_EQ(facts.epochs[facts.best_epoch - 1].validation_judged, facts.schedule.best);
    EXPECT_TRUE(facts.epochs[facts.best_epoch - 1].best);
    EXPECT_EQ(facts.recoveries, 0);
    EXPECT_FALSE(fitted.resumed);
}

TEST(Fit, TellsOfEveryStepAndEveryEpochOnce) {
    const TinyRun run;
    const int64_t in_epoch = (std::ssize(run.fold.train) + 7) / 8;
    std::vector<int64_t> steps, epochs;
    FitOptions options;
    options.on_step = [&](int64_t step, int64_t all) {
        EXPECT_EQ(all, in_epoch);
        steps.push_back(step);
    };
    options.on_epoch = [&](const Epoch& epoch) { epochs.push_back(epoch.epoch); };
    run.fit(options);
    EXPECT_EQ(epochs, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
    ASSERT_EQ(std::ssize(steps), 6 * in_epoch);
    for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<int64_t>(i) % in_epoch + 1);
}

TEST(Fit, EndsWhenPatienceIsOverAndReturnsTheBestEpoch) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.max_epochs = 200;
    recipe.train.patience = 3;
    recipe.train.learning_rate = 0.02;
    const RunFacts facts = TinyRun(recipe).fit().facts;
    ASSERT_LT(facts.epochs.size(), 200u);
    EXPECT_EQ(facts.best_epoch, std::ssize(facts.epochs) - 3);
}

TEST(Fit, GivesTheSameBitsForTheSameSeedOnly) {
    const TinyRun run;
    const Fitted first = run.fit(with_seed(1)), again = run.fit(with_seed(1)), other = run.fit(with_seed(2));
    EXPECT_TRUE(same_bits(first.model, again.model));
    EXPECT_TRUE(facts_of(first) == facts_of(again));
    EXPECT_FALSE(same_bits(first.model, other.model));
}

TEST(Fit, GivesTheSameBitsForAnyNumberOfThreads) {
    const TinyRun run;
    const int before = thread_count();
    set_thread_count(1);
    const Fitted alone = run.fit();
    for (const int threads : {2, 3}) {
        set_thread_count(threads);
        const Fitted together = run.fit();
        EXPECT_TRUE(same_bits(alone.model, together.model)) << threads << " threads";
        EXPECT_TRUE(facts_of(alone) == facts_of(together)) << threads << " threads";
    }
    set_thread_count(before);
}

TEST(Fit, GivesTheSameBitsFromSamplesOnDisk) {
    const TinyRun memory, disk(tiny_recipe(), data::Storage::kDisk);
    EXPECT_TRUE(same_bits(memory.fit().model, disk.fit().model));
}

TEST(Fit, TakesBatchesOfOneWindowUnlessItHasOneTokenOnly) {
    recipe::Recipe recipe = tiny_recipe();
    recipe.train.batch = 1;
    recipe.train.max_epochs = 2;
    EXPECT_TRUE(is_finite(TinyRun(recipe).fit().model));
    recipe.window.length = 4;
    test::expect_input_error([&] { TinyRun(recipe).fit(); }, {"tiny", "one window of one token", "train.batch"});
}

// --- Stopped and taken up again -------------------------------------------------------------------------------------

struct FitStopped : testing::Test {
    FitOptions options() const {
        FitOptions out;
        out.checkpoint = folder / "part";
        out.run = "tiny";
        return out;
    }

    test::TemporaryFolder folder;
    TinyRun run;
};

TEST_F(FitStopped, AfterAnyEpochGivesTheSameBits) {
    const Fitted undisturbed = run.fit();
    for (int64_t last = 1; last <= 6; ++last) {
        FitOptions stopping = options();
        stopping.restart = true;
        stopping.on_epoch = [&](const Epoch& epoch) {
            if (epoch.epoch == last) throw Stop();
        };
        EXPECT_THROW(run.fit(stopping), Stop);
        FitOptions going_on = options();
        size_t done = 0;
        going_on.on_resume = [&](const RunFacts& facts) { done = facts.epochs.size(); };
        const Fitted resumed = run.fit(going_on);
        EXPECT_TRUE(resumed.resumed);
        EXPECT_EQ(done, static_cast<size_t>(last));
        EXPECT_TRUE(same_bits(resumed.model, undisturbed.model)) << "after epoch " << last;
        EXPECT_TRUE(facts_of(resumed) == facts_of(undisturbed)) << "after epoch " << last;
    }
}

TEST_F(FitStopped, AgainAndAgainInTheMiddleOfEpochsGivesTheSameBits) {
    const Fitted undisturbed = run.fit();
    int64_t stops = 0;
    for (;;) {
        FitOptions stopping = options();
        int64_t steps = 0;
        stopping.on_step = [&](int64_t, int64_t) {
            if (++steps == 10) throw Stop();  // an epoch has seven
        };
        try {
            EXPECT_TRUE(same_bits(run.fit(stopping).model, undisturbed.model));
            break;
        } catch (const Stop&) {
            ++stops;
        }
    }
    EXPECT_EQ(stops, 5);
}

TEST_F(FitStopped, BeginsAnewWhenTold) {
    run.fit(options());
    FitOptions anew = options();
    anew.restart = true;
    const Fitted fitted = run.fit(anew);
    EXPECT_FALSE(fitted.resumed);
    EXPECT_EQ(fitted.facts.epochs.size(), 6u);
    EXPECT_TRUE(run.fit(options()).resumed);
}

}  // namespace
}  // namespace cmr::train
