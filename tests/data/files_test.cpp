#include "data/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/rng.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::data {
namespace {

using test::expect_input_error;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::IsEmpty;

class Files : public testing::Test {
  protected:
    void add(const std::string& name) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << "1\n";
    }
    std::vector<std::string> find(const std::string& pattern, const std::vector<std::string>& exclude = {}) {
        std::vector<std::string> names;
        for (const FoundFile& file : find_files(folder_.path(), pattern, exclude)) {
            EXPECT_EQ(file.path, folder_ / file.name);
            names.push_back(file.name);
        }
        return names;
    }

    TemporaryFolder folder_;
};

TEST_F(Files, ComeInNaturalOrder) {
    for (const char* name : {"a/10.csv", "a/9.csv", "a/1.csv", "a/2.csv", "a/02b.csv"}) add(name);
    EXPECT_THAT(find("a/*.csv"), ElementsAre("a/1.csv", "a/2.csv", "a/02b.csv", "a/9.csv", "a/10.csv"));
}

TEST_F(Files, AStarStaysInItsFolder) {
    for (const char* name : {"a/x.csv", "a/b/x.csv", "x.csv", "a/.csv", "ab/x.csv"}) add(name);
    EXPECT_THAT(find("a/*.csv"), ElementsAre("a/.csv", "a/x.csv"));
    EXPECT_THAT(find("*/x.csv"), ElementsAre("a/x.csv", "ab/x.csv"));
    EXPECT_THAT(find("*/*/x.csv"), ElementsAre("a/b/x.csv"));
    EXPECT_THAT(find("*.csv"), ElementsAre("x.csv"));
    EXPECT_THAT(find("a/x.csv"), ElementsAre("a/x.csv"));
    EXPECT_THAT(find("a*/x.csv"), ElementsAre("a/x.csv", "ab/x.csv"));
    EXPECT_THAT(find("a"), IsEmpty()) << "a folder is no file";
}

TEST_F(Files, AWordIsAtLeastOneLetterAndTheSameWhereverItStands) {
    for (const char* name : {"K1/run_K1_1.mat", "K1/run_K2_1.mat", "K2/run_K2_7.mat", "K2/run__7.mat"}) add(name);
    const auto files = find_files(folder_.path(), "{unit}/run_{unit}_{run}.mat");
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].name, "K1/run_K1_1.mat");
    EXPECT_EQ(files[0].captures.at("unit"), "K1");
    EXPECT_EQ(files[0].captures.at("run"), "1");
    EXPECT_EQ(files[1].captures.at("unit"), "K2");
    EXPECT_EQ(files[1].captures.at("run"), "7");
    EXPECT_EQ(files[1].captures.size(), 2u);
}

TEST_F(Files, ADigitMayFollowAWordThatStandsTwice) {
    add("K/K1.csv");
    add("K/K11.csv");
    EXPECT_THAT(find("{unit}/{unit}1.csv"), ElementsAre("K/K1.csv"));
}

TEST_F(Files, MoreThanNineWordsAreToldApart) {
    add("a1b2c3d4e5f6g7h8i9j0-j0");
    const auto files = find_files(folder_.path(), "a{1}b{2}c{3}d{4}e{5}f{6}g{7}h{8}i{9}j{10}-j{10}");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].captures.at("10"), "0");
}

TEST_F(Files, ChannelsAreCapturedAsTheyStand) {
    add("z/PS1.txt");
    add("z/Flow (l+m) [x].txt");
    const auto files = find_files(folder_.path(), "z/{channel}.txt");
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].captures.at("channel"), "Flow (l+m) [x]");
    EXPECT_EQ(files[1].captures.at("channel"), "PS1");
}

TEST_F(Files, ExcludedOnesAreLeftOut) {
    for (const char* name : {"d00_te.dat", "d01_te.dat", "d02_te.dat", "d02.dat"}) add(name);
    EXPECT_THAT(find("d{fault}_te.dat", {"d00_te.dat"}), ElementsAre("d01_te.dat", "d02_te.dat"));
    EXPECT_THAT(find("*.dat", {"*_te.dat"}), ElementsAre("d02.dat"));
    EXPECT_THAT(find("*.dat", {"*0*", "*2*"}), IsEmpty());
}

TEST_F(Files, EverySignOfARegularExpressionStandsForItself) {
    const std::string signs = ".+()[]^$|?\\-!&~#%,;:@'\"<>= \t\n\x80\xff";
    for (const char sign : signs) {
        const std::string name = std::string("a") + sign + "b.csv";
        add(name);
        SCOPED_TRACE(static_cast<int>(sign));
        EXPECT_THAT(find(name), ElementsAre(name));
        EXPECT_THAT(find(std::string("*") + sign + "b.csv"), testing::Contains(name));
    }
    add("axb.csv");
    add("aab.csv");
    EXPECT_THAT(find("a.b.csv"), ElementsAre("a.b.csv"));
    EXPECT_THAT(find("a+b.csv"), ElementsAre("a+b.csv"));
    EXPECT_THAT(find("a}b"), IsEmpty());
}

TEST_F(Files, ManyStarsDoNotTakeForever) {
    add(std::string(200, 'a'));
    EXPECT_THAT(find(std::string(60, '*') + "b"), IsEmpty());
    EXPECT_EQ(find(std::string(60, '*')).size(), 1u);
}

TEST_F(Files, ABadPatternIsRefused) {
    for (const char* pattern : {"a{", "a{}", "a{unit"})
        expect_input_error([&] { find(pattern); }, {std::string("'") + pattern + "'"});
}

TEST_F(Files, AFolderThatIsAbsentHasNone) {
    EXPECT_THAT(find("nowhere/*.csv"), IsEmpty());
    add("file");
    EXPECT_THAT(find("file/*.csv"), IsEmpty());
    EXPECT_THAT(find_files(folder_ / "none", "*.csv"), IsEmpty());
}

TEST_F(Files, LinksAreFollowedButLoopsAndDanglingOnesDoNoHarm) {
    add("real/a.csv");
    add("x/z.csv");
    fs::create_directory_symlink(folder_ / "real", folder_ / "x/link");
    fs::create_directory_symlink(folder_ / "x", folder_ / "x/loop");
    fs::create_symlink(folder_ / "x/self", folder_ / "x/self");
    fs::create_symlink(folder_ / "nowhere", folder_ / "x/dangling");
    fs::create_symlink(folder_ / "nowhere.csv", folder_ / "x/dangling.csv");
    for (int i = 0; i < 20; ++i) add("x/many" + std::to_string(i) + "/b.csv");
    EXPECT_THAT(find("x/*.csv"), ElementsAre("x/z.csv"));
    EXPECT_THAT(find("x/link/*.csv"), ElementsAre("x/link/a.csv"));
    EXPECT_THAT(find("x/l*/*.csv"), ElementsAre("x/link/a.csv", "x/loop/z.csv"));
    EXPECT_EQ(find("x/*/b.csv").size(), 20u) << "whatever stands beside them";
    EXPECT_EQ(find("x/*/*/b.csv").size(), 20u) << "by way of the loop";
}

TEST_F(Files, TheRootMayBeWrittenInAnyWay) {
    add("r/a/x.csv");
    for (const fs::path& root : {folder_ / "r", folder_ / "r/", folder_ / "./r", folder_ / "r/a/.."}) {
        const auto files = find_files(root, "a/*.csv");
        ASSERT_EQ(files.size(), 1u) << root;
        EXPECT_EQ(files[0].name, "a/x.csv");
    }
}

TEST(NaturalLess, IsAnOrder) {
    EXPECT_TRUE(natural_less("a2", "a10"));
    EXPECT_FALSE(natural_less("a10", "a2"));
    EXPECT_TRUE(natural_less("a99999999999999999998", "a99999999999999999999"));
    EXPECT_TRUE(natural_less("", "a"));
    EXPECT_FALSE(natural_less("a", "a"));
    Rng rng(1);
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) {
        std::string name;
        for (uint64_t letters = rng.below(5); letters > 0; --letters) name += "019a./"[rng.below(6)];
        names.push_back(name);
    }
    for (const auto& a : names)
        for (const auto& b : names) {
            EXPECT_EQ(natural_less(a, b) || natural_less(b, a), a != b) << a << " " << b;
            EXPECT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << " " << b;
            for (const auto& c : names)
                if (natural_less(a, b) && natural_less(b, c)) {
                    EXPECT_TRUE(natural_less(a, c)) << a << " " << b << " " << c;
                }
        }
}

TEST(FillIn, ReplacesWordsAndRefusesUnknownOnes) {
    EXPECT_EQ(fill_in("fault {f}, {f}{g}", {{"f", "01"}, {"g", "{f}"}}), "fault 01, 01{f}");
    EXPECT_EQ(fill_in("plain {", {}), "plain {");
    expect_input_error([] { fill_in("{x}", {{"f", "1"}}); }, {"'{x}'"});
    expect_input_error([] { fill_in("a{}", {}); }, {"'a{}'"});
}

class DataRoot : public testing::Test {
  protected:
    DataRoot() {
        unsetenv("CMR_DATA_ROOT");
        fs::create_directories(folder_ / "project/recipes");
        recipe_.name = "water";
        recipe_.file = folder_ / "project/recipes/water.toml";
        recipe_.data.obtain = "Ask the plant for it.";
    }
    ~DataRoot() override { unsetenv("CMR_DATA_ROOT"); }
    fs::path make(const std::string& name) {
        fs::create_directories(folder_ / name);
        return folder_ / name;
    }

    TemporaryFolder folder_;
    recipe::Recipe recipe_;
};

TEST_F(DataRoot, IsWhatWasGivenThenTheVariableThenDataBesideTheRecipeThenAbove) {
    const fs::path above = make("project/data");
    EXPECT_EQ(find_data_root(recipe_), above);
    const fs::path beside = make("project/recipes/data");
    EXPECT_EQ(find_data_root(recipe_), beside);
    const fs::path variable = make("variable");
    setenv("CMR_DATA_ROOT", variable.c_str(), 1);
    EXPECT_EQ(find_data_root(recipe_), variable);
    const fs::path given = make("given");
    EXPECT_EQ(find_data_root(recipe_, given), given);
    setenv("CMR_DATA_ROOT", "", 1);
    EXPECT_EQ(find_data_root(recipe_), beside) << "an empty variable is none";
}

TEST_F(DataRoot, IsNotGuessedWhereTheOneThatWasNamedIsAbsent) {
    make("project/recipes/data");
    setenv("CMR_DATA_ROOT", (folder_ / "absent").c_str(), 1);
    expect_input_error([&] { find_data_root(recipe_); }, {"water", (folder_ / "absent").string(), "(CMR_DATA_ROOT)"});
    expect_input_error([&] { find_data_root(recipe_, folder_ / "typo"); },
                       {(folder_ / "typo").string(), "(--data-root)"});
}

TEST_F(DataRoot, ThatIsAbsentTellsWhereItWasLookedForAndHowToGetTheData) {
    expect_input_error([&] { find_data_root(recipe_); },
                       {"water: no data root", (folder_ / "project/recipes/data").string(),
                        (folder_ / "project/data").string(), "--data-root", "CMR_DATA_ROOT", "Ask the plant for it."});
    std::ofstream(folder_ / "project/data") << "a file, no folder";
    expect_input_error([&] { find_data_root(recipe_); }, {"no data root"});
}

}  // namespace
}  // namespace cmr::data
