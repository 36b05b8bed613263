#include "data/new_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/small_files.h"
#include "data/windows.h"
#include "support/expect_input_error.h"

namespace cmr::data {
namespace {

using test::expect_input_error;
using test::kCycles;
using testing::ElementsAre;

const std::string kChannels = R"(
[[channels]]
role = "cause"
group = "in"
names = ["u"]
columns = ["valve"]
[[channels]]
role = "effect"
group = "out"
names = ["y"]
)";

const std::string kRows = R"(
name = "plant"
[data]
rate_hz = 1.0
gaps = "drop-window"
[data.read]
missing = ["-9999"]
[data.time]
column = "t"
[data.labels]
column = "state"
healthy = ["ok"]
faulty = ["leak"]
keep_column = "running"
keep = ["yes"]
[data.events]
file = "events.csv"
[[data.part]]
name = "winter"
files = "plant/winter/{day}.csv"
skip_samples = 1
read = { delimiter = "semicolon", decimal = "comma" }
[[data.part]]
name = "later"
files = "plant/later-{day}.csv"
exclude = ["plant/later-trial.csv"]
role = "test"
stratum = "{day}"
)" + kChannels;

class NewData : public test::SmallFiles {
  protected:
    Dataset load_rows(const fs::path& file, const std::string& part = {}) {
        return load_new(recipe::parse_recipe(kRows, "r.toml"), file, part);
    }
    Dataset load_cycles(const fs::path& folder) { return load_new(recipe::parse_recipe(kCycles, "r.toml"), folder); }
    static std::vector<float> values(const Dataset& dataset, int64_t channel) {
        const auto all = dataset.recordings.at(0).channels[channel].values();
        return {all.begin(), all.end()};
    }
};

const std::string kPlain = "t,valve,y\n0,1,10\n1,2,20\n2,3,30\n";
const std::string kComma = "t;valve;y\n0;1,5;10\n1;2,5;20\n2;3,5;30\n";

TEST_F(NewData, IsReadAsThePartWhoseFilesItsPathFits) {
    for (const char* name : {"elsewhere/plant/winter/monday.csv", "x/winter/monday.csv"}) {
        const Dataset found = load_rows(write(name, kComma));
        ASSERT_EQ(found.parts.size(), 1u);
        EXPECT_EQ(found.parts[0].name, "winter");
        EXPECT_EQ(found.parts[0].role, "new");
        EXPECT_EQ(found.recordings.at(0).name, "monday.csv");
        EXPECT_THAT(values(found, 0), ElementsAre(2.5f, 3.5f)) << "the part's decimal sign and skip_samples";
    }
    const Dataset later = load_rows(write("later-friday.csv", kPlain));
    EXPECT_EQ(later.parts[0].name, "later");
    EXPECT_THAT(values(later, 0), ElementsAre(1, 2, 3));
}

TEST_F(NewData, IsOfThePartThatFitsMoreOfItsPath) {
    EXPECT_EQ(load_rows(write("winter/later-friday.csv", kComma)).parts[0].name, "winter") << "folder and name";
    EXPECT_EQ(load_rows(write("later-friday.csv", kPlain)).parts[0].name, "later") << "more letters of the name";
    EXPECT_EQ(load_rows(write("monday.csv", kComma)).parts[0].name, "winter") << "any name will do";
}

TEST_F(NewData, ThatIsExcludedFromAPartIsNotOfIt) {
    EXPECT_EQ(load_rows(write("plant/later-trial.csv", kComma)).parts[0].name, "winter");
}

TEST_F(NewData, ThatFitsNoPartIsReadByTheCommonOptions) {
    const Dataset found = load_rows(write("plant/winter/monday.txt", "t,valve,y\n0,1,10\n1,2,-9999\n2,3,30\n"));
    EXPECT_EQ(found.parts[0].name, kNoPart);
    EXPECT_THAT(values(found, 0), ElementsAre(1, 2, 3));
    EXPECT_TRUE(std::isnan(values(found, 1)[1])) << "-9999 is absent";
}

TEST_F(NewData, IsReadAsThePartThatIsNamed) {
    const fs::path file = write("export.txt", kComma);
    EXPECT_THAT(values(load_rows(file, "winter"), 0), ElementsAre(2.5f, 3.5f));
    expect_input_error([&] { load_rows(file, "summer"); }, {"--part summer", "winter, later"});
}

TEST_F(NewData, MustBeToldWhichPartItIsOfWhereTwoAreReadDifferently) {
    const std::string text = R"(
name = "plant"
[data]
rate_hz = 1.0
[[data.part]]
name = "a"
files = "a/*.csv"
state = "healthy"
skip_samples = 1
[[data.part]]
name = "b"
files = "b/*.csv"
state = "healthy"
)" + kChannels;
    const fs::path file = write("monday.csv", kPlain);
    expect_input_error([&] { load_new(recipe::parse_recipe(text, "r.toml"), file); },
                       {"monday.csv", "'a'", "'b'", "--part"});
    EXPECT_EQ(load_new(recipe::parse_recipe(text, "r.toml"), file, "a").recordings[0].length(), 2);
    const auto alike = recipe::parse_recipe(text, "r.toml",
                                            {"data.part=[{name='a', files='a/*.csv', state='healthy'}, "
                                             "{name='b', files='b/*.csv', state='healthy'}]"});
    EXPECT_EQ(load_new(alike, file).recordings[0].length(), 3) << "read alike, it does not matter";
}

TEST_F(NewData, HasALiteralName) {
    write("r1.csv", kPlain);
    write("r2.csv", kPlain);
    for (const char* name : {"r{1}.csv", "r*.csv", "r{.csv", "[r](1)+.csv"}) {
        const Dataset found = load_rows(write(name, "t,valve,y\n0,7,10\n1,7,20\n"), "later");
        ASSERT_EQ(found.recordings.size(), 1u) << name;
        EXPECT_EQ(found.recordings[0].name, name);
        EXPECT_THAT(values(found, 0), ElementsAre(7, 7));
    }
}

TEST_F(NewData, IsOfUnknownStateWhateverItsLabelsSay) {
    for (const char* text :
         {"t,valve,y,state\n0,1,1,ok\n1,2,2,leak\n2,3,3,whatever\n", "t,valve,y\n0,1,1\n1,2,2\n2,3,3\n"}) {
        const Dataset found = load_rows(write("later-1.csv", text));
        ASSERT_EQ(found.recordings[0].spans.size(), 1u);
        EXPECT_EQ(found.recordings[0].spans[0].state, State::kUnknown);
        EXPECT_TRUE(found.strata.empty());
        std::vector<Window> windows;
        cut_windows(found, 0, {.length = 2, .stride = 1}, 1, windows);
        ASSERT_EQ(windows.size(), 2u);
        EXPECT_EQ(windows[0].state, State::kUnknown);
    }
}

TEST_F(NewData, LeavesOutWhatIsNotToBeKept) {
    const Dataset found = load_rows(write("later-1.csv", "t,valve,y,running\n0,1,1,yes\n1,2,2,no\n2,3,3,yes\n"));
    const auto& spans = found.recordings[0].spans;
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[0].state, State::kUnknown);
    EXPECT_EQ(spans[1].state, State::kExcluded);
    EXPECT_EQ(spans[2].state, State::kUnknown);
}

TEST_F(NewData, OfCyclesIsAFolder) {
    const std::string u = "1\t2\t3\t4\n5\t6\t7\t8\n", y = "1\t3\n5\t7\n";
    for (const char* name : {"friday/", "all/rig/"}) {
        write(std::string(name) + "u.txt", u);
        write(std::string(name) + "y.txt", y);
    }
    for (const char* folder : {"friday", "all/rig", "all"}) {
        const Dataset found = load_cycles(folder_ / folder);
        ASSERT_EQ(found.recordings.size(), 1u) << folder;
        EXPECT_THAT(values(found, 0), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
        EXPECT_EQ(found.recordings[0].spans.at(0).state, State::kUnknown);
        EXPECT_EQ(found.recordings[0].spans.size(), 1u);
    }
    write("friday/labels.txt", "1\t0\n0\t1\n");
    const auto spans = load_cycles(folder_ / "friday").recordings.at(0).spans;
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0].state, State::kUnknown);
    EXPECT_EQ(spans[1].state, State::kExcluded) << "the second cycle was unstable";
}

TEST_F(NewData, ThatIsNotThereOrOfTheWrongKindIsRefused) {
    expect_input_error([&] { load_rows(folder_ / "none.csv"); }, {"none.csv", "no such file"});
    fs::create_directory(folder_ / "folder");
    expect_input_error([&] { load_rows(folder_ / "folder"); }, {"folder", "expected a file", "--data-root"});
    expect_input_error([&] { load_cycles(write("u.txt", "1\n")); }, {"u.txt", "give the folder"});
    expect_input_error([&] { load_cycles(folder_ / "folder"); }, {"folder", "rig/{channel}.txt"});
}

}  // namespace
}  // namespace cmr::data
