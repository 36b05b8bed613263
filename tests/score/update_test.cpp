#include "score/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "score/file/detector_file.h"
#include "score/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr::score {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Another day of the small plant on which the inlet stood `offset` higher: not what the model was fitted on, but
// healthy.
data::Dataset another_day(double offset, int64_t samples = 800, uint64_t seed = 9) {
    data::Dataset out = test::small_dataset();
    out.parts = {{"new data", "new", 1}};
    out.recordings.clear();
    data::Recording& day = test::add_plant_recording(out, samples, seed);
    day.name = "day.csv";
    day.spans = {{0, samples, data::State::kUnknown}};
    for (float& value : day.channels[2].values()) value += static_cast<float>(offset);
    return out;
}

MoreHealthy more(double offset, std::vector<HealthySpan> spans = {}) {
    return {{.file = "/plant/day.csv",
             .part = {},
             .settings = {},
             .spans = std::move(spans),
             .fingerprint = {},
             .windows = 0,
             .wall_s = 1.8e9,
             .who = "Ada",
             .why = "the filter was new"},
            another_day(offset)};
}

std::vector<MoreHealthy> one(MoreHealthy what) {
    std::vector<MoreHealthy> out;
    out.push_back(std::move(what));
    return out;
}

const test::SmallPlant& plant() {
    static const test::SmallPlant plant;
    return plant;
}
const Detector& fitted() {
    static const Detector detector = plant().fit();
    return detector;
}

double highest_level(const Detector& detector, const data::Dataset& day) {
    std::vector<data::Window> windows;
    data::cut_windows(day, 0, detector.recipe.window, detector.recipe.window.stride, windows);
    const auto scores = detector.pipeline.score(day, windows).column("combined");
    return *std::ranges::max_element(scores) / detector.threshold();
}

TEST(Update, WhatWasAFalseAlarmIsNoneAfterwards) {
    const Detector after = update(fitted(), test::small_dataset(), one(more(1.5)));
    // A day of the same kind, but other samples.
    const data::Dataset next = another_day(1.5, 800, 10);
    EXPECT_GT(highest_level(fitted(), next), 1.5);
    EXPECT_LT(highest_level(after, next), highest_level(fitted(), next) / 1.3);
    EXPECT_EQ(after.healthy.scores.rows, fitted().healthy.scores.rows + (800 - 32) / 16 + 1);
}

TEST(Update, LeavesTheNetworkTheScaleAndTheFoldAsTheyWere) {
    const Detector after = update(fitted(), test::small_dataset(), one(more(1.5)));
    EXPECT_EQ(after.pipeline.preprocessing().scaler.mean, fitted().pipeline.preprocessing().scaler.mean);
    EXPECT_EQ(after.fold, fitted().fold);
    EXPECT_EQ(after.provenance.fingerprint, fitted().provenance.fingerprint);
    const model::Model& was = fitted().pipeline.features().network();
    const model::Model& is = after.pipeline.features().network();
    ASSERT_FALSE(was.tensors.empty());
    for (const auto& tensor : was.tensors) EXPECT_EQ(is.values(tensor.name), was.values(tensor.name));
}

// With enough healthy time for a promise.
data::Dataset long_dataset() {
    data::Dataset out = test::small_dataset(), longer = test::small_dataset();
    longer.recordings.clear();
    out.recordings[0] = test::add_plant_recording(longer, 8000, 1);
    return out;
}

TEST(Update, MakesTheSamePromiseAnewByMoreDays) {
    const data::Dataset dataset = long_dataset();
    const recipe::Recipe recipe = test::small_recipe();
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    const Provenance origin{recipe::to_toml(recipe), fold.name, 0, 7, data::fingerprint(dataset), "1"};
    Detector before = fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {}, origin);
    const AlarmRule rule{.on_delay_s = 0, .off_delay_s = 0, .release = 0.9};
    before.alarm = {calibrate(before.healthy.trace, rule, 100), rule};
    const Detector after = update(before, long_dataset(), one(more(0)));
    ASSERT_TRUE(after.alarm.calibration);
    EXPECT_EQ(after.alarm.calibration->promised_per_day, 100);
    EXPECT_GT(after.alarm.calibration->healthy_days, before.alarm.calibration->healthy_days);
    EXPECT_EQ(after.alarm.rule.release, 0.9);
    EXPECT_FALSE(update(fitted(), test::small_dataset(), one(more(0))).alarm.calibration) << "none was promised";
}

TEST(Update, RemembersWhatWasAddedByWhomAndWhyAcrossAFile) {
    const test::TemporaryFolder folder;
    save_detector(update(fitted(), test::small_dataset(), one(more(1.5, {{0, 99}, {200, 399}}))), folder / "a.cmr");
    const std::vector<Addition> added = load_detector(folder / "a.cmr").provenance.added;
    ASSERT_EQ(added.size(), 1u);
    EXPECT_EQ(added[0].who, "Ada");
    EXPECT_EQ(added[0].why, "the filter was new");
    EXPECT_EQ(added[0].file, "/plant/day.csv");
    EXPECT_EQ(added[0].wall_s, 1.8e9);
    ASSERT_EQ(added[0].spans.size(), 2u);
    EXPECT_EQ(added[0].spans[1].begin_s, 200);
    // Whole windows of 32 samples, 16 apart, in 100 and in 200 samples.
    EXPECT_EQ(added[0].windows, 5 + 11);
}

TEST(Update, LearnsOnTopOfWhatItLearned) {
    const Detector first = update(fitted(), test::small_dataset(), one(more(1.5)));
    std::vector<MoreHealthy> both = one(more(1.5));
    both.push_back({{.file = "/plant/later.csv",
                     .part = {},
                     .settings = {},
                     .spans = {},
                     .fingerprint = {},
                     .windows = 0,
                     .wall_s = 0,
                     .who = {},
                     .why = {}},
                    another_day(0, 800, 11)});
    const Detector second = update(first, test::small_dataset(), std::move(both));
    EXPECT_EQ(second.provenance.added.size(), 2u);
    EXPECT_EQ(second.healthy.scores.rows, first.healthy.scores.rows + 49);
}

TEST(Update, RefusesOtherDataThanItWasFittedOn) {
    data::Dataset other = test::small_dataset();
    other.recordings[0].channels[1].values()[5] += 1;
    EXPECT_THAT([&] { update(fitted(), other, one(more(0))); },
                ThrowsMessage<InputError>(HasSubstr("not the data that the model was fitted on")));
    const Detector first = update(fitted(), test::small_dataset(), one(more(1.5)));
    std::vector<MoreHealthy> changed = one(more(1.6));
    changed.push_back(more(0));
    EXPECT_THAT([&] { update(first, test::small_dataset(), std::move(changed)); },
                ThrowsMessage<InputError>(HasSubstr("is another file now")));
}

TEST(Update, RefusesWhatIsTestedOrKnown) {
    for (const size_t recording : {size_t{1}, size_t{0}}) {  // tested, trained on
        MoreHealthy copied = more(0);
        copied.dataset.recordings[0] = test::small_dataset().recordings[recording];
        EXPECT_THAT([&] { update(fitted(), test::small_dataset(), one(std::move(copied))); },
                    ThrowsMessage<InputError>(HasSubstr("leakage")));
    }
    const Detector first = update(fitted(), test::small_dataset(), one(more(1.5)));
    std::vector<MoreHealthy> twice = one(more(1.5));
    twice.push_back(more(1.5));
    EXPECT_THAT([&] { update(first, test::small_dataset(), std::move(twice)); },
                ThrowsMessage<InputError>(HasSubstr("were added before")));
}

TEST(Update, TakesOtherSpansOfAFileThatItKnows) {
    const Detector first = update(fitted(), test::small_dataset(), one(more(1.5, {{0, 199}})));
    std::vector<MoreHealthy> both = one(more(1.5, {{0, 199}}));
    both.push_back(more(1.5, {{400, 599}}));
    EXPECT_EQ(update(first, test::small_dataset(), std::move(both)).provenance.added.size(), 2u);
}

TEST(Update, LeavesBehindWhatLiesOutsideTheSpans) {
    // An export in which days stand that the model knows, and one that it does not.
    MoreHealthy log = more(1.5, {{1600, 1999}});
    const data::Recording known = test::small_dataset().recordings[0];
    data::Recording& recording = log.dataset.recordings[0];
    for (size_t c = 0; c < recording.channels.size(); ++c) {
        data::Samples joined;
        joined.append(known.channels[c].values());
        joined.append(recording.channels[c].values());
        recording.channels[c] = std::move(joined);
    }
    recording.segments = {{0, 2400, 0}};
    recording.spans = {{0, 2400, data::State::kUnknown}};
    EXPECT_EQ(update(fitted(), test::small_dataset(), one(std::move(log))).provenance.added[0].windows, 24);
}

TEST(Update, RefusesDataWithoutAWholeWindow) {
    EXPECT_THAT(
        [&] {
            update(fitted(), test::small_dataset(), one(more(0, {{10, 30}})));
        },
        ThrowsMessage<InputError>(HasSubstr("no whole window of 32 samples")));
}

}  // namespace
}  // namespace cmr::score
