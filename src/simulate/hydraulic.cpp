#include "simulate/hydraulic.h"

#include <algorithm>
#include <cmath>

#include "simulate/process.h"

namespace cmr::simulate {

namespace {

constexpr double kStep = 0.01;  // s
constexpr int64_t kSteps = 6000;
constexpr double kWattPerBarLitre = 1.0 / 0.6;  // 1 bar · 1 l/min
constexpr std::array<double, 3> kExtraLeakage = {0.0, 0.0017, 0.0027};
constexpr std::array<double, 3> kExtraPower = {0.0, 12.0, 32.0};  // W, friction of a worn pump
constexpr std::array<double, 3> kHiddenShare = {0.0, 0.5, 1.0};
constexpr std::array<double, 3> kAdded = {0.0, 0.5, 1.0};  // of an additive fault, in kCycleDeviation
constexpr double kCycleDeviation = 2.236;  // bar, of a set point's pressure: 2 bar, and half of it within

struct Rig {
    double pump_flow = 8.0;     // l/min, displacement times speed
    double leakage = 0.002;     // l/min per bar, of a sound pump at 45 °C
    double valve_slope = 0.5;   // l/min per bar above the valve's opening pressure
    double relief_slope = 6.0;  // the same of the relief valve
    double capacity = 0.1;      // l/min per bar/s, of a full accumulator
    double friction = 160.0;    // W
    double viscous = 183.0;     // W, of oil at 45 °C
};

Rig make_rig(int64_t number) {
    Rig rig;
    if (number == 0) return rig;
    Rng rng = Rng(static_cast<uint64_t>(number)).split("hydraulic rig");
    rig.pump_flow *= rng.uniform(0.9, 1.1);
    rig.leakage *= rng.uniform(0.7, 1.4);
    rig.valve_slope *= rng.uniform(0.85, 1.2);
    rig.capacity *= rng.uniform(0.7, 1.4);
    rig.friction *= rng.uniform(0.8, 1.25);
    rig.viscous *= rng.uniform(0.8, 1.25);
    return rig;
}

// The load cycle: shut against the relief valve, then five set points.
constexpr size_t kPhases = 6;
constexpr std::array<double, kPhases> kPhaseStart = {0.0, 9.4, 19.05, 29.05, 39.05, 49.05};    // s
constexpr std::array<double, kPhases> kSetPoint = {190.0, 144.2, 155.0, 164.6, 155.0, 149.3};  // bar
constexpr std::array<double, kPhases> kSpread = {0.5, 2.0, 2.0, 2.0, 2.0, 2.0};                // bar, between cycles

// The load as standard normal numbers: one per phase, one per moment.
struct Load {
    std::array<double, kPhases> phase{};
    std::vector<double> drift{};
};

Load draw_load(Rng rng) {
    Load load{.drift = std::vector<double>(kSteps)};
    for (double& z : load.phase) z = rng.normal();
    SlowNoise drift(1.0, kStep, rng.normal());
    for (double& z : load.drift) z = drift.next(rng.normal());
    return load;
}

Load mixed(const Load& visible, const Load& independent, double share) {
    Load load = visible;
    for (size_t i = 0; i < kPhases; ++i) load.phase[i] = mix(visible.phase[i], independent.phase[i], share);
    for (size_t i = 0; i < load.drift.size(); ++i) load.drift[i] = mix(visible.drift[i], independent.drift[i], share);
    return load;
}

double viscosity(double celsius) { return std::exp(-0.03 * (celsius - 45.0)); }  // relative to 45 °C

double valve_lag(int valve) {  // s; a worn valve opens late
    return valve == 100 ? 0.06 : valve == 90 ? 0.2 : valve == 80 ? 0.35 : 0.5;
}

struct Answer {
    std::vector<double> pressure, flow, valve_pressure, power;  // PS1, FS1, PS2, EPS1 without sensor noise
};

// C dp/dt = Q_pump - Q_leak(p) - Q_valve(p) - Q_relief(p), and the motor's power P = p Q_pump/η + friction.
// The step is linearly implicit, dp = h f/(C - h f'), because the relief valve is stiff.
Answer run_rig(const Rig& rig, const HydraulicState& state, int leakage, const Load& load) {
    const double thin = 1.0 / viscosity(state.oil_celsius);
    const double leak = (rig.leakage + kExtraLeakage[static_cast<size_t>(leakage)]) * thin;
    // Gas at precharge p0 takes up p0 V0/p² per bar.
    const double capacity = rig.capacity * (0.5 + 0.5 * state.accumulator / 130.0);
    const double lag = valve_lag(state.valve);
    const double friction = rig.friction + rig.viscous / thin + kExtraPower[static_cast<size_t>(leakage)];

    Answer answer;
    for (auto* values : {&answer.pressure, &answer.flow, &answer.valve_pressure, &answer.power})
        values->reserve(kSteps);
    double pressure = 149.3;  // where the cycle before left it
    double opened = 1.0;      // of the shut-off valve
    double power = pressure * rig.pump_flow * kWattPerBarLitre + friction;
    size_t phase = 0;
    for (int64_t t = 0; t < kSteps; ++t) {
        const double now = static_cast<double>(t) * kStep;
        if (phase + 1 < kPhases && now >= kPhaseStart[phase + 1]) ++phase;
        const double fluctuation = kSpread[phase] * (load.phase[phase] + 0.5 * load.drift[static_cast<size_t>(t)]);
        opened += (phase == 0 ? -opened / 0.06 : (1.0 - opened) / lag) * kStep;

        const size_t served = std::max<size_t>(phase, 1);
        const double opens_at =
            kSetPoint[served] + (phase == 0 ? 0.0 : fluctuation) - 15.4 - 0.22 * (state.oil_celsius - 45.0);
        const double relieves_at = kSetPoint[0] + (phase == 0 ? fluctuation : 0.0) - 0.06 * (state.oil_celsius - 45.0);
        const double through = opened * rig.valve_slope * std::max(0.0, pressure - opens_at);
        const double relieved = rig.relief_slope * std::max(0.0, pressure - relieves_at);
        const double surplus = rig.pump_flow - leak * pressure - through - relieved;
        const double stiffness =
            leak + (through > 0.0 ? opened * rig.valve_slope : 0.0) + (relieved > 0.0 ? rig.relief_slope : 0.0);
        pressure += kStep * surplus / (capacity + kStep * stiffness);
        const double wanted = pressure * rig.pump_flow * kWattPerBarLitre + friction;
        power += (wanted - power) * kStep / 0.12;  // inertia of the motor

        answer.pressure.push_back(pressure);
        answer.flow.push_back(through);
        answer.valve_pressure.push_back(std::max(0.0, opened * (pressure - 0.43 * through * through)));
        answer.power.push_back(power);
    }
    return answer;
}

// What a sensor writes: means of `value` over the blocks between samples, and noise, of which a mean keeps less.
template <typename Value>
std::vector<float> sense(const Value& value, double noise, int64_t own_rate_hz, int64_t rate_hz, Rng rng) {
    const int64_t block = kSteps / (60 * rate_hz);
    const double left = noise * std::sqrt(static_cast<double>(rate_hz) / static_cast<double>(own_rate_hz));
    std::vector<float> samples(static_cast<size_t>(60 * rate_hz));
    size_t t = 0;
    for (float& sample : samples) {
        double sum = 0.0;
        for (int64_t k = 0; k < block; ++k) sum += value(t++);
        sample = static_cast<float>(std::max(0.0, sum / static_cast<double>(block) + left * rng.normal()));
    }
    return samples;
}

double by_cooler(int cooler, double poor, double reduced, double full) {
    return cooler == 3 ? poor : cooler == 20 ? reduced : full;
}

}  // namespace

std::vector<HydraulicState> hydraulic_campaign(const HydraulicOptions& options) {
    const auto part = [&](double cycles) { return std::max<int64_t>(1, std::llround(cycles * options.scale)); };
    std::vector<HydraulicState> campaign;
    HydraulicState state{.oil_celsius = 36.0};
    Rng rng = Rng(static_cast<uint64_t>(options.seed)).split("oil");
    SlowNoise room(8.0, 1.0, rng.normal());
    const auto add = [&](int64_t cycles, bool stable) {
        for (int64_t i = 0; i < cycles; ++i) {
            const double settled =
                by_cooler(state.cooler, 55.8, 44.6, 36.0) + (options.faults == "damage" ? 0.2 * state.leakage : 0.0);
            // A shorter campaign warms faster, so that its phases end as warm as those of the full one.
            state.oil_celsius += (settled - state.oil_celsius) / std::max(1.5, 12.0 * options.scale);
            HydraulicState now = state;
            now.oil_celsius += 0.3 * room.next(rng.normal());
            now.cycle = static_cast<int64_t>(campaign.size());
            now.stable = stable;
            campaign.push_back(now);
        }
    };
    for (const int cooler : {3, 20, 100}) {
        state.cooler = cooler;
        add(part(200), false);
        for (const int accumulator : {130, 115, 100, 90}) {
            state.accumulator = accumulator;
            add(part(10), false);
            for (const int leakage : {2, 1, 0}) {
                state.leakage = leakage;
                add(1, false);
                for (const int valve : {73, 80, 90, 100}) {
                    state.valve = valve;
                    add(part(10), true);
                }
            }
        }
    }
    add(std::llround(9 * options.scale), true);
    return campaign;
}

HydraulicCycle simulate_hydraulic_cycle(const HydraulicState& state, const HydraulicOptions& options) {
    const Rng root = Rng(static_cast<uint64_t>(options.seed)).split("cycle").split(static_cast<uint64_t>(state.cycle));
    const auto fault = static_cast<size_t>(state.leakage);
    const int leakage = options.faults == "damage" ? state.leakage : 0;
    const double share = options.faults == "mechanism" ? kHiddenShare[fault] : 0.0;
    const double added = options.faults == "additive" ? kAdded[fault] * kCycleDeviation : 0.0;

    const Rig rig = make_rig(options.rig);
    const Load shown = draw_load(root.split("load"));
    const Answer motor = run_rig(rig, state, leakage, shown);
    const Answer fluid =
        share > 0.0 ? run_rig(rig, state, leakage, mixed(shown, draw_load(root.split("hidden")), share)) : motor;
    // Waves that come and go within seconds.
    Rng elsewhere = root.split("elsewhere");
    SlowNoise wave(2.0, kStep, elsewhere.normal());

    HydraulicCycle rows;
    size_t next = 0;
    const auto add = [&](double noise, const auto& value) {
        const HydraulicSensor& sensor = kHydraulicSensors[next];
        rows[next++] = sense(value, noise, sensor.rate_hz, std::min(sensor.rate_hz, options.sample_rate_hz),
                             root.split(sensor.name));
    };
    const auto constant = [](double value) { return [value](size_t) { return value; }; };
    const double warmer = state.oil_celsius - 45.0;
    const double of_cycle = root.split("slow").normal();
    add(0.12,
        [&](size_t t) { return fluid.pressure[t] + (added > 0.0 ? added * wave.next(elsewhere.normal()) : 0.0); });
    add(0.05, [&](size_t t) { return fluid.valve_pressure[t]; });
    add(0.02, [&](size_t t) { return 0.27 * fluid.flow[t]; });
    add(0.05, constant(state.cooler == 100 ? 9.9 + 0.3 * of_cycle : -0.2));  // below 0 the sensor shows 0
    add(0.01, constant(9.12 - 0.07 * warmer + 0.01 * of_cycle));
    add(0.01, constant(9.04 - 0.067 * warmer + 0.01 * of_cycle));
    add(6.0, [&](size_t t) { return motor.power[t]; });
    add(0.01, [&](size_t t) { return fluid.flow[t]; });
    add(0.01, constant(9.69 - 0.057 * warmer));
    // Oil leaves the pump warmest and the cooler coolest.
    add(0.05, constant(state.oil_celsius));
    add(0.05, constant(state.oil_celsius + 4.6 - 0.05 * warmer));
    add(0.04, constant(state.oil_celsius + 2.3 - 0.05 * warmer));
    add(0.03, constant(state.oil_celsius - 4.7));
    add(0.025, constant(0.61 + 0.0075 * warmer));
    add(0.25, constant(by_cooler(state.cooler, 19.5, 27.5, 47.0) + 0.4 * of_cycle));
    add(0.02, constant(by_cooler(state.cooler, 1.52, 1.745, 2.156) + 0.02 * of_cycle));
    add(0.1, [&](size_t t) {  // efficiency, of the power that belongs to this pressure
        return 100.0 * kWattPerBarLitre * fluid.valve_pressure[t] * fluid.flow[t] / fluid.power[t];
    });
    return rows;
}

}  // namespace cmr::simulate
