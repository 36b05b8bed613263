#include "simulate/bearing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "io/file.h"
#include "simulate/statistics.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

using test::coherence;
using test::scatter;
using test::spectrum_distance;
using test::total_variation;
using test::twin_distance;

const Bearing& bearing(const std::string& code) { return *std::ranges::find(bearings(), code, &Bearing::code); }

BearingRun run_of(const std::string& code, int64_t run = 1, double seconds = 2.0) {
    BearingOptions options;
    options.seconds = seconds;
    return simulate_bearing_run(bearing(code), operating_conditions()[0], run, options);
}

// The difference of the phases, which the drive's noise enters, against vibration, where the housing has its modes.
double coupling(const BearingRun& run) {
    std::vector<float> difference(run.vibration.size());
    for (size_t t = 0; t < difference.size(); ++t) difference[t] = run.phase_current_1[t] - run.phase_current_2[t];
    const auto at = [&](double hz) { return static_cast<size_t>(hz * 2048.0 / run.sample_rate_hz); };
    return coherence(difference, run.vibration, 2048, at(1000), at(7000));
}

double kurtosis(const std::vector<float>& x) {
    double two = 0.0, four = 0.0;
    for (const double v : x) two += v * v, four += v * v * v * v;
    return four * static_cast<double>(x.size()) / (two * two);
}

TEST(Bearing, ARunHasTheLengthsOfTheOriginal) {
    const BearingRun run = run_of("K001", 1, 4.0);
    EXPECT_EQ(run.vibration.size(), 256001u);
    EXPECT_EQ(run.phase_current_1.size(), 256001u);
    EXPECT_EQ(run.phase_current_2.size(), 256001u);
    EXPECT_EQ(run.speed.size(), 16001u);
    EXPECT_EQ(run.torque.size(), 16001u);
    EXPECT_EQ(run.force.size(), 16001u);
    EXPECT_EQ(run.temperature.size(), 5u);
}

TEST(Bearing, ThereAreSixHealthyNineteenDamagedThreeMechanismOnlyAndThreeAdditiveOnes) {
    EXPECT_EQ(std::ranges::count(bearings(), Damage::kNone, &Bearing::damage), 6);
    EXPECT_EQ(std::ranges::count(bearings(), Damage::kMechanism, &Bearing::damage), 3);
    EXPECT_EQ(std::ranges::count(bearings(), Damage::kAdditive, &Bearing::damage), 3);
    EXPECT_EQ(bearings().size(), 31u);
}

// A run of a loose drive against its twin, the same run of the same machine before the drive came loose. The currents
// are the same to the bit. The vibration has another realisation of its drive, so it differs from its twin by as much
// as two healthy runs differ from each other, or less, as healthy runs differ in their settings too; 1.25 is for
// scatter.
TEST(Bearing, MechanismOnlyFaultsKeepAmplitudesAndSpectra) {
    for (const char* code : {"KM01", "KM02", "KM03"}) {
        Bearing sound = bearing(code);
        sound.severity = 0.0;
        BearingOptions options;
        options.seconds = 1.0;
        std::vector<std::vector<float>> healthy, faulty;
        for (int64_t run = 1; run <= 6; ++run) {
            const BearingRun before = simulate_bearing_run(sound, operating_conditions()[0], run, options);
            const BearingRun after = simulate_bearing_run(bearing(code), operating_conditions()[0], run, options);
            EXPECT_EQ(before.phase_current_1, after.phase_current_1);
            EXPECT_EQ(before.phase_current_2, after.phase_current_2);
            EXPECT_NE(before.vibration, after.vibration);
            healthy.push_back(before.vibration);
            faulty.push_back(after.vibration);
        }
        const auto spectrum = [](const auto& a, const auto& b) { return spectrum_distance(a, b, 1024); };
        const auto variation = [](const auto& a, const auto& b) { return total_variation(a, b); };
        EXPECT_LE(twin_distance(healthy, faulty, variation), 1.25 * scatter(healthy, variation)) << code;
        EXPECT_LE(twin_distance(healthy, faulty, spectrum), 1.25 * scatter(healthy, spectrum)) << code;
    }
}

TEST(Bearing, MechanismOnlyFaultsLoosenTheCouplingByTheirSeverity) {
    const double healthy = coupling(run_of("K001"));
    EXPECT_GT(healthy, 0.5);
    EXPECT_NEAR(coupling(run_of("K005")), healthy, 0.1 * healthy);
    EXPECT_LT(coupling(run_of("KM01")), 0.75 * healthy);
    EXPECT_LT(coupling(run_of("KM02")), 0.50 * healthy);
    EXPECT_LT(coupling(run_of("KM03")), 0.10 * healthy);  // 62 blocks: chance alone gives 1/62
}

TEST(Bearing, DamageMakesImpactsThatGrowWithSeverity) {
    const double healthy = kurtosis(run_of("K001").vibration);
    const double slight = kurtosis(run_of("KA07").vibration), clear = kurtosis(run_of("KA08").vibration);
    EXPECT_GT(slight, healthy + 0.2);
    EXPECT_GT(clear, slight + 0.5);
}

TEST(Bearing, FilesAreTheSameForEveryNumberOfThreads) {
    BearingOptions options;
    options.scale = 0.02;
    options.bearings = {"K001", "KA01", "KM03"};
    const test::TemporaryFolder folder;
    const int threads = thread_count();
    set_thread_count(1);
    simulate_bearing(folder / "one", options);
    set_thread_count(4);
    simulate_bearing(folder / "four", options);
    set_thread_count(threads);
    for (const char* name : {"K001/N15_M07_F10_K001_1.mat", "KM03/N15_M07_F04_KM03_1.mat", "ground_truth.json"})
        EXPECT_TRUE(io::read_file(folder / "one" / name) == io::read_file(folder / "four" / name)) << name;

    const auto truth = nlohmann::json::parse(io::read_file(folder / "one" / "ground_truth.json"));
    ASSERT_EQ(truth["faults"].size(), 2u);
    EXPECT_EQ(truth["faults"][1]["unit"], "KM03");
    EXPECT_EQ(truth["faults"][1]["kind"], "mechanism");
    EXPECT_EQ(truth["faults"][1]["effect"], "vibration_1");
}

TEST(Bearing, WrongOptionsAreToldBeforeAnythingIsWritten) {
    const test::TemporaryFolder folder;
    BearingOptions options;
    options.faults = "broken";
    test::expect_input_error([&] { simulate_bearing(folder / "out", options); }, {"faults", "broken", "mechanism"});
    options = {};
    options.bearings = {"K007"};
    test::expect_input_error([&] { simulate_bearing(folder / "out", options); }, {"K007"});
    EXPECT_FALSE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace cmr::simulate
