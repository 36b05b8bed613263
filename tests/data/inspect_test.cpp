#include "data/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "data/load.h"
#include "data/synthetic.h"
#include "support/expect_input_error.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::make_dataset;
using test::make_recipe;
using test::mark;
using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

auto warns(const std::string& words) { return Contains(Field(&Warning::text, HasSubstr(words))); }

// 300 healthy windows to fit and 25 + 25 to test, an effect that half follows its cause: nothing to warn of.
struct Inspect : testing::Test {
    Inspect() {
        add_recording(dataset, 3000, 1);
        mark(add_recording(dataset, 500, 2, /*part=*/1), 250, 500, State::kFaulty, 1);
        for (Recording& recording : dataset.recordings)
            for (int64_t i = 0; i < recording.length(); ++i)
                recording.channels[1].values()[i] += recording.channels[0][i];
    }
    Inspection facts() const { return inspect(dataset, recipe); }
    std::vector<Warning> warnings() const { return facts().warnings; }
    std::span<float> values(int recording, int channel) {
        return dataset.recordings[recording].channels[channel].values();
    }

    Dataset dataset = make_dataset();
    recipe::Recipe recipe = make_recipe(10, 10);
};

TEST_F(Inspect, HasNothingToSayAgainstGoodData) { EXPECT_THAT(warnings(), IsEmpty()); }

TEST_F(Inspect, CountsSamplesAndWindows) {
    const Inspection result = facts();
    ASSERT_EQ(result.parts.size(), 2u);
    EXPECT_EQ(result.parts[0].samples.healthy, 3000);
    EXPECT_EQ(result.parts[0].windows.healthy, 300);
    EXPECT_EQ(result.parts[1].samples.faulty, 250);
    EXPECT_EQ(result.parts[1].windows.faulty, 25);
    ASSERT_EQ(result.folds.size(), 1u);
    EXPECT_EQ(result.folds[0].train, 255);
    EXPECT_EQ(result.folds[0].validation, 45);
    EXPECT_EQ(result.folds[0].test.healthy, 25);
    EXPECT_EQ(result.folds[0].test.faulty, 25);
    EXPECT_THAT(result.folds[0].strata, ElementsAre(0, 25));
    EXPECT_NEAR(result.channels[1].r2, 0.5, 0.05);
    EXPECT_FALSE(result.channels[1].coupled);  // 0.55 is wanted
}

TEST_F(Inspect, WarnsOfDataThatCannotBeSplitFirstOfAll) {
    recipe.window.length = 5000;
    EXPECT_THAT(warnings().front().text, HasSubstr("no split: synthetic: no healthy window of 5000 samples"));
    EXPECT_THAT(warnings(), warns("part 'test' gives no window of 5000 samples"));
    EXPECT_TRUE(facts().folds.empty());
}

TEST_F(Inspect, WarnsOfFilesThatGiveNoFold) {
    add_recording(dataset, 12, 3);
    recipe.split.per = "recording";
    EXPECT_THAT(warnings(), warns("file2.csv: too few healthy windows for a fold of its own"));
    EXPECT_EQ(facts().folds.size(), 1u);
}

TEST_F(Inspect, WarnsOfRowsLeftOutForTheirStamp) {
    dataset.recordings[0].repeated = 12;
    EXPECT_THAT(warnings(), warns("12 rows repeat the time stamp of the row before and are left out"));
}

TEST_F(Inspect, WarnsOfLeakageFirstOfAll) {
    test::copy_samples(dataset.recordings[0], 0, dataset.recordings[1], 0, 200);
    EXPECT_THAT(warnings().front().text, HasSubstr("is a copy of"));
    EXPECT_EQ(warnings().front().harm, 100);
}

TEST_F(Inspect, WarnsWhereNothingMoves) {
    std::ranges::fill(values(0, 0), 1.0f);
    EXPECT_THAT(warnings(), warns("no cause ever moves"));
    EXPECT_THAT(warnings(), warns("c0: never moves in healthy training data and is left out"));
    std::ranges::fill(values(0, 1), 1.0f);
    EXPECT_THAT(warnings(), warns("no effect ever moves"));
}

TEST_F(Inspect, WarnsOfATestThatMeasuresHalf) {
    mark(dataset.recordings[1], 0, 250, State::kFaulty);
    EXPECT_THAT(warnings(), warns("no healthy test window"));
    dataset.recordings[1].spans = {{.begin = 0, .end = 500}};
    EXPECT_THAT(warnings(), warns("no faulty test window"));
}

TEST_F(Inspect, WarnsOfTooFewWindows) {
    recipe.split.train_fraction = 0.3;
    EXPECT_THAT(warnings(), warns("fewer than 100 training windows"));
    recipe.split.train_fraction = 0.95;
    EXPECT_THAT(warnings(), warns("fewer than 20 validation windows"));
}

TEST_F(Inspect, WarnsOfCausesThatExplainNothing) {
    Rng rng(9);
    for (float& value : values(0, 0)) value = static_cast<float>(rng.normal());
    EXPECT_THAT(warnings(), warns("explains no effect at any one moment"));
}

TEST_F(Inspect, WarnsOfAnEffectThatIsItsCause) {
    std::ranges::copy(values(0, 0), values(0, 1).begin());
    EXPECT_THAT(warnings(), warns("c1: explained completely by the causes"));
    EXPECT_TRUE(facts().channels[1].coupled);
}

TEST_F(Inspect, WarnsOfOffsetsThatSinglePrecisionBlurs) {
    for (int r : {0, 1})
        for (float& value : values(r, 1)) value += 1e6f;
    EXPECT_THAT(warnings(), warns("c1: moves by less than a hundred-thousandth"));
}

TEST_F(Inspect, WarnsOfAStuckSensor) {
    std::ranges::fill(values(0, 1).subspan(1000, 99), 0.5f);
    EXPECT_THAT(warnings(), Not(warns("stands still")));
    EXPECT_EQ(facts().channels[1].longest_flat, 99);
    std::ranges::fill(values(0, 1).subspan(1000, 100), 0.5f);
    EXPECT_THAT(warnings(), warns("c1: stands still for ten windows"));
}

TEST_F(Inspect, WarnsOfRegimesThatTrainingNeverSaw) {
    for (float& value : values(1, 1).subspan(0, 20)) value = 50.0f;  // 8 % of 250
    EXPECT_THAT(warnings(), warns("c1: more than 5 % of its healthy test samples"));
    EXPECT_NEAR(facts().channels[1].outside, 0.08, 0.01);
}

TEST_F(Inspect, WarnsOfGaps) {
    test::make_absent(dataset.recordings[0], 0, 5);
    dataset.recordings[0].filled = 12;
    dataset.recordings[0].segments = {{0, 1000, 0.0}, {1000, 3000, 1e5}};
    EXPECT_THAT(warnings(), warns("1 absent values; the windows that hold them are left out"));
    EXPECT_THAT(warnings(), warns("12 absent values were filled"));
    EXPECT_THAT(warnings(), warns("part 'fit' has 1 steps in time"));
    EXPECT_EQ(facts().parts[0].windows.excluded, 1);
    EXPECT_EQ(facts().channels[0].absent, 1);
}

TEST_F(Inspect, WarnsOfMissingListsAndUnits) {
    recipe.data.events.file = "attacks.xlsx";
    dataset.units_left_out = {"K9"};
    EXPECT_THAT(warnings(), warns("no list of events at attacks.xlsx"));
    EXPECT_THAT(warnings(), warns("the recipe does not list are left out: K9"));
}

TEST_F(Inspect, OrdersWarningsByHarm) {
    recipe.data.events.file = "attacks.xlsx";
    dataset.units_left_out = {"K9"};
    recipe.split.train_fraction = 0.1;
    test::make_absent(dataset.recordings[0], 0, 5);
    std::ranges::fill(values(0, 0), 1.0f);
    mark(dataset.recordings[1], 0, 250, State::kFaulty);
    const auto list = warnings();
    EXPECT_GE(list.size(), 6u);
    EXPECT_TRUE(std::ranges::is_sorted(list, std::greater(), &Warning::harm));
    EXPECT_THAT(list.front().text, HasSubstr("no cause ever moves"));
}

struct InspectRealData : testing::Test {
    void SetUp() override {
        if (test::shared_data().empty()) GTEST_SKIP() << test::kNoSharedData;
    }
    static Inspection facts(const std::string& name) {
        const auto recipe = recipe::read_recipe(fs::path(__FILE__).parent_path() / "../../recipes" / (name + ".toml"));
        return inspect(load(recipe, test::shared_data()), recipe);
    }
};

TEST_F(InspectRealData, CountsTheHydraulicRig) {
    const Inspection zema = facts("zema-1hz");
    ASSERT_EQ(zema.folds.size(), 1u);
    EXPECT_EQ(zema.folds[0].train, 415);
    EXPECT_EQ(zema.folds[0].validation, 74);
    EXPECT_EQ(zema.folds[0].test.healthy, 74);
    EXPECT_THAT(zema.strata, ElementsAre("weak", "severe"));
    EXPECT_THAT(zema.folds[0].strata, ElementsAre(480, 480));
}

TEST_F(InspectRealData, CountsTheWaterNetwork) {
    const Inspection batadal = facts("batadal");
    ASSERT_EQ(batadal.parts.size(), 3u);
    EXPECT_EQ(batadal.channels.size(), 43u);
    EXPECT_EQ(batadal.parts[0].samples.healthy, 8'761);
    EXPECT_EQ(batadal.parts[0].samples.faulty, 0);
    EXPECT_EQ(batadal.parts[1].samples.faulty, 492);
    EXPECT_EQ(batadal.parts[1].samples.healthy, 4'177 - 492);
    EXPECT_EQ(batadal.parts[2].samples.faulty, 407);
    EXPECT_EQ(batadal.parts[2].samples.healthy, 2'089 - 407);
}

TEST_F(InspectRealData, CountsTheChemicalPlant) {
    const Inspection tep = facts("tep");
    ASSERT_EQ(tep.parts.size(), 3u);
    EXPECT_EQ(tep.channels.size(), 52u);
    EXPECT_EQ(tep.parts[0].samples.healthy, 500);
    EXPECT_EQ(tep.parts[1].samples.healthy, 960);
    EXPECT_EQ(tep.parts[2].files, 21);
    EXPECT_EQ(tep.parts[2].samples.faulty, 21 * 800);
    EXPECT_EQ(tep.strata.size(), 21u);
}

TEST_F(InspectRealData, CountsTheWaterLoop) {
    const Inspection skab = facts("skab");
    ASSERT_EQ(skab.parts.size(), 2u);
    EXPECT_EQ(skab.parts[0].files, 16);
    EXPECT_EQ(skab.folds.size(), 16u);
}

struct InspectFile : testing::Test {
    FileInspection inspect(const std::string& text) const {
        std::ofstream(folder / "a.csv") << text;
        return inspect_file(folder / "a.csv", {});
    }
    TemporaryFolder folder;
};

TEST_F(InspectFile, TellsColumnsOfTimeNumbersAndTextApart) {
    const FileInspection facts = inspect(
        "when,x,note,y\n"
        "2020-01-01 00:00:00,1,good,5\n"
        "2020-01-01 00:00:02,2,good,5\n"
        "2020-01-01 00:00:04,,bad,5\n"
        "2020-01-01 00:00:10,6,bad,5\n");
    EXPECT_EQ(facts.rows, 4);
    EXPECT_EQ(facts.time_column, "when");
    EXPECT_DOUBLE_EQ(facts.rate_hz, 0.5);
    EXPECT_EQ(facts.steps, 1);
    EXPECT_DOUBLE_EQ(facts.last_s - facts.first_s, 10.0);
    EXPECT_THAT(facts.text_columns, ElementsAre("note"));
    ASSERT_EQ(facts.channels.size(), 2u);
    EXPECT_EQ(facts.channels[0].name, "x");
    EXPECT_EQ(facts.channels[0].absent, 1);
    EXPECT_DOUBLE_EQ(facts.channels[0].mean, 3.0);
    EXPECT_DOUBLE_EQ(facts.channels[0].least, 1.0);
    EXPECT_DOUBLE_EQ(facts.channels[0].most, 6.0);
    EXPECT_TRUE(facts.channels[1].constant);
    EXPECT_EQ(facts.channels[1].longest_flat, 4);
    EXPECT_THAT(facts.warnings, warns("1 steps in time"));
    EXPECT_THAT(facts.warnings, warns("x: 1 absent values"));
    EXPECT_THAT(facts.warnings, warns("y: never moves"));
    EXPECT_TRUE(std::ranges::is_sorted(facts.warnings, std::greater(), &Warning::harm));
}

TEST_F(InspectFile, NamesTheCellThatMakesAColumnText) {
    const FileInspection facts = inspect("a,b,c\n1,x,1\n2,y,2020-01-01\nBad,z,3\n");
    EXPECT_THAT(facts.text_columns, ElementsAre("a", "b", "c"));
    EXPECT_THAT(facts.warnings, warns((folder / "a.csv").string() + ":4 holds 'Bad'; if that means an absent value"));
    EXPECT_THAT(facts.warnings, warns("missing=[\"Bad\"]"));
    EXPECT_THAT(facts.warnings, warns("c: a column of text"));
    EXPECT_THAT(facts.warnings, Not(warns("b: a column of text"))) << "words all along are no mistake";
}

TEST_F(InspectFile, HintsAtDecimalCommas) {
    const FileInspection facts = inspect("a;b\n1,5;x\n2,25;y\n");
    EXPECT_THAT(facts.warnings, warns("a: a column of text, for " + (folder / "a.csv").string() + ":2 holds '1,5'"));
    EXPECT_THAT(facts.warnings, warns("decimal=comma"));
}

TEST_F(InspectFile, KnowsNumbersSince1970ByNameAndSize) {
    const FileInspection facts = inspect("Timestamp,x\n1450800000000,1\n1450800000500,2\n1450800001000,3\n");
    EXPECT_EQ(facts.time_column, "Timestamp");
    EXPECT_DOUBLE_EQ(facts.rate_hz, 2.0);
    EXPECT_DOUBLE_EQ(facts.first_s, 1450800000);
    EXPECT_EQ(inspect("time,x\n0,1\n1,2\n").time_column, "") << "seconds of a run may be any quantity";
    EXPECT_EQ(inspect("flow,x\n1450800000,1\n1450800001,2\n").time_column, "");
}

TEST_F(InspectFile, WarnsOfTimeThatGoesBack) {
    const FileInspection facts = inspect(
        "when,x\n"
        "2020-01-01 00:00:00,1\n2020-01-01 00:00:01,2\n2020-01-01 00:00:01,3\n2020-01-01 00:00:00,4\n"
        "2020-01-01 00:00:01,5\n2020-01-01 00:00:02,6\n2020-01-01 00:00:03,7\n");
    EXPECT_THAT(facts.warnings, warns("stands still or goes back 2 times"));
    EXPECT_DOUBLE_EQ(facts.rate_hz, 1.0);
}

TEST_F(InspectFile, SeesValuesThatComeLate) {
    std::string text = "x,late,never\n";
    for (int i = 0; i < 1500; ++i) text += std::to_string(i) + (i < 1400 ? ",,\n" : ",3.5,\n");
    const FileInspection facts = inspect(text);
    ASSERT_EQ(facts.channels.size(), 2u);
    EXPECT_EQ(facts.channels[1].name, "late");
    EXPECT_EQ(facts.channels[1].absent, 1400);
    EXPECT_THAT(facts.warnings, warns("never: empty"));
}

TEST_F(InspectFile, ReadsATableOfTextOnly) {
    const FileInspection facts = inspect("a,b\nx,y\nz,w\n");
    EXPECT_THAT(facts.text_columns, ElementsAre("a", "b"));
    EXPECT_TRUE(facts.channels.empty());
    EXPECT_EQ(facts.rows, 2);
}

TEST_F(InspectFile, LeavesAHoleInTheTimeColumnOutOfTheRate) {
    const FileInspection facts = inspect(
        "when,x\n"
        "2020-01-01 00:00:00,1\n,2\n2020-01-01 00:00:02,3\n2020-01-01 00:00:03,4\n2020-01-01 00:00:04,5\n");
    EXPECT_DOUBLE_EQ(facts.rate_hz, 1.0);
    EXPECT_DOUBLE_EQ(facts.last_s - facts.first_s, 4.0);
    EXPECT_THAT(facts.warnings, warns("when: 1 absent"));
}

TEST_F(InspectFile, NamesAFileThatIsNotThereOrEmpty) {
    test::expect_input_error([&] { inspect_file(folder / "none.csv", {}); }, {"none.csv"});
    test::expect_input_error([&] { inspect(""); }, {"a.csv"});
}

}  // namespace
}  // namespace cmr::data
