#pragma once
// A water treatment plant of six stages like SWaT: raw water, dosing, ultrafiltration, UV, reverse osmosis, backwash.
// Actuators (valves, pumps) are the cause, the 25 sensors the effect.
//
// Written as the originals are: SWaT_Dataset_Normal_v1 and SWaT_Dataset_Attack_v0 (xlsx or csv) with a row of stage
// names above the header, blanks before some names and before time stamps, `Normal/Attack` last with an occasional
// "A ttack"; and List_of_attacks_Final (xlsx and csv). Valves: 0 moving, 1 closed, 2 open; pumps: 1 off, 2 on.
// 14 of the 26 actuators stay constant in normal operation.
//
// Mechanism. Tanks keep mass balances, a controller holds their levels by hysteresis, flows follow valves and pumps,
// dosing moves the chemistry, supply and demand fluctuate.
// Attacks, `faults = "damage"`: forced actuators and sensors set far out (blunt); small drifts, frozen and replayed
// sensors (stealthy). The controller believes them, so they have consequences.
// Mechanism-only attacks: the historian's record of some sensors of a stage is exchanged for that of another, healthy
// and independent run of the plant. The hand-over at both ends stays within the sensors' healthy change per second, and
// the controller sees the truth, so every channel alone looks healthy. Severity 1 … 3: how many sensors of the stage.
// Additive faults: the historian's record of one sensor holds a disturbance from elsewhere on top of the reading, of
// 0.25, 0.5 or 1 of the sensor's own deviation. The plant and its controller never see it.
// Spreading faults: debris takes 0.2, 0.3 or 0.4 of the flow of one stage, and the water carries it into the next; the
// truth names the coupling that broke first, and as channels all that it reached.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/rng.h"
#include "simulate/output.h"

namespace cmr::simulate {

struct WaterOptions {
    double scale = 1.0;             // of both numbers of rows and of the number of attacks
    int64_t normal_rows = 495000;   // before scaling; a row is a second
    int64_t attack_rows = 449919;   // before scaling
    std::string format = "xlsx";    // or csv
    std::string faults = "damage";  // damage, mechanism, additive or spreading
    int64_t seed = 1;
    int64_t rig = 0;  // another number: other tanks, pumps and probes
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, WaterOptions>
void visit_fields(C& c, const Visit& visit) {
    visit("scale", c.scale, "1: full size; less: fewer rows and attacks");
    visit("normal_rows", c.normal_rows, "seconds of normal operation");
    visit("attack_rows", c.attack_rows, "seconds of operation under attack");
    visit("format", c.format, "xlsx or csv");
    visit("faults", c.faults, "damage, mechanism, additive or spreading");
    visit("seed", c.seed, "same seed, same bytes");
    visit("rig", c.rig, "0: the usual plant; another number: one of other parameters");
}

// Every channel in the order of the files, by number and by name.
namespace water {
// clang-format off
enum Channel : size_t {
    FIT101, LIT101, MV101, P101, P102, AIT201, AIT202, AIT203, FIT201, MV201, P201, P202, P203, P204, P205, P206,
    DPIT301, FIT301, LIT301, MV301, MV302, MV303, MV304, P301, P302, AIT401, AIT402, FIT401, LIT401, P401, P402,
    P403, P404, UV401, AIT501, AIT502, AIT503, AIT504, FIT501, FIT502, FIT503, FIT504, P501, P502, PIT501, PIT502,
    PIT503, FIT601, P601, P602, P603,
    kChannels
};
// clang-format on
}  // namespace water
inline constexpr std::array<const char*, water::kChannels> kWaterChannels = {
    "FIT101", "LIT101", "MV101",  "P101",   "P102",   "AIT201",  "AIT202", "AIT203", "FIT201", "MV201", "P201",
    "P202",   "P203",   "P204",   "P205",   "P206",   "DPIT301", "FIT301", "LIT301", "MV301",  "MV302", "MV303",
    "MV304",  "P301",   "P302",   "AIT401", "AIT402", "FIT401",  "LIT401", "P401",   "P402",   "P403",  "P404",
    "UV401",  "AIT501", "AIT502", "AIT503", "AIT504", "FIT501",  "FIT502", "FIT503", "FIT504", "P501",  "P502",
    "PIT501", "PIT502", "PIT503", "FIT601", "P601",   "P602",    "P603"};
static_assert(std::string_view(kWaterChannels[water::P302]) == "P302");
static_assert(std::string_view(kWaterChannels[water::P603]) == "P603");

constexpr bool is_actuator(size_t channel) {
    const char* name = kWaterChannels[channel];
    return name[0] == 'M' || name[0] == 'U' || (name[0] == 'P' && name[1] != 'I');
}

using WaterRow = std::array<float, water::kChannels>;
using WaterRecord = std::vector<WaterRow>;  // one per second

struct WaterAttack {
    int64_t number = 0;
    int64_t begin = 0;  // rows of the attack file
    int64_t end = 0;
    std::string point{};  // channels, separated by commas
    std::string start_state{}, attack{}, change{}, intent{};
    FaultRecord truth{};
};

struct WaterAttackRun {
    WaterRecord record;
    std::vector<WaterAttack> attacks;
};

// How a sound plant is run. All but the usual one are ranges that the recorded days never show.
enum class WaterRegime {
    kUsual,
    kSparePumps,     // P102 and P301 do the work of P101 and P302
    kHalfLoad,       // P501 rests, and reverse osmosis takes about half the flow
    kWithoutDosing,  // P203 and P205 rest
};

// Both in memory; the seed and names of the streams make them independent runs of the same plant.
WaterRecord simulate_water_normal(int64_t rows, Rng rng, WaterRegime regime = WaterRegime::kUsual, int64_t rig = 0);
WaterAttackRun simulate_water_attacks(int64_t rows, const std::string& faults, Rng rng, int64_t rig = 0);

// InputError for a wrong option or a folder that cannot be used.
void simulate_water(const fs::path& folder, const WaterOptions& options, const Progress& progress = {});

}  // namespace cmr::simulate
