// Whose fault it is: a sensor's, or of what it measures.

#include <gtest/gtest.h>

#include "score/explain/explain.h"
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

TEST(Verdict, IsNormalWhereNothingIsOff) { EXPECT_EQ(verdict_of({}), Verdict::kNormal); }

}  // namespace
}  // namespace cmr::score
