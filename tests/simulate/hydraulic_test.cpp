#include "simulate/hydraulic.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "io/file.h"
#include "simulate/statistics.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

constexpr size_t kPs1 = 0, kEps1 = 6;

// All samples of every sensor in the stable cycles that `chosen` takes; `mended`: as if the fault were not there.
template <typename Chosen>
HydraulicCycle gather(const HydraulicOptions& options, const Chosen& chosen, bool mended = false) {
    HydraulicCycle all;
    for (HydraulicState state : hydraulic_campaign(options)) {
        if (!state.stable || !chosen(state)) continue;
        if (mended) state.leakage = 0;
        const HydraulicCycle cycle = simulate_hydraulic_cycle(state, options);
        for (size_t s = 0; s < all.size(); ++s) all[s].insert(all[s].end(), cycle[s].begin(), cycle[s].end());
    }
    return all;
}

// Cycle minus the mean cycle: what a load cycle that is always the same cannot explain.
std::vector<float> deviations(const std::vector<float>& cycles, size_t length) {
    std::vector<double> mean(length);
    for (size_t i = 0; i < cycles.size(); ++i)
        mean[i % length] += cycles[i] / static_cast<double>(cycles.size() / length);
    std::vector<float> left(cycles.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = cycles[i] - static_cast<float>(mean[i % length]);
    return left;
}

HydraulicOptions small(const std::string& faults) {
    HydraulicOptions options;
    options.scale = 0.2;
    options.sample_rate_hz = 1;
    options.faults = faults;
    return options;
}

TEST(Hydraulic, TheFullCampaignHasTheNumbersOfTheOriginal) {
    std::map<int, int> stable, all;
    for (const HydraulicState& state : hydraulic_campaign({})) {
        ++all[state.leakage];
        if (state.stable) ++stable[state.leakage];
    }
    EXPECT_EQ(stable, (std::map<int, int>{{0, 489}, {1, 480}, {2, 480}}));
    EXPECT_EQ(all, (std::map<int, int>{{0, 1221}, {1, 492}, {2, 492}}));
}

TEST(Hydraulic, ACycleHasTheShapeOfTheOriginal) {
    const HydraulicCycle cycle = simulate_hydraulic_cycle({.cooler = 20}, {});
    for (size_t s = 0; s < cycle.size(); ++s)
        EXPECT_EQ(cycle[s].size(), static_cast<size_t>(60 * kHydraulicSensors[s].rate_hz));
    EXPECT_NEAR(cycle[kPs1][500], 191.0, 3.0);  // shut: the relief valve holds
    EXPECT_NEAR(cycle[kPs1][1500], 144.2, 9.0);
    EXPECT_NEAR(cycle[kPs1][3500], 164.6, 9.0);
    EXPECT_NEAR(cycle[kEps1][500], 2885.0, 60.0);
    EXPECT_NEAR(cycle[kEps1][1500], 2264.0, 130.0);
}

TEST(Hydraulic, LeakageTakesFlowAndCostsPower) {
    const HydraulicCycle sound = simulate_hydraulic_cycle({.leakage = 0}, {});
    const HydraulicCycle severe = simulate_hydraulic_cycle({.leakage = 2}, {});
    EXPECT_LT(severe[7][300], sound[7][300] - 0.2);  // FS1, same load
    EXPECT_LT(severe[kPs1][3500], sound[kPs1][3500]);
    EXPECT_GT(severe[kEps1][3500], sound[kEps1][3500]);
}

// The faulty cycles of a campaign against their twins, the same cycles without the fault. All channels but those of the
// hydraulic side are the same to the bit. The hydraulic side has another realisation of the load, so it differs from
// its twin by as much as the same healthy cycles differ between campaigns; 1.25 is for scatter, 0.005 for what rounds
// to nothing.
TEST(Hydraulic, MechanismOnlyFaultsKeepAmplitudesAndSpectra) {
    for (const int level : {1, 2}) {
        std::vector<HydraulicCycle> healthy, faulty;
        for (const int64_t seed : {1, 2, 3, 4}) {
            HydraulicOptions options = small("mechanism");
            options.seed = seed;
            const auto chosen = [&](const HydraulicState& s) { return s.leakage == level; };
            healthy.push_back(gather(options, chosen, /*mended=*/true));
            faulty.push_back(gather(options, chosen));
        }
        for (size_t s = 0; s < kHydraulicSensors.size(); ++s) {
            const std::string name = kHydraulicSensors[s].name;
            const bool answers = name == "PS1" || name == "PS2" || name == "PS3" || name == "FS1" || name == "SE";
            if (!answers) {
                EXPECT_EQ(healthy[0][s], faulty[0][s]) << name;
            }
            const auto variation = [&](const HydraulicCycle& a, const HydraulicCycle& b) {
                return test::total_variation(a[s], b[s]);
            };
            const auto spectrum = [&](const HydraulicCycle& a, const HydraulicCycle& b) {
                return test::spectrum_distance(a[s], b[s], 64);
            };
            EXPECT_LE(test::twin_distance(healthy, faulty, variation), 1.25 * test::scatter(healthy, variation) + 0.005)
                << name << " at level " << level;
            EXPECT_LE(test::twin_distance(healthy, faulty, spectrum), 1.25 * test::scatter(healthy, spectrum) + 0.005)
                << name << " at level " << level;
        }
    }
}

TEST(Hydraulic, MechanismOnlyFaultsLoosenTheCouplingByTheirSeverity) {
    const HydraulicOptions options = small("mechanism");
    std::array<double, 3> coupling;
    for (const int level : {0, 1, 2}) {
        // One state of cooler, so that temperature does not couple power and pressure by itself.
        const HydraulicCycle cycles =
            gather(options, [&](const HydraulicState& s) { return s.leakage == level && s.cooler == 20; });
        coupling[static_cast<size_t>(level)] =
            test::r_squared(deviations(cycles[kEps1], 60), deviations(cycles[kPs1], 60));
    }
    EXPECT_GT(coupling[0], 0.95);
    EXPECT_NEAR(coupling[1], 0.5, 0.15);  // 1 - share
    EXPECT_LT(coupling[2], 0.1);
}

TEST(Hydraulic, FilesAreTheSameForEveryNumberOfThreadsAndHaveARowPerCycle) {
    HydraulicOptions options = small("damage");
    options.scale = 0.02;
    const test::TemporaryFolder folder;
    const int threads = thread_count();
    set_thread_count(1);
    simulate_hydraulic(folder / "one", options);
    set_thread_count(4);
    simulate_hydraulic(folder / "four", options);
    set_thread_count(threads);
    const auto cycles = static_cast<int64_t>(hydraulic_campaign(options).size());
    for (const char* name : {"PS1.txt", "EPS1.txt", "SE.txt", "profile.txt", "ground_truth.json"}) {
        const std::string text = io::read_file(folder / "one" / name);
        EXPECT_TRUE(text == io::read_file(folder / "four" / name)) << name;
        if (std::string(name) == "ground_truth.json") continue;
        EXPECT_EQ(std::ranges::count(text, '\n'), cycles) << name;
        EXPECT_EQ(std::ranges::count(text, '\t'), cycles * (std::string(name) == "profile.txt" ? 4 : 59)) << name;
    }
    const auto truth = nlohmann::json::parse(io::read_file(folder / "one" / "ground_truth.json"));
    EXPECT_EQ(truth["options"]["seed"], 1);
    EXPECT_EQ(truth["faults"].size(), 24u);  // 3 coolers, 4 accumulators, 2 levels
    EXPECT_EQ(truth["faults"][0]["cause"], "EPS1");
}

TEST(Hydraulic, WrongOptionsAreTold) {
    const test::TemporaryFolder folder;
    HydraulicOptions options;
    options.sample_rate_hz = 7;
    test::expect_input_error([&] { simulate_hydraulic(folder / "out", options); }, {"sample_rate_hz", "7", "100"});
}

}  // namespace
}  // namespace cmr::simulate
