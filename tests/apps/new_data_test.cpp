// A file through `cmr score MODEL FILE` gives the rows that it has through the recipe, for every shipped recipe but the
// template, which has no data.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "apps/program.h"
#include "base/rng.h"
#include "data/fingerprint.h"
#include "data/load.h"
#include "data/split.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"
#include "support/shared_data.h"

namespace cmr {
namespace {

namespace fs = std::filesystem;

// What stands in a row beside its recording, state, stratum, event and side: moment, scores, alarm, residuals.
using Rows = std::vector<std::string>;

Rows comparable_rows(const fs::path& file, const std::string& recording, const std::string& state) {
    std::istringstream lines(test::content(file));
    Rows out;
    std::string line;
    std::getline(lines, line);
    const auto columns = std::ranges::count(line, ',');
    while (std::getline(lines, line)) {
        EXPECT_EQ(std::ranges::count(line, ','), columns) << line;
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        if (cells[0] != recording) continue;
        if (!state.empty()) {
            EXPECT_EQ(cells[4], state);
        }
        std::string kept;
        for (size_t i = 0; i < cells.size(); ++i)
            if (i != 0 && (i < 4 || i > 7)) kept += cells[i] + ",";
        out.push_back(kept);
    }
    return out;
}

// Units in the layout of the recipe, of which the real set has 598 files: pressures turn the actuator, and it shakes.
void write_actuators(const fs::path& root) {
    Rng rng(1);
    for (const char* unit : {"Act_1", "Act_2", "Act_3", "Act_4", "Act_5", "Act_6"}) {
        fs::create_directories(root / "actuators" / unit);
        for (const char* name : {"000.csv", "001.csv"}) {
            std::ofstream file(root / "actuators" / unit / name);
            file << "PG_1,PG_2,Angle,Accel_1,Accel_2,Accel_3\n";
            double one = 0, two = 0, angle = 0;
            for (int i = 0; i < 100 + 6 * 512; ++i) {
                one = 0.98 * one + rng.normal();
                two = 0.98 * two + rng.normal();
                angle = 0.9 * angle + 0.1 * (one - two);
                file << fmt::format("{:.0f},{:.0f},{:.0f}", 3000 + 100 * one, 2000 + 100 * two, 11660 + 100 * angle);
                for (const double share : {0.2, 0.5, 1.0})
                    file << fmt::format(",{:.0f}", 8200 + 20 * share * angle + 10 * rng.normal());
                file << '\n';
            }
        }
    }
}

class ShippedRecipe : public testing::Test {
  protected:
    static fs::path recipe_file(const std::string& name) {
        return fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes" / (name + ".toml");
    }
    void must(const std::string& arguments) {
        const auto result = test::run_command(fmt::format("'{}/cmr' {} 2>&1", std::getenv("CMR_BIN"), arguments));
        ASSERT_EQ(result.exit_code, 0) << result.output;
    }
    void simulate(const std::string& arguments, const std::string& folder) {
        must(fmt::format("simulate {} --out '{}'", arguments, (folder_ / folder).string()));
    }

    // A detector without a network, then all of the recipe's data against each file (or the folder) alone.
    void expect_same_rows(const std::string& name, const fs::path& root) {
        const recipe::Recipe recipe = recipe::read_recipe(
            recipe_file(name), {"score.only=[\"lagged\", \"marginal\"]", "model.method=untrained", "score.blocks=2"});
        const data::Dataset dataset = data::load(recipe, root);
        const data::Fold fold = data::make_folds(dataset, recipe).front();
        const fs::path model = folder_ / "model.cmr", all = folder_ / "all.csv", alone = folder_ / "alone.csv";
        score::save_detector(
            score::fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {},
                                {recipe::to_toml(recipe), fold.name, 0, 1, data::fingerprint(dataset), "test"}),
            model);
        must(fmt::format("score '{}' --data-root '{}' --out '{}'", model.string(), root.string(), all.string()));
        int64_t compared = 0;
        for (const data::Recording& recording : dataset.recordings) {
            if (dataset.parts[recording.part].role == "unused") continue;
            const fs::path file = root / recording.name;
            const fs::path given = recipe.data.layout == "cycles" ? file.parent_path() : file;
            SCOPED_TRACE(given);
            must(fmt::format("score '{}' '{}' --out '{}'", model.string(), given.string(), alone.string()));
            Rows wanted = comparable_rows(all, recording.name, "");
            Rows got = comparable_rows(alone, file.filename().string(), "unknown");
            if (recording.absent > 0) {
                // New data are judged without a sensor that is absent, where a recipe leaves the window out: from there
                // on the slow clock tells another time (docs/data.md).
                const auto gap = std::ranges::find_if(
                    got, [](const std::string& row) { return row.find("absent") != std::string::npos; });
                got.erase(gap, got.end());
                wanted.resize(std::min(wanted.size(), got.size()));
            }
            EXPECT_EQ(got, wanted);
            EXPECT_FALSE(wanted.empty());
            ++compared;
        }
        EXPECT_GT(compared, 0);
    }

    test::TemporaryFolder folder_;
};

TEST_F(ShippedRecipe, PuScoresAnyOfItsFiles) {
    simulate("bearing --runs-per-condition 1 --seconds 2 --bearings K001 K002 K003 KA01", "pu");
    expect_same_rows("pu", folder_.path());
}

TEST_F(ShippedRecipe, ZemaScoresItsFolder) {
    simulate("hydraulic --scale 0.05", "zema");
    expect_same_rows("zema", folder_.path());
}

TEST_F(ShippedRecipe, SwatScoresWorkbooks) {
    simulate("water --normal-rows 31000 --attack-rows 7200 --format xlsx", "swat");
    expect_same_rows("swat", folder_.path());
}

TEST_F(ShippedRecipe, SimulatedPlantsScoreTheirFiles) {
    const std::string plant = "water --normal-rows 31000 --attack-rows 20000 --format csv --faults ";
    simulate(plant + "mechanism", "plant");
    simulate(plant + "mechanism --rig 2 --seed 2", "plant-2");
    simulate(plant + "additive --seed 3", "plant-additive");
    for (const char* name : {"demo", "cross-rig", "water-kinds"}) {
        SCOPED_TRACE(name);
        expect_same_rows(fmt::format("simulated/{}", name), folder_.path());
    }
}

TEST_F(ShippedRecipe, BearingKindsScoreAnyOfTheirFiles) {
    simulate(
        "bearing --runs-per-condition 1 --seconds 0.6 --sample-rate-hz 16000 --faults all "
        "--bearings K001 K002 K003 KA01 KM01 KE01",
        "bearing-kinds");
    expect_same_rows("simulated/bearing-kinds", folder_.path());
}

TEST_F(ShippedRecipe, ActuatorsScoreAnyOfTheirFiles) {
    write_actuators(folder_.path());
    expect_same_rows("actuators", folder_.path());
}

TEST_F(ShippedRecipe, PublicSetsScoreAnyOfTheirFiles) {
    const fs::path root = test::shared_data();
    if (root.empty()) GTEST_SKIP() << test::kNoSharedData;
    for (const char* name : {"batadal", "tep", "skab", "zema-1hz", "zema-accumulator", "hvac-mzvav", "hvac-szcav"}) {
        SCOPED_TRACE(name);
        expect_same_rows(name, root);
    }
}

// A recipe that is added must be added here.
TEST_F(ShippedRecipe, AllAreCompared) {
    std::map<std::string, bool> known;
    for (const char* name : {"pu", "zema", "swat", "batadal", "tep", "skab", "zema-1hz", "zema-accumulator",
                             "hvac-mzvav", "hvac-szcav", "actuators", "template"})
        known[name] = true;
    for (const auto& entry : fs::directory_iterator(recipe_file("pu").parent_path()))
        if (entry.path().extension() == ".toml") {
            EXPECT_TRUE(known[entry.path().stem().string()]) << entry.path();
        }
    for (const char* name : {"demo", "bearing-kinds", "cross-rig", "water-kinds"}) known[name] = true;
    for (const auto& entry : fs::directory_iterator(recipe_file("pu").parent_path() / "simulated"))
        EXPECT_TRUE(known[entry.path().stem().string()]) << entry.path();
}

}  // namespace
}  // namespace cmr
