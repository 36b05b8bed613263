#pragma once
// A hydraulic test rig like ZeMA's: a motor drives a pump against a proportional valve that runs through a load cycle
// of 60 s, while cooler, valve, pump and accumulator change their states over the days. Motor power EPS1 is the cause,
// pressure PS1 (and with it PS2, PS3, FS1, SE) the effect.
//
// Written as the originals are: one text file per sensor (PS1.txt …), one row per cycle, tab-separated, and profile.txt
// with cooler (3, 20, 100 %), valve (100, 90, 80, 73 %), pump leakage (0, 1, 2), accumulator (130, 115, 100, 90 bar)
// and the stable flag (0: stable). At full size 2,205 cycles, of which 489 are stable with a healthy pump, 480 with a
// weak and 480 with a severe leakage, in the order of the original.
//
// Mechanism. Load steps vary from cycle to cycle and drift within; the valve turns the load into pressure, the pump's
// torque is pressure times displacement, and the motor's power shows it. Leakage takes flow away, the more the thinner
// (warmer) the oil, and costs power.
// Mechanism-only faults: the cycles marked 1 and 2 have a sound pump, but the hydraulic side answers a load of which a
// share of 0.5 or 1 is independent of the load that the motor shows, see process.h.
// Additive faults: those cycles have a sound pump and an intact mechanism, but pressure waves of another machine reach
// the sensor PS1, of 0.5 or 1 of the deviation that its pressure has from cycle to cycle.

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "simulate/output.h"

namespace cmr::simulate {

struct HydraulicOptions {
    double scale = 1.0;             // 1: 2,205 cycles; less: every phase of the campaign is shorter
    int64_t sample_rate_hz = 100;   // 100, 10 or 1, of the fastest sensors; slower rates are means over blocks
    std::string faults = "damage";  // damage: leakage; mechanism; additive
    int64_t seed = 1;
    int64_t rig = 0;  // another number: another pump, another valve, other friction
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, HydraulicOptions>
void visit_fields(C& c, const Visit& visit) {
    visit("scale", c.scale, "1: 2,205 cycles; less: every phase of the campaign is shorter");
    visit("sample_rate_hz", c.sample_rate_hz, "of the fastest sensors: 100, 10 or 1");
    visit("faults", c.faults, "damage (leakage of the pump), mechanism or additive");
    visit("seed", c.seed, "same seed, same bytes");
    visit("rig", c.rig, "0: the usual rig; another number: one of other parameters");
}

// The state of the rig in one cycle.
struct HydraulicState {
    int64_t cycle = 0;
    int cooler = 100;
    int valve = 100;
    int leakage = 0;
    int accumulator = 130;
    bool stable = true;
    double oil_celsius = 45.0;
};

// The whole campaign in order; oil warms and cools with the cooler's state.
std::vector<HydraulicState> hydraulic_campaign(const HydraulicOptions& options);

struct HydraulicSensor {
    const char* name;
    int64_t rate_hz;  // of the original
    int decimals;
};
inline constexpr std::array<HydraulicSensor, 17> kHydraulicSensors = {{{"PS1", 100, 2},
                                                                       {"PS2", 100, 2},
                                                                       {"PS3", 100, 3},
                                                                       {"PS4", 100, 3},
                                                                       {"PS5", 100, 3},
                                                                       {"PS6", 100, 3},
                                                                       {"EPS1", 100, 1},
                                                                       {"FS1", 10, 3},
                                                                       {"FS2", 10, 3},
                                                                       {"TS1", 1, 3},
                                                                       {"TS2", 1, 3},
                                                                       {"TS3", 1, 3},
                                                                       {"TS4", 1, 3},
                                                                       {"VS1", 1, 3},
                                                                       {"CE", 1, 3},
                                                                       {"CP", 1, 3},
                                                                       {"SE", 1, 3}}};

// A row per sensor in the order above: bar, W, l/min, °C, mm/s, %, kW, %.
using HydraulicCycle = std::array<std::vector<float>, kHydraulicSensors.size()>;

// One cycle in memory. Depends on nothing but its arguments.
HydraulicCycle simulate_hydraulic_cycle(const HydraulicState& state, const HydraulicOptions& options);

// InputError for a wrong option or a folder that cannot be used.
void simulate_hydraulic(const fs::path& folder, const HydraulicOptions& options, const Progress& progress = {});

}  // namespace cmr::simulate
