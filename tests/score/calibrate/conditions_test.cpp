#include "score/calibrate/conditions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/synthetic.h"

namespace cmr::score {
namespace {

constexpr int64_t kLength = 16;  // of a window; a group has 64 samples

// Two channels of noise around 3 with deviation 2, and one that never moves.
data::Dataset plant(int64_t samples, uint64_t seed) {
    data::Dataset out = test::make_dataset({false, true, true});
    data::Recording& recording = test::add_recording(out, samples, seed);
    Rng rng(seed);
    for (int64_t c = 0; c < 2; ++c)
        for (float& value : recording.channels[c].values()) value = static_cast<float>(3 + 2 * rng.normal());
    for (float& value : recording.channels[2].values()) value = 7;
    return out;
}

struct Known {
    data::Dataset dataset = plant(64 * 50, 1);
    std::vector<data::SampleRange> all = {{0, 0, 64 * 50}};
    data::Scaler scaler = data::fit_scaler(dataset, all);
    Conditions conditions{dataset, scaler, all, kLength};

    std::vector<VoidPromise> broken(const data::Dataset& later) const {
        return conditions.broken(later, scaler, std::vector<data::SampleRange>{{0, 0, later.recordings[0].length()}},
                                 kLength);
    }
};

TEST(Conditions, HoldWhereHealthyTimeGoesOn) {
    const Known known;
    for (uint64_t seed = 2; seed < 30; ++seed) EXPECT_TRUE(known.broken(plant(64 * 40, seed)).empty()) << seed;
}

TEST(Conditions, SayWhatIsRoundedSinceWhen) {
    const Known known;
    data::Dataset later = plant(64 * 10, 2);
    for (float& value : later.recordings[0].channels[1].values().subspan(64 * 4)) value = 2 * std::round(value / 2);
    const auto found = known.broken(later);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].channel, 1);
    EXPECT_EQ(found[0].what, Condition::kResolution);
    EXPECT_EQ(found[0].since.begin, 64 * 4);
    EXPECT_NEAR(found[0].is, 2, 1e-5);
    EXPECT_LT(found[0].high, 0.5);
    const std::string text = to_text(found[0], "pressure");
    EXPECT_NE(text.find("pressure is rounded to 2,"), std::string::npos) << text;
}

TEST(Conditions, SayWhoseNoiseOrLevelIsAnother) {
    const Known known;
    for (const float factor : {0.2f, 5.0f}) {
        data::Dataset later = plant(64 * 6, 2);
        for (float& value : later.recordings[0].channels[0].values()) value = 3 + factor * (value - 3);
        const auto found = known.broken(later);
        ASSERT_EQ(found.size(), 1u) << factor;
        EXPECT_EQ(found[0].what, Condition::kNoise);
        EXPECT_NEAR(found[0].is / found[0].high, factor, 0.35 * factor);
        EXPECT_EQ(found[0].since.begin, 0);
    }
    data::Dataset later = plant(64 * 6, 2);
    for (float& value : later.recordings[0].channels[0].values()) value -= 9;
    const auto found = known.broken(later);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].what, Condition::kLevel);
    EXPECT_NEAR(found[0].is, -6, 0.5);
}

// One group may be odd by chance.
TEST(Conditions, ASingleGroupMakesNothingVoid) {
    const Known known;
    data::Dataset later = plant(64 * 6, 2);
    for (float& value : later.recordings[0].channels[0].values().subspan(128, 64)) value += 9;
    EXPECT_TRUE(known.broken(later).empty());
}

// A third of the samples of two groups in a row lies eight deviations higher.
TEST(Conditions, AnExcursionIsNoOtherLevel) {
    const Known known;
    data::Dataset later = plant(64 * 6, 2);
    for (const int64_t begin : {128, 192})
        for (float& value : later.recordings[0].channels[0].values().subspan(begin, 22)) value += 16;
    EXPECT_TRUE(known.broken(later).empty());
}

// It moved in two of fifty groups, which tells nothing of how it does.
TEST(Conditions, ASwitchThatHardlyEverMovesShowsLittleOfHow) {
    data::Dataset healthy = plant(64 * 50, 1), later = plant(64 * 6, 2);
    for (const int64_t begin : {64 * 10, 64 * 20}) healthy.recordings[0].channels[2].values()[begin + 5] = 8;
    const std::vector<data::SampleRange> all = {{0, 0, 64 * 50}}, rest = {{0, 0, 64 * 6}};
    const data::Scaler scaler = data::fit_scaler(healthy, all);
    ASSERT_FALSE(scaler.constant(2));
    for (int64_t t = 0; t < 64 * 6; t += 4) later.recordings[0].channels[2].values()[t] = 8;
    EXPECT_TRUE(Conditions(healthy, scaler, all, kLength).broken(later, scaler, rest, kLength).empty());
}

TEST(Conditions, ComeBackFromAFile) {
    const Known known;
    io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
    Archive archive(file, "c");
    known.conditions.save(archive);
    const Conditions loaded(archive, 3);
    data::Dataset later = plant(64 * 6, 2);
    for (float& value : later.recordings[0].channels[0].values()) value -= 9;
    const std::vector<data::SampleRange> all = {{0, 0, 64 * 6}};
    EXPECT_EQ(loaded.broken(later, known.scaler, all, kLength).size(), 1u);
    EXPECT_THROW(Conditions(archive, 4), InputError);
}

TEST(Conditions, AreUnknownWhereHealthyTimeIsShort) {
    const Known known;
    const Conditions few(known.dataset, known.scaler, std::vector<data::SampleRange>{{0, 0, 64 * 4 + 63}}, kLength);
    EXPECT_FALSE(few.known());
    data::Dataset later = plant(64 * 6, 2);
    for (float& value : later.recordings[0].channels[0].values()) value -= 9;
    EXPECT_TRUE(few.broken(later, known.scaler, known.all, kLength).empty());
    io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
    Archive archive(file, "c");
    few.save(archive);
    EXPECT_FALSE(Conditions(archive, 3).known());
}

}  // namespace
}  // namespace cmr::score
