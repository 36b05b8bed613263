// Whose fault it is: a sensor's, or of what it measures.

#include <gtest/gtest.h>

#include "score/explain/explain.h"
#include "score/explain/sentence.h"
#include "score/explain/verdict.h"
#include "score/small_plant.h"

namespace cmr::score {
namespace {

// With some effects far off at the end of the test recording, from sample 320 on, and one that stands still.
Explanation explained(const std::vector<int64_t>& channels, int64_t still = -1) {
    static const test::SmallPlant plant;
    static const Detector detector = plant.fit_bare();
    data::Dataset dataset = test::make_dataset({false, false, true, true, true});
    dataset.channels = plant.dataset.channels;
    data::Recording& recording = test::add_plant_recording(dataset, 480, 2, 1);
    for (const int64_t c : channels)
        for (float& value : recording.channels[c].values().subspan(320)) value += 30;
    if (still >= 0) {
        const auto rest = recording.channels[still].values().subspan(320);
        std::ranges::fill(rest, rest.front());
    }
    const ScoreRun run = score::run(detector, dataset, 0, nullptr);
    return explain(detector, dataset, run, std::ssize(run.windows) - 1);
}

Verdict verdict_of(const std::vector<int64_t>& channels) { return explained(channels).verdict; }

TEST(Verdict, BlamesTheSensorThatIsOffAlone) {
    for (const int64_t effect : {2, 3, 4}) {
        const Explanation found = explained({effect});
        EXPECT_EQ(found.verdict, Verdict::kSensorSick) << effect;
        EXPECT_EQ(found.sensors.front().sickness, Sickness::kOutsideRange);
        EXPECT_EQ(found.sensors.front().name, found.effects.front().name);
        EXPECT_NE(found.sentence.find("outside range. The alarm since"), std::string::npos) << found.sentence;
    }
}

TEST(Verdict, DoesNotBlameASensorWhereOthersAreOffToo) {
    EXPECT_EQ(verdict_of({2, 3}), Verdict::kMechanismBroke);
    EXPECT_EQ(verdict_of({3, 4}), Verdict::kMechanismBroke);
    EXPECT_EQ(verdict_of({2, 3, 4}), Verdict::kMechanismBroke);
}

TEST(Verdict, NamesAFrozenSensorWhateverTheOthersDo) {
    const Explanation found = explained({2, 3}, 4);
    EXPECT_EQ(found.verdict, Verdict::kSensorSick);
    EXPECT_EQ(found.sensors.front().sickness, Sickness::kFrozen);
    EXPECT_EQ(found.sensors.front().name, "flow, \"main\"");
    EXPECT_TRUE(found.effects.front().frozen);
    EXPECT_EQ(found.effects.front().name, "flow, \"main\"");
    EXPECT_NE(found.sentence.find("is sick: frozen"), std::string::npos) << found.sentence;
}

// Nothing that is coupled could say that it still follows its causes.
TEST(Verdict, BlamesNoSensorWhereNothingIsCoupled) {
    const recipe::Recipe recipe = test::small_recipe();
    data::Dataset dataset = test::small_dataset();
    for (data::Recording& recording : dataset.recordings) {
        Rng rng(static_cast<uint64_t>(recording.length()));
        for (const int64_t c : {2, 3, 4})
            for (float& value : recording.channels[c].values()) value = static_cast<float>(rng.normal());
    }
    for (float& value : dataset.recordings[1].channels[2].values().subspan(320)) value += 30;
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    const Detector detector = fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {}, {});
    const ScoreRun run = score::run(detector, dataset, 0, nullptr);
    const Explanation found = explain(detector, dataset, run, std::ssize(run.windows) - 1);
    EXPECT_EQ(found.verdict, Verdict::kMechanismBroke);
    EXPECT_EQ(found.effects.front().name, "inlet");
    EXPECT_LT(found.effects.front().coupling, 0.1);
    EXPECT_EQ(found.sentence.find("follow"), std::string::npos) << found.sentence;
    EXPECT_NE(found.sentence.find("too little"), std::string::npos) << found.sentence;
}

// The inlet hears the speed of another time, or something else on top.
TEST(Verdict, NamesACauseThatExplainsTheResidualAndNoneThatDoesNot) {
    static const test::SmallPlant plant;
    static const Detector detector = plant.fit_bare();
    const auto explained_with = [&](bool broken) {
        data::Dataset dataset = test::make_dataset({false, false, true, true, true});
        dataset.channels = plant.dataset.channels;
        data::Recording& recording = test::add_plant_recording(dataset, 480, 2, 1);
        const auto speed = recording.channels[0].values(), inlet = recording.channels[2].values();
        Rng rng(5);
        for (int64_t t = 320; t < 480; ++t)
            inlet[t] += broken ? 2 * speed[t - 150] - 2 * speed[t] : static_cast<float>(3 * rng.normal());
        const ScoreRun run = score::run(detector, dataset, 0, nullptr);
        return explain(detector, dataset, run, std::ssize(run.windows) - 1);
    };
    const Explanation broken = explained_with(true);
    EXPECT_TRUE(broken.cause_named);
    EXPECT_NE(broken.sentence.find("inlet stopped following speed"), std::string::npos) << broken.sentence;
    const Explanation added = explained_with(false);
    EXPECT_FALSE(added.cause_named);
    EXPECT_EQ(added.effects.front().name, "inlet");
    EXPECT_EQ(added.sentence.find("speed"), std::string::npos) << added.sentence;
}

// A cause where it never was, and an effect that does not follow it there.
TEST(Verdict, RanksChannelsOutsideTheRangeAndNamesFileAndTime) {
    static const test::SmallPlant plant;
    static const Detector detector = plant.fit_bare();
    data::Dataset dataset = test::make_dataset({false, false, true, true, true});
    dataset.channels = plant.dataset.channels;
    data::Recording& recording = test::add_plant_recording(dataset, 480, 2, 1);
    recording.name = "march.csv";
    recording.dated = true;
    recording.segments.front().start_s = 1.5e9;  // 2017-07-14 02:40:00
    for (float& value : recording.channels[1].values().subspan(320)) value += 30;
    const ScoreRun run = score::run(detector, dataset, 0, nullptr);
    const Explanation found = explain(detector, dataset, run, std::ssize(run.windows) - 1);
    EXPECT_EQ(found.verdict, Verdict::kOutsideRange);
    EXPECT_EQ(found.causes.front().name, "load");
    EXPECT_GT(found.causes.front().alone, 10);
    EXPECT_LT(found.causes.back().alone, 3.5);
    for (const char* said : {"load the farthest", "most changed: ", "2017-07-14 02:4", "in march.csv"})
        EXPECT_NE(found.sentence.find(said), std::string::npos) << found.sentence;
}

// Whether or not it looks odd by itself: what never followed its causes cannot stop.
TEST(Verdict, DoesNotSayThatAnEffectStoppedFollowingWhatItNeverFollowed) {
    Explanation e;
    e.verdict = Verdict::kMechanismBroke;
    e.effects = {{.name = "shaking", .residual = 4, .alone = 3.4, .coupling = 0.02}};
    e.causes = {{.name = "voltage", .share = 0.01}};
    const std::string loose = sentence(e, "noon", 0.1);
    EXPECT_EQ(loose.find("follow"), std::string::npos) << loose;
    for (const char* said : {"shaking left what is healthy at noon", "still looks normal", "R² 0.02"})
        EXPECT_NE(loose.find(said), std::string::npos) << loose;
    e.effects.front().coupling = 0.8;
    EXPECT_EQ(sentence(e, "noon", 0.1),
              "shaking stopped following its causes at noon; by itself it still looks normal.");
}

// By evidence alone, above the alarm line.
Verdict reached(std::vector<ChannelEvidence> effects) {
    Explanation e;
    e.effects = std::move(effects);
    ScoredWindow window;
    window.level = e.level = 2;
    reach_verdict(e, window, 0.1);
    return e.verdict;
}

TEST(Verdict, BlamesNoSensorWhereTwoAreOddByThemselves) {
    const ChannelEvidence odd{.name = "front", .residual = 5, .alone = 6, .coupling = 0.9},
        calm{.name = "rear", .residual = 1, .alone = 1, .coupling = 0.9};
    EXPECT_EQ(reached({odd, calm}), Verdict::kEffectAbnormal);
    ChannelEvidence also = calm;
    also.alone = 4;
    EXPECT_EQ(reached({odd, also}), Verdict::kMechanismBroke);
    also = calm;
    also.residual = 4;
    EXPECT_EQ(reached({odd, also}), Verdict::kMechanismBroke);
    also = calm;
    also.coupling = 0.05;
    EXPECT_EQ(reached({odd, also}), Verdict::kMechanismBroke) << "nobody bears witness";
}

TEST(Verdict, SaysThatNoSingleEffectLeftWhereNoneDid) {
    Explanation e;
    e.verdict = Verdict::kMechanismBroke;
    e.voice = "cva";
    e.effects = {{.name = "inlet", .residual = 1.4, .alone = 1, .coupling = 0.9},
                 {.name = "outlet", .residual = 1.2, .alone = 1, .coupling = 0.9}};
    e.causes = {{.name = "speed", .share = 0.9}};
    const std::string whole = sentence(e, "noon", 0.1);
    EXPECT_EQ(whole.find("stopped following"), std::string::npos) << whole;
    for (const char* said : {"as a whole", "noon", "cva", "no effect by itself", "inlet is the farthest"})
        EXPECT_NE(whole.find(said), std::string::npos) << whole;
    e.effects.front().residual = 3.5;
    EXPECT_NE(sentence(e, "noon", 0.1).find("inlet stopped following"), std::string::npos);
}

TEST(Verdict, IsNormalWhereNothingIsOff) { EXPECT_EQ(verdict_of({}), Verdict::kNormal); }

}  // namespace
}  // namespace cmr::score
