#include "report/sample_plant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace cmr::test {
namespace {

constexpr double kStart = 1'583'712'000;  // 2020-03-09 00:00:00
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A pump that runs for a while and rests for a while.
std::vector<float> switching(int64_t rows, int64_t least, int64_t most, Rng rng) {
    std::vector<float> out;
    for (bool on = false; std::ssize(out) < rows; on = !on)
        out.insert(out.end(), static_cast<size_t>(least) + rng.below(static_cast<uint64_t>(most - least)),
                   on ? 1.f : 0.f);
    out.resize(static_cast<size_t>(rows));
    return out;
}

// y[t] = y[t-1] + (gain x[t] - y[t-1]) / lag
std::vector<float> answer(const std::vector<float>& cause, double gain, double lag) {
    std::vector<float> out;
    double state = 0;
    for (const float x : cause)
        out.push_back(static_cast<float>(state += (gain * static_cast<double>(x) - state) / lag));
    return out;
}

// Noise that lasts for about `memory` samples, deviation 1.
std::vector<float> slow_noise(int64_t rows, double memory, Rng rng) {
    std::vector<float> out;
    const double keep = std::exp(-1 / memory);
    double state = rng.normal();
    for (int64_t i = 0; i < rows; ++i)
        out.push_back(static_cast<float>(state = keep * state + std::sqrt(1 - keep * keep) * rng.normal()));
    return out;
}

double inside(const SampleAttack& attack, int64_t row) {
    if (row < attack.begin || row >= attack.end) return 0;
    return std::min(1.0, static_cast<double>(row - attack.begin) / 120);
}

}  // namespace

SamplePlant make_sample_plant() {
    constexpr int64_t rows = 2 * 86'400;
    SamplePlant plant;
    const Rng rng(1);
    plant.channels = {"FIT101", "LIT101", "AIT201", "AIT202", "AIT203", "FIT201", "DPIT301", "FIT301", "LIT301",
                      "AIT401", "AIT402", "FIT401", "LIT401", "AIT501", "AIT502", "AIT503",  "AIT504", "FIT501",
                      "FIT502", "FIT503", "FIT504", "PIT501", "PIT502", "PIT503", "FIT601"};
    const auto at = [&](double hour) { return static_cast<int64_t>(hour * 3600); };
    plant.fit_end = at(12);
    plant.attacks = {{"A1 replay", "FIT401", "P401", at(14.52), at(15.6), 0},
                     {"A2 drift", "LIT301", "MV301", at(25.5), at(27.9), 0},
                     {"A3 exchange", "PIT501", "P501", at(39.2), at(39.9), 0}};
    plant.residuals = Matrix(rows, std::ssize(plant.channels));
    std::vector<std::vector<float>> noise;
    for (size_t c = 0; c < plant.channels.size(); ++c)
        noise.push_back(slow_noise(rows, 40, rng.split("residual").split(c)));
    const auto wander = slow_noise(rows, 900, rng.split("wander")),
               other = slow_noise(rows, 500, rng.split("marginal"));
    const auto channel = [&](const std::string& name) {
        return std::ranges::find(plant.channels, name) - plant.channels.begin();
    };
    const int64_t gap_begin = at(31), gap_end = at(32.2), silent_begin = at(34), silent_end = at(37);
    for (int64_t t = 0; t < rows; ++t) {
        if (t >= gap_begin && t < gap_end) continue;
        const auto i = static_cast<size_t>(t);
        plant.times.push_back(kStart + static_cast<double>(t));
        const auto row = static_cast<int64_t>(plant.times.size()) - 1;
        for (size_t c = 0; c < plant.channels.size(); ++c) plant.residuals.row(row)[c] = noise[c][i];
        if (t >= silent_begin && t < silent_end)
            plant.residuals.row(row)[static_cast<size_t>(channel("AIT402"))] = kNan;
        double strength = 0;
        for (const SampleAttack& attack : plant.attacks) {
            const double now = inside(attack, t);
            const auto named = static_cast<size_t>(channel(attack.channel));
            const double wave = 1 + 0.35 * std::sin(static_cast<double>(t) / 200);
            plant.residuals.row(row)[named] += static_cast<float>(10 * now * wave);
            plant.residuals.row(row)[named + 1] += static_cast<float>(4 * now * wave);
            strength += now * wave;
        }
        const bool false_alarm = t >= at(21.3) && t < at(21.33);
        const double calm = -1.1 + 0.22 * static_cast<double>(wander[i]) + 0.09 * static_cast<double>(noise[3][i]);
        plant.mechanism.push_back(static_cast<float>(std::exp(calm + 2.6 * strength + (false_alarm ? 1.9 : 0))));
        plant.marginal.push_back(static_cast<float>(
            std::exp(-0.9 + 0.2 * static_cast<double>(other[i]) + 0.08 * static_cast<double>(noise[5][i]))));
        plant.combined.push_back(std::max(plant.mechanism.back(), 0.7f * plant.marginal.back()));
    }
    plant.residuals.rows = std::ssize(plant.times);
    plant.residuals.values.resize(plant.times.size() * plant.channels.size());
    for (size_t i = 0; i < plant.times.size(); ++i) {
        if (!(plant.combined[i] > 1)) continue;
        if (plant.alarms.empty() || plant.times[i] - plant.alarms.back().second > 120)
            plant.alarms.push_back({plant.times[i], 0});
        plant.alarms.back().second = plant.times[i] + 1;
    }
    for (SampleAttack& attack : plant.attacks) {
        const double begin = kStart + static_cast<double>(attack.begin);
        const auto alarm = std::ranges::find_if(plant.alarms, [&](const auto& a) { return a.first >= begin; });
        attack.delay = alarm == plant.alarms.end() ? -1 : alarm->first - begin;
    }

    plant.pump = switching(rows, 500, 1500, rng.split("P401"));
    plant.valve = switching(rows, 300, 900, rng.split("MV301"));
    plant.expected_flow = answer(plant.pump, 1.72, 25);
    plant.flow = plant.expected_flow;
    plant.level = answer(plant.valve, 300, 1500);
    const auto rough = slow_noise(rows, 3, rng.split("rough"));
    for (int64_t t = 0; t < rows; ++t) {
        const auto i = static_cast<size_t>(t);
        if (inside(plant.attacks[0], t) > 0) plant.flow[i] = plant.expected_flow[i - 1200];
        plant.flow[i] += 0.025f * rough[i];
        plant.level[i] += 700 + rough[i];
    }
    // The rows that the logger lost.
    for (auto* signal : {&plant.pump, &plant.valve, &plant.flow, &plant.level, &plant.expected_flow})
        signal->erase(signal->begin() + gap_begin, signal->begin() + gap_end);
    return plant;
}

}  // namespace cmr::test
