// The recipes of the real datasets read what the simulators write, with the counts that their shapes imply.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr {
namespace {

using Json = nlohmann::json;

class Simulated : public testing::Test {
  protected:
    void simulate(const std::string& arguments, const std::string& folder) {
        const auto result = test::run_command(fmt::format(
            "'{}/cmr' simulate {} --out '{}' 2>&1", std::getenv("CMR_BIN"), arguments, (folder_ / folder).string()));
        ASSERT_EQ(result.exit_code, 0) << result.output;
    }

    Json inspect(const std::string& recipe) {
        const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
        const auto result =
            test::run_command(fmt::format("'{}/cmr' inspect '{}' --data-root '{}' --json", std::getenv("CMR_BIN"),
                                          (root / "recipes" / (recipe + ".toml")).string(), folder_.path().string()));
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return Json::parse(result.output);
    }

    test::TemporaryFolder folder_;
};

TEST_F(Simulated, BearingsGiveFourteenWindowsPerRecordingAndAFoldPerPair) {
    simulate("bearing --runs-per-condition 1 --bearings K001 K002 K003 KA01 KI16 KM01", "pu");
    const Json facts = inspect("pu");
    // Four conditions, one run each, of three healthy and two damaged bearings; KM01 is none of the study's.
    EXPECT_EQ(facts["parts"][0]["files"], 20);
    EXPECT_EQ(facts["parts"][0]["windows"]["healthy"], 3 * 4 * 14);
    EXPECT_EQ(facts["parts"][0]["windows"]["faulty"], 2 * 4 * 14);
    ASSERT_EQ(facts["folds"].size(), 3u);
    EXPECT_EQ(facts["folds"][0]["name"], "K001+K002");
    for (const Json& fold : facts["folds"]) {
        EXPECT_EQ(fold["train"], 4 * 14);
        EXPECT_EQ(fold["test"]["healthy"], 2 * 4 * 14);
        EXPECT_EQ(fold["strata"]["artificial"], 4 * 14);
        EXPECT_EQ(fold["strata"]["real"], 4 * 14);
    }
}

TEST_F(Simulated, CyclesKeepTheProportionsOfTheRig) {
    simulate("hydraulic --scale 0.1", "zema");
    const Json facts = inspect("zema");
    const Json& windows = facts["parts"][0]["windows"];
    const int64_t healthy = windows["healthy"];
    EXPECT_GT(healthy, 45);
    EXPECT_EQ(facts["folds"][0]["train"], static_cast<int64_t>(0.85 * static_cast<double>(healthy)));
    EXPECT_EQ(facts["folds"][0]["strata"]["weak"], facts["folds"][0]["strata"]["severe"]);
    EXPECT_GT(facts["channels"][1]["r2"], 0.9);  // PS1 from EPS1
}

TEST_F(Simulated, ThePlantLosesSixHoursAndFourteenActuators) {
    simulate("water --scale 0.1 --format csv", "swat");
    const Json facts = inspect("swat");
    // 49,500 rows less 21,600, and 44,992 of attack days, in windows of 256 every 128.
    EXPECT_EQ(facts["parts"][0]["samples"]["healthy"], 27900);
    EXPECT_EQ(facts["parts"][0]["windows"]["healthy"], (27900 - 256) / 128 + 1);
    const Json& attack = facts["parts"][1]["samples"];
    EXPECT_EQ(attack["healthy"].get<int64_t>() + attack["faulty"].get<int64_t>(), 44992);
    EXPECT_GT(attack["faulty"], 1000);
    int64_t constant = 0;
    for (const Json& channel : facts["channels"])
        if (channel["constant"] && channel["role"] == "cause") ++constant;
    EXPECT_EQ(constant, 14);
    EXPECT_GT(facts["events"], 0);  // the list of attacks, a workbook, names them
}

// The recipes of the simulated study: what they call a stratum, and which plant is on which side.
TEST_F(Simulated, AdditiveFaultsAreAStratumOfTheirOwn) {
    simulate("bearing --runs-per-condition 1 --seconds 0.2 --sample-rate-hz 16000 --faults all", "bearing-kinds");
    const Json bearings = inspect("simulated/bearing-kinds");
    // Four conditions, one window each, of the units that the recipe lists.
    for (const Json& fold : bearings["folds"]) {
        EXPECT_EQ(fold["strata"]["damage"], 4 * 4);
        EXPECT_EQ(fold["strata"]["mechanism"], 3 * 4);
        EXPECT_EQ(fold["strata"]["additive"], 3 * 4);
    }
    simulate("water --scale 0.1 --format csv --faults mechanism", "plant");
    simulate("water --scale 0.1 --format csv --faults additive --seed 3", "plant-additive");
    const Json water = inspect("simulated/water-kinds");
    EXPECT_GT(water["folds"][0]["strata"]["mechanism"], 20);
    EXPECT_GT(water["folds"][0]["strata"]["additive"], 20);
}

TEST_F(Simulated, ADetectorOfOnePlantIsTestedOnAnother) {
    simulate("water --scale 0.1 --format csv --faults mechanism", "plant");
    simulate("water --scale 0.1 --format csv --faults mechanism --rig 2 --seed 2", "plant-2");
    const Json facts = inspect("simulated/cross-rig");
    EXPECT_EQ(facts["parts"][0]["samples"]["healthy"], 27900);
    EXPECT_EQ(facts["parts"][0]["samples"]["faulty"], 0);
    EXPECT_GT(facts["parts"][1]["samples"]["faulty"], 1000);
    // Dosing and pumps of another size: healthy readings that training never saw.
    double outside = 0;
    for (const Json& channel : facts["channels"])
        if (channel["role"] == "effect") outside = std::max(outside, channel["outside_training_range"].get<double>());
    EXPECT_GT(outside, 0.1);
}

}  // namespace
}  // namespace cmr
