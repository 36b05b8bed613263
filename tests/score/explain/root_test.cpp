// Where a fault that spreads began, against the simulator's truth: debris in one stage of a water plant, which the
// water carries into the next. The counts of docs/explain.md are what this prints.

#include <gtest/gtest.h>

#include "score/explain/explain.h"
#include "score/simulated.h"

namespace cmr::score {
namespace {

struct Tally {
    int faults = 0, right = 0, worst_right = 0;
    std::string wrong;
};

bool is_one_of(const std::string& names, const std::string& name) {
    return (" " + names + " ").find(" " + name + " ") != std::string::npos;
}

// Each fault that reached a second stage, explained by the last window that is in it.
Tally explain_all(uint64_t seed, int64_t rig) {
    const recipe::Recipe recipe = test::water_recipe();
    const Rng rng(seed);
    data::Dataset dataset = test::empty_dataset(recipe);
    test::add_water(dataset, 0, "fit",
                    simulate::simulate_water_normal(100'000, rng.split("normal"), simulate::WaterRegime::kUsual, rig));
    const simulate::WaterAttackRun spreading =
        simulate::simulate_water_attacks(120'000, "spreading", rng.split("attack"), rig);
    data::Recording& record = test::add_water(dataset, 1, "spreading", spreading.record);
    for (const simulate::WaterAttack& fault : spreading.attacks)
        test::mark(record, fault.begin, fault.end, data::State::kFaulty);
    Detector detector = test::fit_bare(dataset, recipe);
    detector.alarm = {Calibration{.threshold = detector.threshold()}, {.off_delay_s = 300}};
    const ScoreRun run = score::run(detector, dataset);
    Tally out;
    for (const simulate::WaterAttack& fault : spreading.attacks) {
        if (fault.truth.channels.size() <= static_cast<size_t>(1 + std::ranges::count(fault.truth.effect, ' ')))
            continue;
        int64_t last = -1;
        for (int64_t i = 0; i < std::ssize(run.windows); ++i) {
            const ScoredWindow& w = run.windows[i];
            if (w.window.recording == 1 && w.end_s > static_cast<double>(fault.begin) &&
                w.end_s <= static_cast<double>(fault.end) && w.alarm)
                last = i;
        }
        ++out.faults;
        if (last < 0) {
            out.wrong += fmt::format("\n  {}: no alarm", fault.attack);
            continue;
        }
        const Explanation e = explain(detector, dataset, run, last);
        const bool right = !e.root.empty() && is_one_of(fault.truth.effect, e.root.front().name);
        out.right += right;
        out.worst_right += is_one_of(fault.truth.effect, e.effects.front().name);
        std::string order;
        for (const Departure& d : e.root) order += fmt::format(" {} +{:.0f} s,", d.name, d.onset_s - fault.begin);
        if (!right) out.wrong += fmt::format("\n  {}:{} {}", fault.truth.detail, order, e.sentence);
    }
    return out;
}

TEST(Root, OfFaultsThatSpreadIsTheFirstBrokenCoupling) {
    Tally all;
    for (const auto& [seed, rig] : {std::pair(1, 0), std::pair(2, 0), std::pair(3, 5)}) {
        const Tally some = explain_all(static_cast<uint64_t>(seed), rig);
        all.faults += some.faults, all.right += some.right, all.worst_right += some.worst_right;
        all.wrong += some.wrong;
    }
    fmt::print("{} faults that spread: root right {}, worst effect at the end right {}{}\n", all.faults, all.right,
               all.worst_right, all.wrong);
    ASSERT_GE(all.faults, 20);
    EXPECT_GE(all.right, 0.8 * all.faults) << all.wrong;
}

}  // namespace
}  // namespace cmr::score
