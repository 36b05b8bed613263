#include "score/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/coupling.h"
#include "kernels/isa.h"
#include "kernels/precision.h"
#include "score/auroc.h"
#include "score/combine/log_scale.h"
#include "score/explain/explain.h"
#include "score/file/detector_file.h"
#include "score/small_plant.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::score {
namespace {

using data::State;
using test::SmallPlant;

const SmallPlant& plant() {
    static const SmallPlant plant;
    return plant;
}

const Detector& detector() {
    static const Detector detector = plant().fit();
    return detector;
}

void expect_same(const Scores& a, const Scores& b) {
    EXPECT_EQ(a.names, b.names);
    EXPECT_EQ(a.channels, b.channels);
    EXPECT_EQ(a.values.values, b.values.values);
    EXPECT_EQ(a.residuals.values, b.residuals.values);
}

TEST(Detector, SeesTheFaultAndNamesItsChannel) {
    const Scores healthy = detector().pipeline.score(plant().dataset, plant().tested(State::kHealthy));
    const Scores faulty = detector().pipeline.score(plant().dataset, plant().tested(State::kFaulty));
    EXPECT_GT(test::auroc(healthy.column("combined"), faulty.column("combined")), 0.95);
    EXPECT_THAT(faulty.channels, testing::ElementsAre("inlet", "outlet", "flow, \"main\""));
    for (int64_t i = 0; i < faulty.residuals.rows; ++i)
        EXPECT_EQ(std::ranges::max_element(faulty.residuals.row(i)) - faulty.residuals.row(i).begin(), 0);
    for (const float combined : faulty.column("combined")) EXPECT_LT(detector().p_value(combined), 0.1);
}

TEST(Detector, HasAllScoresAndTheCombinedOneOfItsVoices) {
    std::vector<std::string> names;
    for (const ScorerKind& kind : scorer_kinds())
        if (kind.needs != Needs::kRival) names.emplace_back(kind.name);
    names.emplace_back("combined");
    EXPECT_EQ(detector().names(), names);
    EXPECT_THAT(detector().pipeline.combined().voices(),
                testing::ElementsAre("mechanism", "marginal", "lagged", "pca", "drift", "cva"));
    test::expect_input_error([] { detector().pipeline.score(plant().dataset, {}).column("best"); }, {"best"});
}

TEST(Detector, FitsTheScoresThatAreWantedAndTheOneThatExplains) {
    SmallPlant some;
    some.recipe.score.only = {"readout", "pca-t2"};
    EXPECT_THAT(some.fit().names(), testing::ElementsAre("readout", "lagged", "pca-t2", "combined"));
    // Controls alone, though there is a network: it has nothing to say, and that is no reason to fail.
    some.recipe.score.only = {"marginal", "lagged", "window", "pca", "raw-knn"};
    const Detector controls = some.fit();
    EXPECT_EQ(controls.healthy.scores.columns, 6);
    EXPECT_THAT(controls.pipeline.combined().voices(), testing::ElementsAre("marginal", "lagged", "window", "pca"));
    some.recipe.score.only = {"readuot"};
    test::expect_input_error([&] { some.fit(); }, {"readuot", "did you mean readout?"});
}

// The residual score is the mean over the coupled effects: those of which the causes explain more than the recipe asks
// for, and all where none is so.
TEST(Detector, TheResidualScoreAveragesTheEffectsThatTheRecipeCallsCoupled) {
    SmallPlant p([](recipe::Recipe& recipe) { recipe.score.only = {"residual"}; });
    const auto all_r2 =
        data::linear_r2(p.dataset, data::covered(p.fold.train, test::kPlantLength), p.preprocessing.scaler);
    std::vector<double> r2(all_r2.begin() + 2, all_r2.end());  // of the effects
    std::vector<double> sorted = r2;
    std::ranges::sort(sorted);
    ASSERT_GT(sorted[1], sorted[0] + 0.01);
    const Features windows = p.features(p.fold.test);
    for (const double threshold : {0.0, (sorted[0] + sorted[1]) / 2, (sorted[1] + sorted[2]) / 2, 1.0}) {
        p.recipe.screening.coupled_r2 = threshold;
        const Detector fitted = p.fit();
        const Matrix parts = fitted.pipeline.scorers().front().scorer->judge(windows).by_channel;
        const std::vector<float> residual = fitted.pipeline.score(windows).column("residual");
        for (int64_t i = 0; i < parts.rows; ++i) {
            double sum = 0, coupled = 0;
            for (size_t c = 0; c < r2.size(); ++c)
                if (r2[c] > threshold || threshold == 1) sum += parts.row(i)[c], ++coupled;
            EXPECT_NEAR(residual[i], sum / coupled, 1e-5 * residual[i]) << threshold;
        }
    }
}

// Half of the healthy samples are held out, enough to judge the network by; under the paper's protocol they are tested.
void hold_out_half(recipe::Recipe& recipe) {
    recipe.split.train_fraction = 0.5;
    recipe.score.only = {"knn", "residual", "marginal", "lagged"};
}
void by_the_papers_protocol(recipe::Recipe& recipe) {
    hold_out_half(recipe);
    recipe.split.protocol = "paper";
    recipe.split.held_out = "validation+test";
}

TEST(Detector, UnderThePapersProtocolNothingIsFittedOnWhatIsTested) {
    SmallPlant p(by_the_papers_protocol);
    ASSERT_TRUE(std::ranges::includes(p.fold.test, p.fold.validation));
    const Detector before = p.fit();
    EXPECT_EQ(before.healthy.scores.rows, std::ssize(p.fold.train));
    // Other samples in all tested windows change nothing: the bank holds none of them.
    const Features windows = p.features(p.fold.train);
    for (const data::SampleRange& tested : data::covered(p.fold.test, test::kPlantLength))
        for (data::Samples& channel : p.dataset.recordings[tested.recording].channels)
            for (float& value : channel.values().subspan(tested.begin, tested.end - tested.begin)) value = 7 - value;
    expect_same(p.fit().pipeline.score(windows), before.pipeline.score(windows));
}

TEST(Detector, HeldOutWindowsThatAreNotTestedAreInTheBank) {
    const SmallPlant p(hold_out_half);
    EXPECT_EQ(p.fit().healthy.scores.rows, std::ssize(p.fold.train) + std::ssize(p.fold.validation));
}

// By the paper's protocol they weigh and calibrate, and no score is fitted on them.
TEST(Detector, UnderThePapersProtocolTheBankIsTheTrainingWindows) {
    for (const char* protocol : {"paper", "strict"}) {
        SmallPlant p([&](recipe::Recipe& recipe) {
            hold_out_half(recipe);
            recipe.split.protocol = protocol;
        });
        const data::FoldWindows runs = data::runs_of(p.fold);
        const bool paper = p.recipe.split.protocol == "paper";
        EXPECT_EQ(std::ssize(bank_windows(p.recipe, runs)),
                  std::ssize(p.fold.train) + (paper ? 0 : std::ssize(p.fold.validation)));
        const Detector before = p.fit();
        EXPECT_EQ(before.healthy.scores.rows, std::ssize(p.fold.train) + std::ssize(p.fold.validation));
        const Features windows = p.features(p.fold.test);
        for (const data::SampleRange& held_out : data::covered(p.fold.validation, test::kPlantLength))
            for (data::Samples& channel : p.dataset.recordings[held_out.recording].channels)
                for (float& value : channel.values().subspan(held_out.begin, held_out.end - held_out.begin))
                    value = 7 - value;
        const Scores then = before.pipeline.score(windows), now = p.fit().pipeline.score(windows);
        for (const char* name : {"knn", "lagged", "marginal"})
            EXPECT_EQ(then.column(name) == now.column(name), paper) << name;
    }
}

// A network that was not trained foretells nothing, so its mechanism is the linear one, bit by bit.
TEST(Detector, TheMechanismOfAUselessNetworkIsTheLinearOne) {
    for (const char* protocol : {"strict", "paper"}) {
        const SmallPlant p([&](recipe::Recipe& recipe) {
            recipe.split.train_fraction = 0.5;
            recipe.split.protocol = protocol;
        });
        const Detector fitted = p.fit();
        const Gates gates = fitted.pipeline.gates();
        ASSERT_EQ(gates.size(), 3u);
        EXPECT_FALSE(any_open(gates));
        const Scores scores = fitted.pipeline.score(p.dataset, p.fold.test);
        EXPECT_EQ(scores.column("mechanism"), scores.column("window"));
    }
}

TEST(Detector, HealthyScoresAreThoseOfTheTrace) {
    const HealthyTrace& trace = detector().healthy.trace;
    const Matrix& scores = detector().healthy.scores;
    ASSERT_EQ(std::ssize(trace.score), scores.rows);
    EXPECT_EQ(trace.score.size(), plant().fold.train.size() + plant().fold.validation.size());
    std::vector<double> combined;
    for (int64_t i = 0; i < scores.rows; ++i) combined.push_back(scores.row(i).back());
    const std::vector<double> slow = detector().healthy.clocks.slow(combined, trace.segment, trace.period_s);
    int64_t raised = 0;
    for (size_t i = 0; i < slow.size(); ++i) {
        EXPECT_EQ(trace.score[i], static_cast<float>(std::max(combined[i], slow[i])));
        raised += slow[i] > combined[i] ? 1 : 0;
    }
    EXPECT_GT(raised, 0) << "so that the test can fail";
    EXPECT_EQ(trace.period_s, test::kPlantStride);
    EXPECT_EQ(trace.end_s.front(), test::kPlantLength);
    EXPECT_EQ(detector().threshold(), std::ranges::max(trace.score));
}

// What falls between the windows of training counts against the promise, and nothing is fitted on it.
TEST(Detector, HealthyWindowsAreJudgedAsDenselyAsTheyWillBeScored) {
    SmallPlant p([](recipe::Recipe& recipe) {
        recipe.window.stride = test::kPlantStride;
        recipe.window.train_stride = 2 * test::kPlantStride;
    });
    data::Recording& recording = p.dataset.recordings[0];
    const int64_t between = 6 * test::kPlantLength + test::kPlantStride;
    const Detector before = p.fit();
    EXPECT_EQ(before.healthy.trace.period_s, test::kPlantStride);
    const auto count = std::ssize(p.fold.train) + std::ssize(p.fold.validation);
    EXPECT_GT(std::ssize(before.healthy.trace.score), 2 * count - 4);
    EXPECT_LT(std::ssize(before.healthy.trace.score), 2 * count);
    const test::TemporaryFolder folder;
    save_detector(before, folder / "dense.cmr");
    EXPECT_EQ(load_detector(folder / "dense.cmr").healthy.trace.score, before.healthy.trace.score);
    // Both windows of training hold half of what happens here, and one that is scored holds it whole.
    for (float& value : recording.channels[2].values().subspan(between, test::kPlantLength)) value = 20 - value;
    const HealthyTrace& trace = p.fit().healthy.trace;
    const auto highest = std::ranges::max_element(trace.score) - trace.score.begin();
    EXPECT_EQ(trace.end_s[highest], static_cast<double>(between + test::kPlantLength));
}

TEST(Detector, KnowsWhoDrivesWhom) {
    Eigen::MatrixXd drives;
    for (const NamedScorer& each : detector().pipeline.scorers())
        if (each.scorer->memory()) drives = each.scorer->memory()->drives();
    ASSERT_NE(drives, drives.transpose());
    EXPECT_EQ(detector().pipeline.drives(), drives);
}

// Of the last window of an alarm.
TEST(Detector, AnAlarmIsExplainedFromItsBeginningByTheLoudestVoice) {
    const ScoreRun all = run(detector(), plant().dataset);
    const int64_t last = std::ssize(all.windows) - 1;
    ASSERT_TRUE(all.windows[last].alarm);
    int64_t first = last;
    while (all.windows[first - 1].alarm || all.windows[first - 1].level >= detector().alarm.rule.release) --first;
    ASSERT_LT(first, last);
    ASSERT_EQ(all.windows[first].window.recording, 1);
    const Explanation why = explain(detector(), plant().dataset, all, last);
    EXPECT_EQ(why.onset_s, all.windows[first].end_s);
    const Combined& combined = detector().pipeline.combined();
    const Matrix voices = combined.voices_of({all.scores.names, all.scores.values});
    const auto loudest = std::ranges::max_element(voices.row(last)) - voices.row(last).begin();
    EXPECT_EQ(why.voice, combined.voices()[loudest]);
}

TEST(Detector, AWindowDoesNotSeeTheOthers) {
    const Scores all = detector().pipeline.score(plant().dataset, plant().fold.test);
    for (const int64_t i : {0, 7, 20}) {
        const Scores alone = detector().pipeline.score(plant().dataset, {plant().fold.test[i]});
        EXPECT_TRUE(std::ranges::equal(alone.values.values, all.values.row(i)));
        EXPECT_TRUE(std::ranges::equal(alone.residuals.values, all.residuals.row(i)));
    }
    EXPECT_EQ(detector().pipeline.score(plant().dataset, {}).values.rows, 0);
}

TEST(Detector, AFitDependsOnTheSeedAlone) {
    expect_same(plant().fit().pipeline.score(plant().dataset, plant().fold.test),
                detector().pipeline.score(plant().dataset, plant().fold.test));
}

TEST(Detector, ComesBackFromAFileWithTheSameBits) {
    const test::TemporaryFolder folder;
    for (const char* effect_input : {"signal", "innovation", "both"})
        for (const char* pooling : {"std", "mean-pca", "cause-encoder"}) {
            const SmallPlant p([&](recipe::Recipe& recipe) {
                recipe.model.effect_input = effect_input;
                recipe.score.pooling = pooling;
                recipe.score.metric = "cosine";
            });
            Detector fitted = p.fit();
            fitted.alarm = {Calibration{.threshold = 3.25, .promised_per_day = 1}, {.on_delay_s = 30}};
            save_detector(fitted, folder / "a.cmr");
            const Detector loaded = load_detector(folder / "a.cmr");
            expect_same(loaded.pipeline.score(p.dataset, p.fold.test), fitted.pipeline.score(p.dataset, p.fold.test));
            EXPECT_EQ(loaded.healthy.scores.values, fitted.healthy.scores.values);
            EXPECT_EQ(loaded.healthy.trace.end_s, fitted.healthy.trace.end_s);
            EXPECT_EQ(loaded.healthy.trace.segment, fitted.healthy.trace.segment);
            EXPECT_EQ(loaded.p_value(2), fitted.p_value(2));
            EXPECT_EQ(loaded.threshold(), 3.25);
            EXPECT_EQ(loaded.alarm.rule.on_delay_s, 30);
            EXPECT_EQ(loaded.provenance.seed, 7);
            EXPECT_EQ(loaded.provenance.recipe, fitted.provenance.recipe);
            EXPECT_EQ(loaded.fold, fitted.fold);
        }
}

TEST(Detector, WorksAndComesBackWithoutANetwork) {
    const test::TemporaryFolder folder;
    const Detector bare = plant().fit_bare();
    EXPECT_THAT(bare.names(),
                testing::ElementsAre("marginal", "lagged", "window", "pca", "raw-knn", "pca-t2", "dynamic", "drift",
                                     "dpca", "cva", "isolation-forest", "random", "combined"));
    save_detector(bare, folder / "a.cmr");
    expect_same(load_detector(folder / "a.cmr").pipeline.score(plant().dataset, plant().fold.test),
                bare.pipeline.score(plant().dataset, plant().fold.test));
}

TEST(Detector, AWildValueIsAHighScoreAndNoFailure) {
    const std::vector<data::Window> windows = {plant().fold.test.front()};
    const double usual = detector().pipeline.score(plant().dataset, windows).column("combined").front();
    for (const float wild : {1e6f, 1e15f, 1e30f, 3e38f, -3e38f})
        for (const bool effect : {false, true}) {
            data::Dataset sick = test::small_dataset();
            sick.recordings[windows[0].recording].channels[effect ? 2 : 0].values()[windows[0].begin + 10] = wild;
            const Scores found = detector().pipeline.score(sick, windows);
            for (const float value : found.values.values) EXPECT_TRUE(std::isfinite(value)) << wild;
            EXPECT_GT(found.column("combined").front(), usual);
        }
}

// Golden windows are in the bank: with k = 1 nothing but rounding is left of their distance.
TEST(Detector, IsReadOnProcessorsThatRoundDifferently) {
    const test::TemporaryFolder folder;
    const kernels::Isa before = kernels::current_isa();
    const SmallPlant p([](recipe::Recipe& recipe) { recipe.score.k = 1; });
    save_detector(p.fit(), folder / "a.cmr");
    for (const kernels::Isa isa : kernels::available_isas()) {
        kernels::use_isa(isa);
        EXPECT_NO_THROW(load_detector(folder / "a.cmr")) << kernels::name(isa);
    }
    kernels::use_isa(before);
}

TEST(Detector, IsReadInOtherPrecisionsThanItWasFittedIn) {
    const test::TemporaryFolder folder;
    const SmallPlant p;
    const Detector fitted = p.fit();
    save_detector(fitted, folder / "a.cmr");
    kernels::use_twin(true);
    if (!kernels::missing(kernels::Precision::bf16x3).empty()) GTEST_SKIP() << "no twin here";
    for (const char* precision : {"float32", "bf16x3", "bf16"}) {
        setenv("CMR_PRECISION", precision, 1);
        EXPECT_NO_THROW(load_detector(folder / "a.cmr")) << precision;
    }
    unsetenv("CMR_PRECISION");
    kernels::use_twin(false);
}

// Windows as long as the stride touch where two segments do; a night lies between these.
TEST(Detector, HealthyStretchesEndWhereTimeSteps) {
    SmallPlant p([](recipe::Recipe& recipe) { recipe.window.stride = test::kPlantLength; });
    p.dataset.recordings[0].segments = {{0, 640, 0.0}, {640, 1600, 36'640.0}};
    const HealthyTrace trace = p.fit().healthy.trace;
    EXPECT_EQ(trace.segment[19], trace.segment[0]);
    EXPECT_NE(trace.segment[20], trace.segment[19]);
    EXPECT_EQ(trace.end_s[20], 36'640.0 + test::kPlantLength);
}

TEST(Detector, KnowsHowManyMachinesItKnowsWhereAnotherWillBeWatched) {
    SmallPlant p;
    EXPECT_EQ(p.fit_bare().healthy.trace.machines, 0);
    p.recipe.split.kind = "leave-units-out";
    EXPECT_EQ(p.fit_bare().healthy.trace.machines, 1);
}

TEST(Detector, NeedsEnoughHealthyWindows) {
    const SmallPlant p([](recipe::Recipe& recipe) { recipe.score.blocks = 60; });
    test::expect_input_error([&] { p.fit(); }, {"healthy windows", "120"});
}

}  // namespace
}  // namespace cmr::score
