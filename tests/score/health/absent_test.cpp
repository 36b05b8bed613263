// One sensor that is not there, in new data.

#include "score/health/absent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "score/explain/explain.h"
#include "score/small_plant.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kLoad = 1, kInlet = 2, kOutlet = 3;  // channels; the causes come first

const SmallPlant& plant() {
    static const SmallPlant plant;
    return plant;
}

const Detector& detector() {
    static const Detector detector = plant().fit();
    return detector;
}

// The test recording as new data, whose samples may be changed.
data::Dataset new_data() {
    data::Dataset out = plant().dataset;
    out.recordings.erase(out.recordings.begin());
    for (data::PartFacts& part : out.parts) part.role = "new";
    data::Recording& recording = out.recordings.front();
    recording.spans = {{.begin = 0, .end = recording.length(), .state = data::State::kUnknown}};
    for (data::Samples& channel : recording.channels) {
        data::Samples own;
        own.append(std::as_const(channel).values());
        channel = std::move(own);
    }
    return out;
}

void remove(data::Dataset& dataset, int64_t channel, int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) dataset.recordings[0].channels[channel].values()[t] = kNan;
    dataset.recordings[0].absent += end - begin;
}

TEST(Absent, AnEffectIsReplacedAndTheOthersAreJudged) {
    data::Dataset dataset = new_data();
    const ScoreRun whole = run(detector(), dataset);
    remove(dataset, kOutlet, 0, 480);
    const ScoreRun found = run(detector(), dataset);
    ASSERT_EQ(found.windows.size(), whole.windows.size());
    const int64_t outlet = kOutlet - kInlet;
    for (size_t i = 0; i < found.windows.size(); ++i) {
        const ScoredWindow& w = found.windows[i];
        EXPECT_TRUE(w.judged);
        EXPECT_EQ(w.sensors[kOutlet], Sickness::kAbsent);
        EXPECT_EQ(w.sensors[kLoad], Sickness::kNone);
        EXPECT_TRUE(std::isfinite(w.level));
        for (const float value : found.scores.values.row(static_cast<int64_t>(i))) EXPECT_TRUE(std::isfinite(value));
        const auto residuals = found.scores.residuals.row(static_cast<int64_t>(i));
        for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(std::isnan(residuals[e]), e == outlet);
    }
    // The inlet that stopped following is still found, and the time before is still quiet.
    EXPECT_TRUE(found.windows.back().alarm);
    EXPECT_EQ(found.windows.front().alarm, whole.windows.front().alarm);
}

// What takes its place is close to what was there: the mechanism is linear but for noise.
TEST(Absent, TheExpectedEffectIsCloseToTheRealOne) {
    const data::Dataset dataset = new_data();
    const data::Window window{.recording = 0, .begin = 64};
    const FeatureExtractor& extract = detector().pipeline.features();
    const Features real = extract.samples(dataset, {window});
    Features holed = real;
    const int64_t length = test::kPlantLength, outlet = kOutlet - kInlet;
    const auto samples = holed.effects.row(0).subspan(outlet * length, length);
    std::fill(samples.begin() + 10, samples.begin() + 20, kNan);
    const std::vector<Absence> absent = fill_absent(detector().pipeline.mechanism(), holed, length);
    ASSERT_EQ(absent.size(), 1u);
    EXPECT_EQ(absent[0].effects, std::vector<int64_t>{outlet});
    EXPECT_FALSE(absent[0].unjudged());
    for (int64_t t = 0; t < length; ++t) {
        const float was = real.effects.row(0)[outlet * length + t];
        if (t < 10 || t >= 20)
            EXPECT_EQ(samples[t], was);
        else
            EXPECT_NEAR(samples[t], was, 0.5);  // in deviations of the channel; noise is a tenth
    }
}

// The outlet follows what a cause was one sample before.
TEST(Absent, BeforeTheWindowCausesWereAsAtItsBeginning) {
    const int64_t length = test::kPlantLength, outlet = kOutlet - kInlet;
    Features samples;
    samples.causes = Matrix(1, 2 * length);
    samples.effects = Matrix(1, 3 * length);
    std::ranges::fill(samples.causes.row(0).first(length), 1.5f);  // the speed, all the time
    const auto own = samples.effects.row(0).subspan(outlet * length, length);
    std::ranges::fill(own, kNan);
    fill_absent(detector().pipeline.mechanism(), samples, length);
    EXPECT_GT(std::abs(own.back()), 0.5);
    for (const float value : own) EXPECT_NEAR(value, own.back(), 1e-5);
}

TEST(Absent, WithoutACauseAWindowIsNotJudgedAndTheAlarmStaysAsItWas) {
    data::Dataset dataset = new_data();
    remove(dataset, kLoad, 400, 410);
    const ScoreRun found = run(detector(), dataset), whole = run(detector(), new_data());
    int64_t unjudged = 0;
    for (size_t i = 0; i < found.windows.size(); ++i) {
        const ScoredWindow& w = found.windows[i];
        const bool holed = w.window.begin < 410 && w.window.begin + test::kPlantLength > 400;
        EXPECT_EQ(w.judged, !holed);
        EXPECT_EQ(w.sensors[kLoad] == Sickness::kAbsent, holed);
        if (holed) {
            ++unjudged;
            EXPECT_TRUE(std::isnan(w.level));
            EXPECT_EQ(w.alarm, found.windows[i - 1].alarm);
        } else if (w.window.begin < 400) {
            EXPECT_EQ(w.level, whole.windows[i].level);
        }
    }
    EXPECT_EQ(unjudged, 2);
    EXPECT_TRUE(whole.windows[23].alarm);
    const std::string csv = to_csv(found, dataset);
    EXPECT_THAT(csv, testing::HasSubstr(",unjudged,,,new,,"));
    EXPECT_THAT(csv, testing::HasSubstr(",,,1,,load absent,"));  // p-value, level, alarm, outside range, sensors
}

// An effect that is absent all the time, and a cause for a moment of the trouble.
TEST(Absent, AnAlarmIsExplainedByWhatIsThere) {
    data::Dataset dataset = new_data();
    remove(dataset, kOutlet, 0, 480);
    remove(dataset, kLoad, 400, 401);
    const ScoreRun found = run(detector(), dataset);
    const Explanation last = explain(detector(), dataset, found, std::ssize(found.windows) - 1);
    EXPECT_EQ(last.effects.front().name, "inlet");
    EXPECT_EQ(last.sensors.front().name, "outlet");
    EXPECT_EQ(last.sensors.front().sickness, Sickness::kAbsent);
    for (const ChannelEvidence& effect : last.effects)
        EXPECT_TRUE(std::isfinite(effect.residual + effect.alone)) << effect.name;
    for (const auto& root : last.root) EXPECT_NE(root.name, "outlet");
    for (size_t i = 0; i < found.windows.size(); ++i)
        if (!found.windows[i].judged) {
            EXPECT_EQ(explain(detector(), dataset, found, static_cast<int64_t>(i)).verdict, Verdict::kUnjudged);
        }
}

TEST(Absent, WithoutAnyEffectNothingIsJudged) {
    data::Dataset dataset = new_data();
    for (int64_t channel = kInlet; channel < 5; ++channel) remove(dataset, channel, 0, 480);
    for (const ScoredWindow& w : run(detector(), dataset).windows) {
        EXPECT_FALSE(w.judged);
        EXPECT_FALSE(w.alarm);
    }
}

// Of the recipe's own data, which metrics are counted on, windows with absent samples are left out.
TEST(Absent, WindowsOfTheRecipesDataAreLeftOutAndCounted) {
    data::Dataset dataset = new_data();
    for (data::PartFacts& part : dataset.parts) part.role = "test";
    const int64_t all = std::ssize(run(detector(), dataset).windows);
    remove(dataset, kOutlet, 200, 201);
    const ScoreRun found = run(detector(), dataset);
    EXPECT_EQ(std::ssize(found.windows), all - 2);
    EXPECT_EQ(found.left_out, 2);
}

// 480 samples, windows of 32 every 16. From 0 to 99 five fit, and from 110 on others; of a time without a step seven
// would have begun before 110.
TEST(Absent, WindowsThatAStepInTimeCutsAreCounted) {
    data::Dataset dataset = new_data();
    dataset.recordings[0].segments = {{0, 100, 0.0}, {100, 480, 110.0}};
    const ScoreRun found = run(detector(), dataset);
    EXPECT_EQ(std::ssize(found.windows), 5 + (380 - 32) / 16 + 1);
    EXPECT_EQ(found.left_out, 2);
}

}  // namespace
}  // namespace cmr::score
