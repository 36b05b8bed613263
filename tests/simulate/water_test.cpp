#include "simulate/water.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "io/file.h"
#include "simulate/statistics.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

using namespace water;

std::vector<float> column(const WaterRecord& record, size_t channel) {
    std::vector<float> values;
    for (const WaterRow& row : record) values.push_back(row[channel]);
    return values;
}

size_t channel_of(const std::string& name) {
    return static_cast<size_t>(std::ranges::find(kWaterChannels, name) - kWaterChannels.begin());
}

// One healthy and one attacked run for several tests.
const WaterRecord& healthy_run() {
    static const WaterRecord record = simulate_water_normal(150000, Rng(4));
    return record;
}
const WaterAttackRun& mechanism_run() {
    static const WaterAttackRun run = simulate_water_attacks(150000, "mechanism", Rng(3));
    return run;
}

TEST(Water, FourteenActuatorsStayConstantInNormalOperation) {
    const WaterRecord record = simulate_water_normal(20000, Rng(1));
    int actuators = 0, constant = 0;
    for (size_t c = 0; c < kChannels; ++c) {
        if (!is_actuator(c)) continue;
        ++actuators;
        const std::vector<float> states = column(record, c);
        const std::set<float> seen(states.begin(), states.end());
        constant += seen.size() == 1;
        for (const float state : seen)
            EXPECT_TRUE(state == 1 || state == 2 || (kWaterChannels[c][0] == 'M' && state == 0));
    }
    EXPECT_EQ(actuators, 26);
    EXPECT_EQ(constant, 14);
}

TEST(Water, TheControllerHoldsTheLevelsAndFlowsFollowActuators) {
    const WaterRecord record = simulate_water_normal(20000, Rng(2));
    for (const WaterRow& row : record) {
        ASSERT_GT(row[LIT101], 450);
        ASSERT_LT(row[LIT101], 850);
        ASSERT_GT(row[LIT301], 700);
        ASSERT_LT(row[LIT301], 1050);
        ASSERT_GT(row[LIT401], 700);
        ASSERT_LT(row[LIT401], 1050);
    }
    EXPECT_GT(test::r_squared(column(record, P101), column(record, FIT201)), 0.9);
    EXPECT_GT(test::r_squared(column(record, P302), column(record, FIT301)), 0.9);
    EXPECT_GT(test::r_squared(column(record, MV101), column(record, FIT101)), 0.9);
    EXPECT_GT(test::r_squared(column(record, P602), column(record, FIT601)), 0.6);  // its valve opens slowly
}

// The attacked rows of a channel, put together, against an independent healthy run; the reference is the largest
// distance that an equally long healthy stretch has to it. 0.05 is for the seams between attacks.
TEST(Water, OtherRegimesUseOtherActuatorsAndTheSamePhysics) {
    const WaterRecord spare = simulate_water_normal(20000, Rng(2), WaterRegime::kSparePumps);
    const WaterRecord half = simulate_water_normal(20000, Rng(2), WaterRegime::kHalfLoad);
    const WaterRecord without = simulate_water_normal(20000, Rng(2), WaterRegime::kWithoutDosing);
    int64_t transfers = 0;
    for (size_t t = 60; t < spare.size(); ++t) {
        ASSERT_EQ(spare[t][P101], 1);
        ASSERT_EQ(half[t][P501], 1);
        ASSERT_EQ(without[t][P203], 1);
        if (spare[t][P102] == 2 && spare[t][MV201] == 2) {
            ++transfers;
            ASSERT_NEAR(spare[t][FIT201], 2.45, 0.25);
        }
        ASSERT_NEAR(half[t][FIT401], 0.9, 0.1);
        ASSERT_NEAR(without[t][AIT202], 8.45, 0.08) << "no acid";
    }
    EXPECT_GT(transfers, 2000);
}

TEST(Water, MechanismOnlyAttacksKeepAmplitudesAndSpectra) {
    const WaterAttackRun& run = mechanism_run();
    const WaterRecord& healthy = healthy_run();
    for (const size_t channel : {FIT101, LIT101, FIT201, AIT202, FIT301, DPIT301}) {
        std::vector<float> attacked;
        for (const WaterAttack& attack : run.attacks)
            if (std::ranges::count(attack.truth.channels, kWaterChannels[channel]))
                for (int64_t t = attack.begin; t < attack.end; ++t)
                    attacked.push_back(run.record[static_cast<size_t>(t)][channel]);
        ASSERT_GT(attacked.size(), 2000u) << kWaterChannels[channel];
        const std::vector<float> all = column(healthy, channel);
        double variation = 0.0, spectrum = 0.0;
        for (size_t begin = 0; begin + attacked.size() <= all.size(); begin += attacked.size()) {
            const std::span stretch(all.data() + begin, attacked.size());
            variation = std::max(variation, test::total_variation(stretch, all));
            spectrum = std::max(spectrum, test::spectrum_distance(stretch, all, 256));
        }
        EXPECT_LE(test::total_variation(attacked, all), variation + 0.05) << kWaterChannels[channel];
        EXPECT_LE(test::spectrum_distance(attacked, all, 256), spectrum + 0.05) << kWaterChannels[channel];
    }
}

TEST(Water, MechanismOnlyAttacksBreakTheCouplingAndBeginAndEndSmoothly) {
    const WaterAttackRun& run = mechanism_run();
    const WaterRecord& healthy = healthy_run();
    EXPECT_GE(run.attacks.size(), 10u);  // of 12; where no stretch fits, the attack is left out
    for (const WaterAttack& attack : run.attacks) {
        std::vector<float> cause, effect;
        const size_t sensor = channel_of(attack.truth.channels.front());
        for (int64_t t = attack.begin; t < attack.end; ++t) {
            cause.push_back(run.record[static_cast<size_t>(t)][channel_of(attack.truth.cause)]);
            effect.push_back(run.record[static_cast<size_t>(t)][sensor]);
        }
        const double mismatch = [&] {  // share of rows whose flow contradicts the actuator
            double count = 0.0;
            for (size_t i = 0; i < cause.size(); ++i) count += (cause[i] == 2.0f) != (effect[i] > 1.0f);
            return count / static_cast<double>(cause.size());
        }();
        EXPECT_GT(mismatch, 0.25) << attack.point;  // healthy: below 0.02, while valves move
        for (const std::string& name : attack.truth.channels) {
            const size_t c = channel_of(name);
            float usual = 0.0f;
            for (size_t t = 1; t < healthy.size(); ++t)
                usual = std::max(usual, std::abs(healthy[t][c] - healthy[t - 1][c]));
            for (const int64_t t : {attack.begin, attack.end}) {
                const auto row = static_cast<size_t>(t);
                EXPECT_LE(std::abs(run.record[row][c] - run.record[row - 1][c]), 1.25f * usual) << name;
            }
        }
    }
}

TEST(Water, BluntAttacksLeaveTheNormalRangeAndStealthyOnesDoNotAtFirst) {
    const WaterAttackRun run = simulate_water_attacks(449919, "damage", Rng(5));
    ASSERT_EQ(run.attacks.size(), 36u);
    const auto forced = std::ranges::find(run.attacks, std::string("P501"), &WaterAttack::point);
    ASSERT_NE(forced, run.attacks.end());
    EXPECT_LT(run.record[static_cast<size_t>(forced->end - 1)][FIT401], 1.3f);  // normal: 1.6 and more
    EXPECT_EQ(forced->truth.kind, "blunt");
    EXPECT_EQ(std::ranges::count(run.attacks, std::string("stealthy"), [](const auto& a) { return a.truth.kind; }), 12);
}

TEST(Water, FilesHaveTheQuirksOfTheOriginal) {
    const test::TemporaryFolder folder;
    WaterOptions options;
    options.scale = 0.02;
    options.format = "csv";
    simulate_water(folder / "out", options);
    const std::string text = io::read_file(folder / "out" / "SWaT_Dataset_Attack_v0.csv");
    EXPECT_TRUE(text.starts_with(",P1,,,,,P2,"));
    EXPECT_THAT(text, testing::HasSubstr("\n Timestamp,FIT101,LIT101, MV101,P101,P102, AIT201,"));
    EXPECT_THAT(text, testing::HasSubstr(",P603,Normal/Attack\n 28/12/2015 10:00:00 AM,"));
    EXPECT_THAT(text, testing::HasSubstr(",Attack\n"));
    EXPECT_THAT(text, testing::HasSubstr(",A ttack\n"));
    EXPECT_EQ(std::ranges::count(text, '\n'), 2 + 8998);
    EXPECT_TRUE(
        io::read_file(folder / "out" / "List_of_attacks_Final.csv").starts_with("Attack #,Start Time,End Time,"));
    const auto truth = nlohmann::json::parse(io::read_file(folder / "out" / "ground_truth.json"));
    EXPECT_EQ(truth["faults"].size(), 4u);
    EXPECT_EQ(truth["faults"][0]["unit"], "SWaT_Dataset_Attack_v0.csv");
}

TEST(Water, WorkbooksAreTheSameForTheSameSeed) {
    const test::TemporaryFolder folder;
    WaterOptions options;
    options.scale = 0.02;
    simulate_water(folder / "one", options);
    simulate_water(folder / "two", options);
    for (const char* name :
         {"SWaT_Dataset_Normal_v1.xlsx", "SWaT_Dataset_Attack_v0.xlsx", "List_of_attacks_Final.xlsx"}) {
        const std::string bytes = io::read_file(folder / "one" / name);
        EXPECT_TRUE(bytes.starts_with("PK")) << name;
        EXPECT_TRUE(bytes == io::read_file(folder / "two" / name)) << name;
    }
}

TEST(Water, WrongOptionsAreTold) {
    const test::TemporaryFolder folder;
    WaterOptions options;
    options.attack_rows = 100;
    test::expect_input_error([&] { simulate_water(folder / "out", options); }, {"attack_rows", "100", "7200"});
}

}  // namespace
}  // namespace cmr::simulate
