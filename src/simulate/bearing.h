#pragma once
// A bearing test rig like the one at Paderborn University: a permanent-magnet motor drives a shaft whose 6203 bearing
// sits in a housing with an accelerometer. Motor currents are the cause, housing vibration is the effect.
//
// Written as the originals are: a folder per bearing, `K001/N15_M07_F10_K001_1.mat`, one MATLAB struct with the fields
// Info, X, Y, Description; Y is a 1×7 struct array with Name, Type, Data, Raster, Unit.
//
// Mechanism. Torque ripple and inverter noise show in the currents (amplitude modulation, broadband noise), their level
// follows the load, and they shake the housing, whose modes differ from bearing to bearing. Rolling noise grows with
// speed and radial force. Damaged races add impacts at BPFO or BPFI.
// Mechanism-only faults (KM01 … KM03, the machines of K001 … K003 come loose): the housing answers a drive of which a
// share (their severity) is independent of the currents, see process.h. Every channel alone obeys the healthy law.
// Additive faults (KE01 … KE03, the same machines): the currents drive the housing as ever, and a neighbouring machine
// shakes the accelerometer too.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "simulate/output.h"

namespace cmr::simulate {

struct BearingOptions {
    double scale = 1.0;                 // 1: full size; less: fewer runs, then shorter ones
    int64_t runs_per_condition = 20;    // before scaling
    double seconds = 4.0;               // of a run, before scaling
    double sample_rate_hz = 64000.0;    // of currents and vibration; speed, torque and force have a sixteenth of it
    std::string faults = "both";        // damage, mechanism, both of these, additive, all or none
    std::vector<std::string> bearings;  // codes to simulate; empty: all that `faults` asks for
    int64_t seed = 1;
    int64_t rig = 0;  // another number: other modes of the housing, another motor, another sensor
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, BearingOptions>
void visit_fields(C& c, const Visit& visit) {
    visit("scale", c.scale, "1: full size; less: fewer runs, then shorter ones");
    visit("runs_per_condition", c.runs_per_condition, "runs of a bearing at each of 4 operating conditions");
    visit("seconds", c.seconds, "length of a run");
    visit("sample_rate_hz", c.sample_rate_hz, "of currents and vibration, at least 16000");
    visit("faults", c.faults, "damage, mechanism, both of these, additive, all or none");
    visit("bearings", c.bearings, "codes of the bearings; empty: all");
    visit("seed", c.seed, "same seed, same bytes");
    visit("rig", c.rig, "0: the usual rig; another number: one of other parameters");
}

enum class Damage { kNone, kImpacts, kPitting, kDeformation, kMechanism, kAdditive };

struct Bearing {
    std::string code;
    Damage damage = Damage::kNone;
    std::string process{};  // "EDM", "fatigue pitting", …
    bool outer = false;     // which races are damaged
    bool inner = false;
    // Damage: 1 … 3; mechanism-only: share of the drive that the currents do not show; additive: deviation of what is
    // added over that of a healthy vibration.
    double severity = 0.0;
};

// K001 … K006, the 8 artificially and 11 really damaged ones, KM01 … KM03, KE01 … KE03.
const std::vector<Bearing>& bearings();

struct OperatingCondition {
    std::string code;  // "N15_M07_F10"
    double speed_rpm, torque_nm, force_n;
};
const std::vector<OperatingCondition>& operating_conditions();

struct BearingRun {
    double sample_rate_hz = 0.0;
    std::vector<float> phase_current_1, phase_current_2, vibration;  // A, A, m/s²: seconds × rate + 1 samples
    std::vector<float> speed, torque, force;                         // rpm, Nm, N: at a sixteenth of the rate
    std::vector<float> temperature;                                  // °C, 1 Hz
};

// One run in memory; `run` counts from 1. Depends on nothing but its arguments.
BearingRun simulate_bearing_run(const Bearing& bearing, const OperatingCondition& condition, int64_t run,
                                const BearingOptions& options);

// InputError for an unknown bearing, a wrong option or a folder that cannot be used.
void simulate_bearing(const fs::path& folder, const BearingOptions& options, const Progress& progress = {});

}  // namespace cmr::simulate
