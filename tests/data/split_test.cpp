#include "data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/synthetic.h"
#include "support/expect_input_error.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::expect_input_error;
using test::make_dataset;
using test::make_recipe;
using test::mark;
using test::sample_set;
using testing::ElementsAre;

std::vector<int32_t> recordings_of(const std::vector<Window>& windows) {
    std::set<int32_t> out;
    for (const Window& w : windows) out.insert(w.recording);
    return {out.begin(), out.end()};
}

int64_t faulty(const std::vector<Window>& windows) {
    return std::ranges::count(windows, State::kFaulty, &Window::state);
}

TEST(Split, OfTheHydraulicRigIsThePapers) {
    Dataset dataset = make_dataset();
    const int64_t cycles = 489 + 960, cycle = 4;
    Recording& recording = add_recording(dataset, cycles * cycle, 1);
    mark(recording, 489 * cycle, (489 + 480) * cycle, State::kFaulty, 0);
    mark(recording, (489 + 480) * cycle, cycles * cycle, State::kFaulty, 1);
    recipe::Recipe recipe = make_recipe(cycle, cycle);
    recipe.split.held_out = "validation+test";
    recipe.split.protocol = "paper";
    const auto folds = make_folds(dataset, recipe);
    ASSERT_EQ(folds.size(), 1u);
    EXPECT_EQ(folds[0].train.size(), 415u);
    EXPECT_EQ(folds[0].validation.size(), 74u);
    EXPECT_EQ(folds[0].test.size(), 74u + 960u);
    EXPECT_EQ(faulty(folds[0].test), 960);
    EXPECT_EQ(folds[0].purged, 0);
}

TEST(Split, OfTheWaterPlantIsThePapers) {
    Dataset dataset = make_dataset({true});
    add_recording(dataset, 473'400, 1);
    add_recording(dataset, 449'919, 2, /*part=*/1);
    recipe::Recipe recipe = make_recipe(256, 128);
    recipe.split.purge = 384;
    recipe.split.protocol = "paper";
    const auto folds = make_folds(dataset, recipe);
    ASSERT_EQ(folds.size(), 1u);
    EXPECT_EQ(folds[0].train.size(), 3'142u);
    EXPECT_EQ(folds[0].validation.size(), 551u);
    EXPECT_EQ(folds[0].test.size(), 3'513u);
}

Dataset six_bearings() {
    Dataset dataset = make_dataset();
    for (const char* unit : {"K001", "K002", "K003", "K004", "K005", "K006", "KA01"})
        for (int run = 0; run < 2; ++run) {
            Recording& recording = add_recording(dataset, 40, dataset.recordings.size());
            recording.unit = unit;
            if (recording.unit == "KA01") mark(recording, 0, 40, State::kFaulty, 0);
        }
    return dataset;
}

TEST(Split, LeavesOutEveryPairOfBearingsInThePapersOrder) {
    const Dataset dataset = six_bearings();
    recipe::Recipe recipe = make_recipe(10, 5);
    recipe.split.kind = "leave-units-out";
    recipe.split.held_out = "validation+test";
    recipe.split.protocol = "paper";
    const auto folds = make_folds(dataset, recipe);
    std::vector<std::string> names;
    for (const Fold& fold : folds) names.push_back(fold.name);
    EXPECT_THAT(names, ElementsAre("K001+K002", "K001+K003", "K001+K004", "K001+K005", "K001+K006", "K002+K003",
                                   "K002+K004", "K002+K005", "K002+K006", "K003+K004", "K003+K005", "K003+K006",
                                   "K004+K005", "K004+K006", "K005+K006"));
    for (const Fold& fold : folds) {
        EXPECT_EQ(fold.train.size(), 4u * 2 * 7);  // four bearings, two files, seven windows
        EXPECT_EQ(fold.validation.size(), 2u * 2 * 7);
        EXPECT_EQ(fold.test.size(), 3u * 2 * 7);
        EXPECT_EQ(faulty(fold.test), 2 * 7);
    }
    EXPECT_THAT(recordings_of(folds[0].train), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
    EXPECT_THAT(recordings_of(folds[0].test), ElementsAre(0, 1, 2, 3, 12, 13));
}

TEST(Split, NamesUnitsInTheOrderOfTheirNumbers) {
    Dataset dataset = make_dataset();
    for (const char* unit : {"B10", "B2", "B1"}) add_recording(dataset, 40, dataset.recordings.size()).unit = unit;
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.kind = "leave-units-out";
    const auto folds = make_folds(dataset, recipe);
    ASSERT_EQ(folds.size(), 3u);
    EXPECT_EQ(folds[0].name, "B1+B2");
    EXPECT_EQ(folds[2].name, "B2+B10");
}

TEST(Split, NeedsMoreUnitsThanItLeavesOut) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 40, 1).unit = "a";
    add_recording(dataset, 40, 2).unit = "b";
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.kind = "leave-units-out";
    expect_input_error([&] { make_folds(dataset, recipe); }, {"synthetic", "leave_out = 2", "found 2"});
    dataset.recordings[0].unit.clear();
    recipe.split.leave_out = 1;
    expect_input_error([&] { make_folds(dataset, recipe); }, {"{unit}", "found 0"});
}

TEST(Split, ByFileKeepsFilesWhole) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 10; ++i) add_recording(dataset, 40, i);
    mark(dataset.recordings[1], 0, 10, State::kFaulty);  // in training: its fault is of no use
    mark(dataset.recordings[9], 0, 10, State::kFaulty);
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.kind = "by-file";
    recipe.split.train_fraction = 0.7;
    const auto folds = make_folds(dataset, recipe);
    ASSERT_EQ(folds.size(), 1u);
    EXPECT_THAT(recordings_of(folds[0].train), ElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(recordings_of(folds[0].validation), ElementsAre(7, 8, 9));
    EXPECT_THAT(recordings_of(folds[0].test), ElementsAre(9));
    EXPECT_EQ(folds[0].train.size(), 27u);
    EXPECT_EQ(faulty(folds[0].test), 1);
}

TEST(Split, ByFileTrainsInTheOrderOfTheRecipe) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 6; ++i) add_recording(dataset, 40, i);
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.kind = "by-file";
    recipe.split.train_fraction = 0.5;
    recipe.split.order = {"file5.csv", "file*.csv"};
    EXPECT_THAT(recordings_of(make_folds(dataset, recipe).at(0).train), ElementsAre(0, 1, 5));
    recipe.split.order = {"file4.csv", "file2.csv"};
    const Fold fold = make_folds(dataset, recipe).at(0);
    EXPECT_THAT(recordings_of(fold.train), ElementsAre(0, 2, 4)) << "what is not listed follows";
    EXPECT_THAT(recordings_of(fold.validation), ElementsAre(1, 3, 5));
    recipe.split.order = {"file4.csv", "file9.csv"};
    expect_input_error([&] { make_folds(dataset, recipe); }, {"split.order has 'file9.csv'"});
}

TEST(Split, AFileThatIsTooShortDoesNotStopTheOtherFolds) {
    Dataset dataset = make_dataset();
    for (const int64_t length : {200, 12, 200}) add_recording(dataset, length, length);
    recipe::Recipe recipe = make_recipe(10, 5);
    recipe.split.per = "recording";
    std::vector<std::string> left_out;
    const auto folds = make_folds(dataset, recipe, &left_out);
    ASSERT_EQ(folds.size(), 2u);
    EXPECT_EQ(folds[0].name, "file0.csv");
    EXPECT_EQ(folds[1].name, "file2.csv");
    EXPECT_THAT(left_out, ElementsAre("file1.csv"));
    recipe.window.length = 150;
    expect_input_error([&] { make_folds(dataset, recipe); }, {"fold file0.csv: no window left for"});
}

TEST(Split, ByFileTestsOnEveryFileThatIsAllFaulty) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 10; ++i) add_recording(dataset, 40, i);
    for (const int i : {0, 1, 2, 3}) mark(dataset.recordings[i], 0, 40, State::kFaulty);
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.kind = "by-file";
    recipe.split.train_fraction = 0.5;
    const Fold fold = make_folds(dataset, recipe).at(0);
    EXPECT_THAT(recordings_of(fold.test), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(recordings_of(fold.train), ElementsAre(4, 5, 6));
    EXPECT_THAT(recordings_of(fold.validation), ElementsAre(7, 8, 9));
}

TEST(Split, PerRecordingTrainsOnTheBeginningOfEach) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 3; ++i) mark(add_recording(dataset, 200, i), 150, 180, State::kFaulty, 0);
    recipe::Recipe recipe = make_recipe(10, 5);
    recipe.window.train_stride = 1;
    recipe.split.per = "recording";
    recipe.split.train_samples = 100;
    recipe.split.held_out = "validation+test";
    const auto folds = make_folds(dataset, recipe);
    ASSERT_EQ(folds.size(), 3u);
    EXPECT_EQ(folds[1].name, "file1.csv");
    for (size_t f = 0; f < 3; ++f) {
        for (const auto* side : {&folds[f].train, &folds[f].validation, &folds[f].test})
            EXPECT_THAT(recordings_of(*side), ElementsAre(static_cast<int32_t>(f)));
        // 91 windows end within 100 samples; the last 13 are for validation, of which 9 share samples with training.
        EXPECT_EQ(folds[f].train.size(), 78u);
        EXPECT_EQ(folds[f].validation.size(), 4u);
        EXPECT_EQ(folds[f].test.front().begin, 100);
        EXPECT_EQ(folds[f].test.size(), 19u);
        EXPECT_EQ(faulty(folds[f].test), 7);  // beginning at 145 … 175
    }
}

TEST(Split, StrictNeverTestsOnValidationAndPaperDoes) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 1000, 1);
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.held_out = "validation+test";
    const Fold strict = make_folds(dataset, recipe).at(0);
    EXPECT_EQ(strict.train.size(), 73u);  // 85, of which 15 % validate: 72.25 stay, rounded up
    EXPECT_EQ(strict.validation.size(), 12u);
    EXPECT_EQ(strict.test.size(), 15u);
    recipe.split.protocol = "paper";
    const Fold paper = make_folds(dataset, recipe).at(0);
    EXPECT_EQ(paper.train.size(), 85u);
    EXPECT_EQ(paper.validation, paper.test);
    recipe.split.held_out = "validation";
    EXPECT_EQ(make_folds(dataset, recipe).at(0).validation.size(), 15u);
    EXPECT_TRUE(make_folds(dataset, recipe).at(0).test.empty());
}

TEST(Split, PaperWithoutSharedWindowsKeepsFaultyNeighboursOutOfTheTest) {
    Dataset dataset = make_dataset();
    mark(add_recording(dataset, 1000, 1), 950, 1000, State::kFaulty);
    recipe::Recipe recipe = make_recipe(10, 5);
    recipe.split.protocol = "paper";
    const Fold fold = make_folds(dataset, recipe).at(0);
    EXPECT_EQ(fold.validation.back().begin, 940);
    EXPECT_EQ(fold.test.front().begin, 950);
    EXPECT_GT(fold.purged, 0);
}

TEST(Split, PurgeLeavesThatManySamplesBetween) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 1000, 1);
    for (const int64_t purge : {0, 1, 10, 11, 50}) {
        recipe::Recipe recipe = make_recipe(10, 10);
        recipe.split.purge = purge;
        const Fold fold = make_folds(dataset, recipe).at(0);
        EXPECT_EQ(fold.train.back().begin, 840);
        EXPECT_EQ(fold.validation.front().begin, 850 + (purge + 9) / 10 * 10) << purge;
        EXPECT_EQ(fold.purged, (purge + 9) / 10);
    }
}

TEST(Split, FractionsAreNotLostToRounding) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 1000, 1);
    recipe::Recipe recipe = make_recipe(10, 10);
    for (const double fraction : {0.07, 0.14, 0.28, 0.29, 0.55, 0.56, 0.57, 0.58}) {
        recipe.split.train_fraction = fraction;
        EXPECT_EQ(make_folds(dataset, recipe).at(0).train.size(), static_cast<size_t>(std::llround(100 * fraction)));
    }
}

TEST(Split, KeepsSomethingToTrainOnHoweverMuchValidates) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 8; ++i) add_recording(dataset, 40, i);
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.train_fraction = 1.0;
    for (const double fraction : {0.05, 0.15, 0.5, 0.7, 0.95}) {
        recipe.split.validation_fraction = fraction;
        const Fold fold = make_folds(dataset, recipe).at(0);
        EXPECT_FALSE(fold.train.empty()) << fraction;
        EXPECT_FALSE(fold.validation.empty()) << fraction;
    }
}

TEST(Split, SaysWhenNothingIsLeft) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 100, 1);
    expect_input_error([&] { make_folds(dataset, make_recipe(101, 10)); }, {"no healthy window of 101 samples"});
    expect_input_error([&] { make_folds(dataset, make_recipe(100, 10)); }, {"no window left for training"});
    recipe::Recipe recipe = make_recipe(10, 10);
    recipe.split.purge = 1000;
    expect_input_error([&] { make_folds(dataset, recipe); }, {"no window left for validation"});
}

// Whatever the data and the settings: a split is refused, or no sample is nearer than the purge gap to the other side.
TEST(Split, OfRandomDataSharesNoSample) {
    Rng rng(11);
    int made = 0;
    for (int round = 0; round < 600; ++round) {
        Dataset dataset = make_dataset({true});
        const uint64_t files = 1 + rng.below(9);
        for (uint64_t i = 0; i < files; ++i) {
            const auto length = static_cast<int64_t>(30 + rng.below(150));
            Recording& recording = add_recording(dataset, length, rng.next(), rng.below(6) == 0 ? 1 : 0);
            recording.unit = fmt::format("u{}", rng.below(5));
            for (uint64_t marks = rng.below(4); marks > 0; --marks) {
                const auto at = static_cast<int64_t>(rng.below(length));
                mark(recording, at, at + 1, rng.below(2) ? State::kFaulty : State::kExcluded, 0);
            }
            if (rng.below(4) == 0) test::make_absent(recording, 0, rng.below(length));
            if (rng.below(3) == 0) recording.segments = {{0, length / 2, 0.0}, {length / 2, length, 1e4}};
        }
        recipe::Recipe recipe = make_recipe(1 + rng.below(12), 1 + rng.below(15));
        recipe.window.train_stride = static_cast<int64_t>(rng.below(8));
        recipe.window.faulty_fraction = rng.below(2) ? 0.0 : 0.3;
        recipe::Split& split = recipe.split;
        split.kind = std::vector<std::string>{"chronological", "leave-units-out", "by-file"}[rng.below(3)];
        if (split.kind == "chronological" && rng.below(2)) split.per = "recording";
        split.train_fraction = rng.uniform(0.1, 1.0);
        split.train_samples = rng.below(3) ? 0 : static_cast<int64_t>(20 + rng.below(60));
        split.leave_out = static_cast<int64_t>(1 + rng.below(2));
        split.purge = rng.below(2) ? 0 : static_cast<int64_t>(rng.below(20));
        split.held_out = rng.below(2) ? "validation" : "validation+test";
        split.validation_fraction = rng.uniform(0.05, 0.9);
        split.protocol = rng.below(2) ? "strict" : "paper";
        std::vector<Fold> folds;
        try {
            folds = make_folds(dataset, recipe);
        } catch (const InputError& error) {
            // Data without copies and dates can only be too few, or units be in training and test at once.
            const std::string text = error.what();
            EXPECT_TRUE(text.find("leakage: the unit") == 0 || text.find("leakage") == std::string::npos) << text;
            continue;
        }
        const int64_t length = recipe.window.length;
        const auto disjoint = [&](const std::vector<Window>& a, const std::vector<Window>& b, int64_t margin) {
            const auto wide = sample_set(a, length, margin), other = sample_set(b, length);
            return std::ranges::none_of(other, [&](const auto& sample) { return wide.contains(sample); });
        };
        for (const Fold& fold : folds) {
            ++made;
            EXPECT_FALSE(fold.train.empty());
            EXPECT_FALSE(fold.validation.empty());
            EXPECT_TRUE(disjoint(fold.train, fold.test, split.purge)) << round;
            EXPECT_TRUE(disjoint(fold.train, fold.validation, split.purge)) << round;
            if (split.protocol == "strict") {
                EXPECT_TRUE(disjoint(fold.validation, fold.test, split.purge)) << round;
            }
            for (const auto* side : {&fold.train, &fold.validation})
                for (const auto& [recording, i] : sample_set(*side, length)) {
                    const Recording& r = dataset.recordings[recording];
                    EXPECT_EQ(dataset.parts[r.part].role, "fit");
                    EXPECT_FALSE(std::isnan(r.channels[0][i]));
                    const auto span = std::ranges::upper_bound(r.spans, i, {}, &Span::end);
                    EXPECT_EQ(span->state, State::kHealthy);
                }
        }
    }
    EXPECT_GT(made, 200);
}

}  // namespace
}  // namespace cmr::data
