#include "simulate/bearing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "simulate/process.h"

namespace cmr::simulate {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kPolePairs = 4.0;
// 6203: 8 balls of 6.75 mm on a pitch circle of 28.5 mm, no contact angle. Passings per turn of the shaft:
// BPFO = z/2 (1 - d/D), BPFI = z/2 (1 + d/D) (Randall, Antoni, Mech. Syst. Signal Process. 25, 2011).
constexpr double kOuterPerTurn = 4.0 * (1.0 - 6.75 / 28.5);
constexpr double kInnerPerTurn = 4.0 * (1.0 + 6.75 / 28.5);

// What all bearings on one rig have in common.
struct Rig {
    std::array<double, 4> frequency_hz = {1400.0, 2700.0, 4300.0, 6400.0};
    double torque = 0.5, phase = 0.6;  // force on the housing per unit of torque ripple and of inverter noise
    double ampere_per_nm = 2.0;
    double sensitivity = 1.0;  // of the accelerometer's mounting
};

Rig make_rig(int64_t number) {
    Rig rig;
    if (number == 0) return rig;
    Rng rng = Rng(static_cast<uint64_t>(number)).split("bearing rig");
    for (double& hz : rig.frequency_hz) hz *= rng.uniform(0.88, 1.12);  // the highest stays below 7.5 kHz
    rig.torque *= rng.uniform(0.7, 1.3);
    rig.phase *= rng.uniform(0.7, 1.3);
    rig.ampere_per_nm *= rng.uniform(0.8, 1.2);
    rig.sensitivity *= rng.uniform(0.8, 1.2);
    return rig;
}

// What makes one mounted bearing differ from another.
struct Machine {
    std::array<double, 4> frequency_hz, damping, weight;
    double rolling;      // rolling noise relative to the drive's force
    double sensitivity;  // m/s² per unit of force
};

Machine make_machine(const Rig& rig, Rng rng) {
    Machine machine{};
    for (size_t i = 0; i < rig.frequency_hz.size(); ++i) {
        machine.frequency_hz[i] = rig.frequency_hz[i] * rng.uniform(0.96, 1.04);
        machine.damping[i] = rng.uniform(0.03, 0.05);
        machine.weight[i] = rng.uniform(0.8, 1.2) / (1.0 + 0.3 * static_cast<double>(i));
    }
    machine.rolling = rng.uniform(0.30, 0.40);
    machine.sensitivity = rig.sensitivity * rng.uniform(0.11, 0.13);
    return machine;
}

// KM01 is the machine of K001 whose drive came loose, KE01 the same one beside a neighbour, and so on.
std::string machine_of(const Bearing& bearing) {
    const bool of_healthy = bearing.damage == Damage::kMechanism || bearing.damage == Damage::kAdditive;
    return of_healthy ? "K0" + bearing.code.substr(2) : bearing.code;
}

// The drive at one moment: standard normal numbers and what follows from them. `load` is the logarithm of the ripple's
// level, so that the level is random too and stays log-normal when hidden and visible drives are mixed.
struct DriveNoise {
    double load, torque, phase_a, phase_b;
};

class Drive {
  public:
    Drive(Rng rng, double step)
        : rng_(rng),
          load_(0.02, step, rng_.normal()),
          torque_(3e-5, step, rng_.normal()),
          phase_a_(3e-5, step, rng_.normal()),
          phase_b_(3e-5, step, rng_.normal()) {}

    DriveNoise next() {
        return {load_.next(rng_.normal()), torque_.next(rng_.normal()), phase_a_.next(rng_.normal()),
                phase_b_.next(rng_.normal())};
    }

  private:
    Rng rng_;
    SlowNoise load_;                        // 8 Hz
    SlowNoise torque_, phase_a_, phase_b_;  // 5 kHz
};

double level(double load) { return std::exp(0.3 * load); }

// The force on the housing: torque ripple through the shaft, inverter noise through the stray field of the windings,
// which near the magnets' bias is linear in the phase currents.
double housing_force(const Rig& rig, const DriveNoise& noise) {
    return level(noise.load) * (rig.torque * noise.torque + rig.phase * noise.phase_a - rig.phase * noise.phase_b);
}

// Balls that pass a damaged spot. Slip makes the intervals vary by 1.5 %.
class RaceDefect {
  public:
    RaceDefect(const Bearing& bearing, bool inner, Rng rng)
        : bearing_(bearing),
          inner_(inner),
          rng_(rng),
          per_turn_(inner ? kInnerPerTurn : kOuterPerTurn),
          next_(rng_.uniform() / per_turn_) {}

    // `turns` of the shaft since the start; the force of this moment in units of the drive's deviation.
    double force(double turns, double rolling_noise) {
        // An inner race turns through the load zone, an outer race stands in it.
        const double zone = inner_ ? 0.55 + 0.45 * std::cos(kTurn * turns) : 1.0;
        if (bearing_.damage == Damage::kDeformation)  // no edges: the rolling noise swells as each ball passes
            return 0.7 * bearing_.severity * zone * rolling_noise * (1.0 + std::cos(kTurn * per_turn_ * turns));
        if (turns < next_) return 0.0;
        next_ += (1.0 + 0.015 * rng_.normal()) / per_turn_;
        const double spread = bearing_.damage == Damage::kPitting ? 0.5 : 0.15;  // pits are irregular
        const double impact = 22.0 * std::pow(1.7, bearing_.severity - 1.0);
        return impact * zone * std::max(0.1, 1.0 + spread * rng_.normal());
    }

  private:
    const Bearing& bearing_;
    bool inner_;
    Rng rng_;
    double per_turn_;
    double next_;  // turn at which the next ball hits
};

// A machine on the same foundation that has nothing to do with ours: its shaft with a harmonic, and noise through a
// mode of its own, half of the variance each. Variance 1.
class Neighbour {
  public:
    Neighbour(Rng rng, double rate)
        : rng_(rng),
          turns_(rng_.uniform()),
          turns_per_step_(rng_.uniform(28.0, 30.0) / rate),
          mode_(rng_.uniform(1900.0, 2100.0), 0.05, rate) {}

    double next() {
        turns_ += turns_per_step_;
        const double shaft = 0.8 * std::cos(kTurn * turns_) + 0.6 * std::cos(2.0 * kTurn * turns_);
        return shaft + std::sqrt(0.5) * mode_.next(rng_.normal());
    }

  private:
    Rng rng_;
    double turns_, turns_per_step_;
    Mode mode_;
};
constexpr double kHealthyDeviation = 0.39;  // m/s², of the vibration of K001 … K006 at N15_M07_F10

// A 16-bit converter over ±range: as in the recordings, and it makes files smaller.
float quantised(double value, double range) {
    return static_cast<float>(std::round(std::clamp(value / range, -1.0, 1.0) * 32767.0) / 32767.0 * range);
}

}  // namespace

BearingRun simulate_bearing_run(const Bearing& bearing, const OperatingCondition& condition, int64_t run,
                                const BearingOptions& options) {
    const Rng seed(static_cast<uint64_t>(options.seed));
    const Rng root = seed.split(bearing.code).split(condition.code).split(static_cast<uint64_t>(run));
    const Rig rig = make_rig(options.rig);
    const Machine machine = make_machine(rig, seed.split(machine_of(bearing)).split("machine"));
    const double rate = options.sample_rate_hz;
    const double step = 1.0 / rate;
    const auto samples = static_cast<int64_t>(std::llround(options.seconds * rate)) + 1;

    Rng setting = root.split("setting");  // no two runs are set up alike
    const double turns_per_second = condition.speed_rpm / 60.0 * (1.0 + 0.001 * setting.normal());
    const double torque = condition.torque_nm * (1.0 + 0.02 * setting.normal());
    const double force = condition.force_n * (1.0 + 0.01 * setting.normal());
    const double first_angle = setting.uniform();
    const double temperature = 42.0 + 3.0 * setting.normal();

    Drive visible(root.split("drive"), step);
    Drive hidden(root.split("hidden"), step);
    const double share = bearing.damage == Damage::kMechanism ? bearing.severity : 0.0;
    Neighbour neighbour(root.split("neighbour"), rate);
    const double added = bearing.damage == Damage::kAdditive ? bearing.severity * kHealthyDeviation : 0.0;
    Rng noise = root.split("noise");
    SlowNoise speed_ripple(0.05, step, noise.normal());
    std::vector<RaceDefect> defects;
    if (bearing.outer) defects.emplace_back(bearing, false, root.split("outer"));
    if (bearing.inner) defects.emplace_back(bearing, true, root.split("inner"));
    std::vector<Mode> modes;
    for (size_t i = 0; i < machine.weight.size(); ++i)
        modes.emplace_back(machine.frequency_hz[i], machine.damping[i], rate);
    const double rolling = machine.rolling * (condition.speed_rpm / 1500.0) * std::sqrt(force / 1000.0);

    BearingRun out;
    out.sample_rate_hz = rate;
    double turns = first_angle;
    const auto lead_in = static_cast<int64_t>(0.02 * rate);  // lets the modes swing in before the recording starts
    for (int64_t t = -lead_in; t < samples; ++t) {
        const double speed = turns_per_second * (1.0 + 0.0005 * speed_ripple.next(noise.normal()));
        turns += speed * step;
        const DriveNoise shown = visible.next();

        // Torque is what the quadrature current makes: i_q = T/k_t. Slots and dead times of the inverter leave the
        // usual 5th and 7th harmonics.
        const double ripple = level(shown.load) * shown.torque;
        const double moment = torque * (1.0 + 0.04 * shown.load) + 0.04 * ripple;
        const double amplitude = 1.0 + rig.ampere_per_nm * moment;
        const double angle = kTurn * kPolePairs * turns;
        const auto phase = [&](double lag, double inverter_noise) {
            const double a = angle - lag;
            return amplitude * (std::cos(a) + 0.02 * std::cos(5.0 * a) + 0.015 * std::cos(7.0 * a)) +
                   0.12 * level(shown.load) * inverter_noise + 0.01 * noise.normal();
        };
        const double current_1 = phase(0.0, shown.phase_a);
        const double current_2 = phase(kTurn / 3.0, shown.phase_b);

        DriveNoise felt = shown;
        if (share > 0.0) {
            const DriveNoise other = hidden.next();
            felt = {mix(shown.load, other.load, share), mix(shown.torque, other.torque, share),
                    mix(shown.phase_a, other.phase_a, share), mix(shown.phase_b, other.phase_b, share)};
        }
        const double rolling_noise = rolling * noise.normal();
        double shake = housing_force(rig, felt) + rolling_noise;
        for (RaceDefect& defect : defects) shake += defect.force(turns, rolling_noise);
        double vibration = 0.15 * std::cos(kTurn * turns) + 0.08 * std::cos(2.0 * kTurn * turns);  // unbalance
        for (size_t i = 0; i < modes.size(); ++i) vibration += machine.weight[i] * modes[i].next(shake);
        const double bleeding = added > 0.0 ? added * neighbour.next() : 0.0;

        if (t < 0) continue;
        out.phase_current_1.push_back(quantised(current_1, 10.0));
        out.phase_current_2.push_back(quantised(current_2, 10.0));
        out.vibration.push_back(quantised(machine.sensitivity * vibration + bleeding + 0.002 * noise.normal(), 10.0));
        if (t % 16 != 0) continue;
        out.speed.push_back(quantised(60.0 * speed + 0.2 * noise.normal(), 3000.0));
        out.torque.push_back(quantised(moment + 0.005 * noise.normal(), 2.0));
        out.force.push_back(quantised(force + 0.5 * noise.normal(), 2000.0));
    }
    for (int64_t second = 0; second <= static_cast<int64_t>(options.seconds); ++second)
        out.temperature.push_back(static_cast<float>(temperature + 0.01 * static_cast<double>(second)));
    return out;
}

}  // namespace cmr::simulate
