// Tries to get leaking folds past the check.

#include "data/leakage.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/files.h"
#include "data/load.h"
#include "data/synthetic.h"
#include "support/expect_input_error.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::copy_samples;
using test::expect_input_error;
using test::make_dataset;
using test::make_recipe;
using test::mark;
using test::TemporaryFolder;

constexpr int64_t kLength = 10;

Window window(int32_t recording, int64_t begin, State state = State::kHealthy) {
    return {.recording = recording, .begin = begin, .state = state};
}

std::vector<Window> windows(int32_t recording, int64_t begin, int64_t end) {
    std::vector<Window> out;
    for (int64_t i = begin; i + kLength <= end; i += kLength) out.push_back(window(recording, i));
    return out;
}

// 300 samples: 100 for each side.
struct Leakage : testing::Test {
    Leakage() {
        add_recording(dataset, 300, 1);
        fold.train = windows(0, 0, 100);
        fold.validation = windows(0, 100, 200);
        fold.test = windows(0, 200, 300);
    }
    void check() const { LeakageCheck(dataset, recipe)(fold); }
    void expect_refused(const std::vector<std::string>& words) const {
        expect_input_error([&] { check(); }, words);
    }

    Dataset dataset = make_dataset();
    recipe::Recipe recipe = make_recipe(kLength, kLength);
    Fold fold;
};

// Training is file 0, validation file 1, test file 2, of 300 samples each.
struct LeakageOfFiles : Leakage {
    LeakageOfFiles() {
        add_recording(dataset, 300, 2);
        add_recording(dataset, 300, 3);
        fold.train = windows(0, 0, 300);
        fold.validation = windows(1, 0, 300);
        fold.test = windows(2, 0, 300);
    }
    Recording& file(int i) { return dataset.recordings[i]; }
};

TEST_F(Leakage, IsNotSeenWhereThereIsNone) {
    EXPECT_NO_THROW(check());
    recipe.split.protocol = "paper";
    EXPECT_NO_THROW(check());
}

TEST_F(Leakage, OfAWholeWindowIsRefused) {
    fold.test.push_back(fold.train[3]);
    expect_refused({"training and test", "file0.csv samples 0 to 99", "file0.csv samples 30 to 39"});
    fold.test.pop_back();
    fold.train.push_back(fold.test[4]);
    expect_refused({"training and test", "file0.csv samples 240 to 249", "file0.csv samples 200 to 299"});
}

TEST_F(Leakage, OfOneSampleIsRefused) {
    fold.validation.clear();
    fold.test.push_back(window(0, 99));
    expect_refused({"training and test", "file0.csv samples 0 to 99", "file0.csv samples 99 to 108"});
    fold.test.back() = window(0, 100);
    EXPECT_NO_THROW(check());
}

TEST_F(Leakage, ByOneSampleOfThePurgeGapIsRefused) {
    recipe.split.purge = 20;
    fold.validation = {window(0, 120), window(0, 170)};
    EXPECT_NO_THROW(check());
    fold.validation = {window(0, 119), window(0, 170)};
    expect_refused({"training and validation", "samples 0 to 99", "samples 119 to 128", "purge gap: 20"});
    fold.validation = {window(0, 120), window(0, 171)};
    expect_refused({"validation and test", "samples 171 to 180", "samples 200 to 299"});
    fold.validation = {window(0, 150)};
    fold.test = {window(0, 119)};
    expect_refused({"training and test", "samples 119 to 128"});
}

TEST_F(Leakage, OfTestBeforeTrainingIsRefusedToo) {
    std::swap(fold.train, fold.test);
    EXPECT_NO_THROW(check());
    recipe.split.purge = 101;
    fold.validation = {window(0, 0)};
    expect_refused({"training and test", "samples 200 to 299", "samples 0 to 99"});
}

TEST_F(Leakage, OfUnhealthySamplesIntoTrainingOrValidationIsRefused) {
    mark(dataset.recordings[0], 55, 56, State::kFaulty);
    expect_refused({"a training window holds faulty samples", "file0.csv samples 50 to 59"});
    dataset.recordings[0].spans = {{.begin = 0, .end = 300}};
    mark(dataset.recordings[0], 55, 56, State::kExcluded);
    expect_refused({"a training window holds excluded samples", "file0.csv samples 50 to 59"});
    dataset.recordings[0].spans = {{.begin = 0, .end = 300}};
    mark(dataset.recordings[0], 199, 300, State::kFaulty);
    expect_refused({"a validation window holds faulty samples", "file0.csv samples 190 to 199"});
    dataset.recordings[0].spans = {{.begin = 0, .end = 300}};
    mark(dataset.recordings[0], 200, 300, State::kFaulty);
    EXPECT_NO_THROW(check());
}

TEST_F(Leakage, OfAbsentSamplesIntoTrainingOrValidationIsRefused) {
    test::make_absent(dataset.recordings[0], 1, 250);
    EXPECT_NO_THROW(check());
    test::make_absent(dataset.recordings[0], 1, 150);
    expect_refused({"a validation window holds absent samples", "file0.csv sample 150"});
    test::make_absent(dataset.recordings[0], 0, 0);
    expect_refused({"a training window holds absent samples", "file0.csv sample 0"});
}

TEST_F(Leakage, OfWindowsThatLeaveTheirRecordingIsRefused) {
    fold.train.push_back(window(0, 291));
    expect_refused({"leaves its recording", "samples 291 to 300"});
    fold.train.back() = window(0, -1);
    expect_refused({"leaves its recording"});
}

TEST_F(Leakage, OfValidationIntoTheTestIsRefusedWhereItIsStrict) {
    fold.validation = fold.test;
    expect_refused({"validation and test", "file0.csv samples 200 to 299"});
    recipe.split.protocol = "paper";
    recipe.split.held_out = "validation+test";
    EXPECT_NO_THROW(check());
    recipe.split.held_out = "validation";
    fold.validation = {window(0, 195)};
    expect_refused({"validation and test windows share", "samples 195 to 204", "samples 200 to 299"});
}

TEST_F(LeakageOfFiles, OfAUnitOnBothSidesIsRefused) {
    file(0).unit = file(2).unit = "K001";
    EXPECT_NO_THROW(check());
    recipe.split.kind = "leave-units-out";
    expect_refused({"the unit K001 is in training and in test"});
    file(2).unit = "K002";
    EXPECT_NO_THROW(check());
}

TEST_F(LeakageOfFiles, OfAFileOnBothSidesIsRefused) {
    recipe.split.kind = "by-file";
    fold.train = windows(0, 0, 150);
    fold.test = windows(0, 150, 300);
    expect_refused({"the file file0.csv is in training and in test"});
}

TEST_F(LeakageOfFiles, OfTheSameContentUnderAnotherNameIsRefused) {
    copy_samples(file(0), 0, file(2), 0, 300);
    expect_refused({"file2.csv samples 0 to 299 (test) is a copy of file0.csv samples 0 to 299 (training)"});
}

TEST_F(LeakageOfFiles, OfAStretchOf63SamplesIsRefusedAtEveryOffset) {
    for (int64_t offset = 0; offset < 64; ++offset) {
        copy_samples(file(0), 7 + offset, file(2), 101, 63);
        expect_refused({"file2.csv samples 101 to 163 (test)",
                        fmt::format("file0.csv samples {} to {} (training)", 7 + offset, 69 + offset)});
    }
}

TEST_F(LeakageOfFiles, OfAStretchThatIsNotUsedInTrainingIsNone) {
    copy_samples(file(0), 200, file(2), 0, 100);
    fold.train = windows(0, 0, 200);
    EXPECT_NO_THROW(check());
    fold.train = windows(0, 0, 210);
    expect_refused({"(test) is a copy of"});
}

TEST_F(LeakageOfFiles, OfOneHalfOfACopyIntoTheOtherIsNone) {
    copy_samples(file(0), 0, file(2), 0, 300);
    fold.train = windows(0, 0, 150);
    fold.test = windows(2, 150, 300);
    EXPECT_NO_THROW(check());
    fold.test = windows(2, 140, 300);
    expect_refused({"is a copy of"});
}

TEST_F(Leakage, OfACopyInsideARecordingIsRefused) {
    copy_samples(dataset.recordings[0], 20, dataset.recordings[0], 215, 70);
    expect_refused({"file0.csv samples 215 to 284 (test) is a copy of file0.csv samples 20 to 89 (training)"});
}

TEST_F(Leakage, HidesBehindNoRepeatingSignal) {
    // 30,000 samples that repeat every 50, all in training, and then a copy of noise.
    Recording& recording = add_recording(dataset, 30'500, 5);
    for (Samples& channel : recording.channels)
        for (int64_t i = 50; i < 30'000; ++i) channel.values()[i] = channel.values()[i % 50];
    copy_samples(recording, 30'000, dataset.recordings[0], 200, 100);
    fold.train = windows(1, 0, 30'500);
    fold.validation.clear();
    expect_refused({"file0.csv samples 200 to 299 (test) is a copy of file1.csv samples 30000 to 30099"});
}

TEST_F(LeakageOfFiles, OfOneMomentOfOneMachineInTwoFilesIsRefused) {
    for (int i : {0, 1, 2}) {
        file(i).dated = true;
        file(i).segments = {{0, 300, 1e9 + 1000.0 * i}};
    }
    EXPECT_NO_THROW(check());
    file(2).segments = {{0, 300, 1e9 + 299}};
    expect_refused({"file0.csv samples 0 to 299 (training)", "file2.csv samples 0 to 299 (test)", "at the same time"});
    file(2).segments = {{0, 300, 1e9 + 300}};
    EXPECT_NO_THROW(check());
    file(2).segments = {{0, 300, 1e9}};
    file(2).unit = "another machine";
    EXPECT_NO_THROW(check());
}

TEST_F(LeakageOfFiles, OfARecordingMadeDuringAPauseOfAnotherIsNone) {
    for (int i : {0, 2}) file(i).dated = true;
    file(0).segments = {{0, 150, 1e9}, {150, 300, 1e9 + 5000}};
    file(2).segments = {{0, 300, 1e9 + 1000}};
    EXPECT_NO_THROW(check());
    file(2).segments = {{0, 300, 1e9 + 4701}};
    expect_refused({"file0.csv samples 150 to 299 (training)", "at the same time"});
}

TEST_F(LeakageOfFiles, IsNotSeenInSignalsThatSayNothing) {
    for (int i : {0, 1, 2}) {
        std::ranges::fill(file(i).channels[0].values(), 3.5f);
        for (int64_t t = 0; t < 300; ++t) file(i).channels[1].values()[t] = (t + 7 * i) / 25 % 2 ? 1.0f : 0.0f;
    }
    EXPECT_NO_THROW(check());
}

TEST_F(LeakageOfFiles, OfAFileOfAFewValuesUnderAnotherNameIsRefused) {
    for (const uint64_t values : {2, 3, 8}) {
        Rng rng(values);
        for (int i : {0, 1, 2})
            for (Samples& channel : file(i).channels)
                for (float& value : channel.values()) value = static_cast<float>(rng.below(values));
        EXPECT_NO_THROW(check()) << values;
        copy_samples(file(0), 100, file(2), 50, 100);
        expect_refused({"file2.csv samples 50 to 149 (test) is a copy of file0.csv samples 100 to 199 (training)"});
    }
    // A valve that opens once: met by chance in part of a file, but not in the whole of it.
    for (int i : {0, 1, 2}) {
        std::ranges::fill(file(i).channels[0].values(), 3.5f);
        for (int64_t t = 0; t < 300; ++t) file(i).channels[1].values()[t] = t < 100 + i ? 0.0f : 1.0f;
    }
    EXPECT_NO_THROW(check());
    copy_samples(file(0), 0, file(2), 0, 300);
    expect_refused({"file2.csv samples 0 to 299 (test) is a copy of file0.csv samples 0 to 299 (training)"});
}

TEST(LeakageOfRandomData, IsNotSeen) {
    Dataset dataset = make_dataset({true});
    Rng rng(3);
    for (int i = 0; i < 6; ++i)  // 64 levels, as a coarse converter gives
        for (float& value : add_recording(dataset, 50'000, i).channels[0].values())
            value = static_cast<float>(rng.below(64));
    EXPECT_TRUE(find_copies(dataset).empty());
}

void write_csv(const fs::path& file, uint64_t seed) {
    Rng rng(seed);
    std::ofstream out(file);
    out << "x,y\n";
    for (int i = 0; i < 200; ++i) out << rng.normal() << "," << rng.normal() << "\n";
}

TEST(LeakageOfLoadedFiles, ThroughLinksAndCopiesIsRefused) {
    for (const char* kind : {"symbolic link", "hard link", "copy"}) {
        const TemporaryFolder folder;
        write_csv(folder / "a.csv", 1);
        write_csv(folder / "b.csv", 2);
        if (kind == std::string("symbolic link")) fs::create_symlink(folder / "a.csv", folder / "t.csv");
        if (kind == std::string("hard link")) fs::create_hard_link(folder / "a.csv", folder / "t.csv");
        if (kind == std::string("copy")) fs::copy_file(folder / "a.csv", folder / "t.csv");
        const recipe::Recipe recipe = recipe::parse_recipe(R"(
name = "links"
data.rate_hz = 1.0
window = { length = 10, stride = 10 }
[[data.part]]
name = "healthy"
files = "*.csv"
exclude = ["t.csv"]
state = "healthy"
[[data.part]]
name = "test"
files = "t.csv"
role = "test"
state = "faulty"
[[channels]]
role = "cause"
group = "x"
names = ["x"]
[[channels]]
role = "effect"
group = "y"
names = ["y"]
)",
                                                           "links.toml");
        const Dataset dataset = load(recipe, folder.path());
        ASSERT_EQ(dataset.recordings.size(), 3u);
        SCOPED_TRACE(kind);
        expect_input_error([&] { make_folds(dataset, recipe); },
                           {"t.csv samples 0 to 199 (test) is a copy of a.csv samples 0 to 199 (training)"});
    }
}

TEST(LeakageOfRealData, IsNotSeen) {
    const auto folder = test::shared_data();
    if (folder.empty()) GTEST_SKIP() << test::kNoSharedData;
    const fs::path recipes = fs::path(__FILE__).parent_path() / "../../recipes";
    for (const char* name : {"zema-1hz", "batadal", "tep", "skab"}) {
        const recipe::Recipe recipe = recipe::read_recipe(recipes / (std::string(name) + ".toml"));
        const Dataset dataset = load(recipe, folder);
        EXPECT_NO_THROW(make_folds(dataset, recipe)) << name;
    }
}

}  // namespace
}  // namespace cmr::data
