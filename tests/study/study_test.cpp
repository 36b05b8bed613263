#include "study/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "recipe/recipe.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using test::expect_input_error;

fs::path shipped_folder() {
    return fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes" / "studies";
}

std::vector<fs::path> shipped() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(shipped_folder()))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// Lines 1 to 5; more may follow.
const std::string kSmall = R"(name = "small"
[[experiment]]
name = "plant"
recipe = "plant.toml"
methods = ["cmr", "ae"]
)";

Study read(const std::string& text) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "small.toml") << text;
    return read_study(folder / "small.toml");
}

void expect_refused(const std::string& text, const std::vector<std::string>& words) {
    SCOPED_TRACE(text);
    expect_input_error([&] { read(text); }, words);
}

TEST(Study, IsReadWithEveryField) {
    const Study study = read(R"(
name = "all"
description = "everything"
[[simulate]]
kind = "water"
folder = "plant"
settings = ["scale=0.1"]
[[experiment]]
name = "plant"
recipe = "../plant.toml"
simulated = true
methods = ["cmr", "ae"]
seeds = [1, 2]
folds = [0, 3]
protocol = "paper"
settings = ["train.max_epochs=3"]
stratum = "leak"
spread = "folds"
pointwise = true
stealthy = [90, 95.5]
poolings = ["std", "mean"]
ks = [1, 5]
metrics = ["l2"]
[[experiment.axis]]
key = "model.cause_weight"
values = ["0", "0.5"]
seeds = [1]
folds = [0]
[[published]]
table = "leaderboard"
note = "Table 2."
columns = ["plant"]
rows = [["cmr knn", "0.99"]]
)");
    EXPECT_EQ(study.name, "all");
    EXPECT_EQ(study.description, "everything");
    ASSERT_EQ(study.simulate.size(), 1u);
    EXPECT_EQ(study.simulate[0].settings, std::vector<std::string>{"scale=0.1"});
    ASSERT_EQ(study.experiment.size(), 1u);
    const Experiment& e = study.experiment[0];
    EXPECT_TRUE(e.simulated);
    EXPECT_EQ(e.seeds, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(e.folds, (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(e.over_recipe(), (std::vector<std::string>{"split.protocol=paper", "train.max_epochs=3"}));
    EXPECT_EQ(e.spread, "folds");
    EXPECT_EQ(e.stealthy, (std::vector<double>{90, 95.5}));
    EXPECT_EQ(e.ks, (std::vector<int64_t>{1, 5}));
    ASSERT_EQ(e.axis.size(), 1u);
    EXPECT_EQ(e.axis[0].methods, std::vector<std::string>{"cmr"});
    EXPECT_EQ(e.axis[0].values, (std::vector<std::string>{"0", "0.5"}));
    ASSERT_EQ(study.published.size(), 1u);
    EXPECT_EQ(study.published[0].rows, (std::vector<std::vector<std::string>>{{"cmr knn", "0.99"}}));
    EXPECT_EQ(study.file.filename(), "small.toml");
}

TEST(Study, RefusesAKeyItDoesNotKnowAndNamesTheNearest) {
    expect_refused(kSmall + "seed = [1]\n", {"small.toml:6", "seed", "seeds"});
    expect_refused(kSmall + "[[experiment.axis]]\nkeys = \"model.width\"\n", {"small.toml:7", "keys", "key"});
    expect_refused("nam = \"x\"\n" + kSmall, {"small.toml:1", "nam", "name"});
}

TEST(Study, RefusesAWrongType) {
    expect_refused(kSmall + "seeds = 1\n", {"small.toml:6", "seeds", "a list"});
    expect_refused(kSmall + "[[experiment.axis]]\nkey = \"model.width\"\nvalues = [16]\n",
                   {"small.toml:8", "values", "a text in quotes"});
}

TEST(Study, RefusesAMethodThatThereIsNot) {
    expect_refused(
        "name = \"s\"\n[[experiment]]\nname = \"plant\"\nrecipe = \"r.toml\"\nmethods = [\"cmr\", \"cnn\"]\n",
        {"small.toml", "plant", "\"cnn\"", "anomaly-transformer"});
    expect_refused("name = \"s\"\n[[experiment]]\nname = \"plant\"\nrecipe = \"r.toml\"\nmethods = []\n",
                   {"plant", "no methods"});
}

TEST(Study, RefusesWhatIsMissing) {
    expect_refused("name = \"my study\"\n", {"small.toml", "my study", "letters, digits"});
    expect_refused("name = \"../s\"\n", {"../s", "letters, digits"});
    expect_refused("name = \"s\"\n", {"small.toml", "no [[experiment]]"});
    expect_refused("[[experiment]]\nname = \"plant\"\nrecipe = \"r.toml\"\n", {"small.toml", "name is missing"});
    expect_refused("name = \"s\"\n[[experiment]]\nrecipe = \"r.toml\"\n", {"small.toml", "a name is needed"});
    expect_refused("name = \"s\"\n[[experiment]]\nname = \"a/b\"\nrecipe = \"r.toml\"\n", {"a/b", "without '/'"});
    expect_refused("name = \"s\"\n[[experiment]]\nname = \"plant\"\n", {"plant", "recipe is missing"});
    expect_refused(kSmall + "simulated = true\n", {"plant", "no [[simulate]]"});
    expect_refused(kSmall + "protocol = \"loose\"\n", {"plant", "\"loose\"", "strict or paper"});
}

TEST(Study, RefusesTheSameExperimentTwice) {
    expect_refused(kSmall + "[[experiment]]\nname = \"plant\"\nrecipe = \"other.toml\"\n", {"\"plant\"", "twice"});
}

TEST(Study, RefusesPoolingsWithoutKs) {
    for (const char* some : {"poolings = [\"std\"]\nmetrics = [\"l2\"]\n", "ks = [1]\nmetrics = [\"l2\"]\n",
                             "poolings = [\"std\"]\nks = [1]\n"})
        expect_refused(kSmall + some, {"plant", "poolings, ks and metrics belong together"});
    const auto grid = [](const std::string& pooling, int k, const std::string& metric) {
        return kSmall + "poolings = [\"" + pooling + "\"]\nks = [" + std::to_string(k) + "]\nmetrics = [\"" + metric +
               "\"]\n";
    };
    expect_refused(grid("median", 1, "l2"), {"plant", "\"median\"", "mean+std+max"});
    expect_refused(grid("std", 0, "l2"), {"plant", "k = 0"});
    expect_refused(grid("std", 1, "l3"), {"small.toml", "plant", "\"l3\"", "cosine"});
    EXPECT_EQ(read(grid("std", 1, "l2")).experiment[0].ks.front(), 1);
}

TEST(Study, RefusesAnAxisThatIsNone) {
    const auto axis = [](const std::string& rest) { return kSmall + "[[experiment.axis]]\n" + rest; };
    expect_refused(axis("key = \"score.k\"\nvalues = [\"1\", \"5\"]\n"), {"plant", "score.k", "train nothing again"});
    expect_refused(axis("key = \"model.method\"\nvalues = [\"ae\"]\n"), {"plant", "model.method", "methods"});
    expect_refused(axis("key = \"model.width\"\n"), {"plant", "a key and values"});
    expect_refused(axis("values = [\"1\"]\n"), {"plant", "a key and values"});
    expect_refused(axis("key = \"model.width\"\nvalues = [\"8\"]\nmethods = [\"vae\"]\n"),
                   {"plant", "model.width", "vae", "not among"});
}

TEST(Study, RefusesWhatWouldCountTwice) {
    // The same fit twice would pass for two in every mean and test.
    expect_refused(kSmall + "seeds = [1, 2, 1]\n", {"plant", "seeds", "1", "twice"});
    expect_refused(kSmall + "folds = [3, 3]\n", {"plant", "folds", "3", "twice"});
    expect_refused("name = \"s\"\n[[experiment]]\nname = \"plant\"\nrecipe = \"r.toml\"\nmethods = [\"ae\", \"ae\"]\n",
                   {"plant", "methods", "ae", "twice"});
    expect_refused(kSmall + "[[experiment.axis]]\nkey = \"model.width\"\nvalues = [\"8\", \"8\"]\n",
                   {"plant", "values", "8", "twice"});
    expect_refused(kSmall + "[[experiment.axis]]\nkey = \"model.width\"\nvalues = [\"8\"]\n" +
                       "[[experiment.axis]]\nkey = \"model.width\"\nvalues = [\"8\", \"16\"]\n",
                   {"plant", "axis", "model.width", "twice"});
}

TEST(Study, RefusesOtherImpossibleWishes) {
    expect_refused(kSmall + "spread = \"days\"\n", {"plant", "\"days\"", "seeds or folds"});
    expect_refused(kSmall + "stealthy = [100]\n", {"plant", "stealthy 100"});
    const std::string simulate = "name = \"s\"\n[[simulate]]\nkind = \"water\"\nfolder = \"plant\"\n";
    expect_refused(simulate, {"no [[experiment]]"});
    const std::string experiment = "[[experiment]]\nname = \"plant\"\nrecipe = \"r.toml\"\n";
    expect_refused("name = \"s\"\n[[simulate]]\nkind = \"engine\"\nfolder = \"a\"\n" + experiment,
                   {"\"engine\"", "bearing, hydraulic or water"});
    for (const char* folder : {"", "../plant", "a/b", ".hidden"})
        expect_refused(
            "name = \"s\"\n[[simulate]]\nkind = \"water\"\nfolder = \"" + std::string(folder) + "\"\n" + experiment,
            {"simulate.folder"});
}

TEST(Study, RefusesPublishedRowsOfAnotherLength) {
    const auto rows = [](const std::string& text) {
        return kSmall + "[[published]]\ntable = \"leaderboard\"\ncolumns = [\"a\", \"b\"]\nrows = " + text + "\n";
    };
    expect_refused(rows(R"([["cmr knn", "1", "2"], ["ae knn", "1"]])"), {"leaderboard", "2 cells", "2 columns"});
    EXPECT_EQ(read(rows(R"([["cmr knn", "1", "2"]])")).published[0].rows.size(), 1u);
}

TEST(Study, ThatIsNotThereIsNamed) {
    expect_input_error([] { read_study("/nowhere/none.toml"); }, {"/nowhere/none.toml"});
}

TEST(Study, CanBeOfSomeMethodsAlone) {
    const Study all = read_study(shipped_folder() / "all-real.toml");
    const Study rivals = with_methods(all, {"ae", "svdd"});
    EXPECT_EQ(rivals.experiment.size(), all.experiment.size());
    for (const Experiment& e : rivals.experiment) {
        EXPECT_EQ(e.methods, (std::vector<std::string>{"ae", "svdd"}));
        EXPECT_TRUE(e.axis.empty());
    }
    expect_input_error([&] { with_methods(all, {"ae", "mamba"}); }, {"all-real.toml", "\"mamba\""});
}

TEST(Study, EveryShippedOneIsReadAndItsRecipesAreThere) {
    ASSERT_FALSE(shipped().empty());
    for (const fs::path& file : shipped()) {
        SCOPED_TRACE(file.string());
        const Study study = read_study(file);
        EXPECT_EQ(study.name, file.stem().string());
        EXPECT_FALSE(study.description.empty());
        for (const Experiment& e : study.experiment) {
            EXPECT_NO_THROW(recipe::read_recipe(file.parent_path() / e.recipe, e.over_recipe())) << e.name;
            for (const Axis& axis : e.axis)
                for (const std::string& value : axis.values) {
                    std::vector<std::string> settings = e.over_recipe();
                    settings.push_back(axis.key + "=" + value);
                    EXPECT_NO_THROW(recipe::read_recipe(file.parent_path() / e.recipe, settings)) << settings.back();
                }
        }
    }
}

}  // namespace
}  // namespace cmr::study
