#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulate/water_bleeding.h"
#include "simulate/water_plant.h"
#include "simulate/water_replay.h"
#include "simulate/water_spreading.h"

namespace cmr::simulate {

using namespace water;

namespace {

enum class Act {
    kSet,     // to a value
    kDrift,   // the reading moves away by so much per second
    kFreeze,  // at the value of the first moment
    kReplay,  // shows its own record of so many seconds ago
};

struct Tampering {
    size_t channel;
    Act act;
    float value;
};

struct Plan {
    bool stealthy;
    const char* intent;
    std::vector<Tampering> parts;
};

// In a mixed order, so that a shortened list has both kinds and several stages.
const std::vector<Plan>& plans() {
    using enum Act;
    static const std::vector<Plan> list = {
        {false, "Raw water tank overflows", {{MV101, kSet, 2}}},
        {true, "Raw water tank slowly overfills", {{LIT101, kDrift, -0.08f}}},
        {false, "Feed tank runs over", {{LIT301, kSet, 720}}},
        {true, "Flow meter hides a stopped transfer", {{FIT201, kReplay, 1500}}},
        {false, "Transfer stops", {{P101, kSet, 1}}},
        {false, "Membranes take full flow while being washed", {{MV301, kSet, 2}, {P602, kSet, 2}}},
        {true, "Feed level unknown", {{LIT301, kFreeze, 0}}},
        {false, "Reverse osmosis starves", {{P501, kSet, 1}}},
        {false, "Raw water tank runs dry", {{LIT101, kSet, 950}}},
        {true, "Filtration hidden", {{FIT301, kReplay, 1300}, {DPIT301, kReplay, 1300}}},
        {false, "Disinfection fails", {{UV401, kSet, 1}}},
        {false, "Pump runs against a closed valve", {{MV201, kSet, 1}, {P101, kSet, 2}}},
        {true, "Acid dosing misled", {{AIT202, kDrift, 0.0001f}}},
        {false, "Filtration stops", {{P302, kSet, 1}}},
        {false, "Treated tank runs over", {{LIT401, kSet, 600}}},
        {true, "Treated level unknown", {{LIT401, kDrift, 0.1f}}},
        {false, "Spare pump doubles the transfer", {{P102, kSet, 2}}},
        {false, "Flow looks wrong by far", {{FIT401, kSet, 0.3f}}},
        {true, "Raw level replayed", {{LIT101, kReplay, 1800}, {FIT101, kReplay, 1800}}},
        {false, "Too much salt", {{P201, kSet, 2}}},
        {false, "Pressure alarm", {{DPIT301, kSet, 45}}},
        {true, "Chlorine dosing misled", {{AIT203, kDrift, 0.01f}}},
        {false, "Backwash runs through", {{P602, kSet, 2}, {MV301, kSet, 2}}},
        {false, "Treated tank runs dry", {{LIT401, kSet, 1000}, {P302, kSet, 1}}},
        {false, "Raw water shut off", {{MV101, kSet, 1}}},
        {true, "Inflow hidden", {{FIT101, kReplay, 1200}}},
        {false, "Conductivity alarm", {{AIT504, kSet, 16}}},
        {false, "Membranes drained", {{MV304, kSet, 2}}},
        {true, "Feed tank slowly overfills", {{LIT301, kDrift, -0.06f}}},
        {false, "Both spare pumps start", {{P102, kSet, 2}, {P301, kSet, 2}}},
        {false, "Feed stops", {{P402, kSet, 1}, {P501, kSet, 1}}},
        {true, "Salt dosing misled", {{AIT201, kFreeze, 0}}},
        {false, "Level jumps", {{LIT101, kSet, 700}}},
        {false, "Dosing at standstill", {{P203, kSet, 2}, {P205, kSet, 2}}},
        {true, "Permeate flow unknown", {{FIT502, kFreeze, 0}}},
        {false, "Filtration against closed valve", {{MV302, kSet, 1}}},
    };
    return list;
}

struct Pair {
    const char *cause, *effect;
};

// The mechanism a channel belongs to, by its stage.
Pair mechanism_of(size_t channel) {
    const std::string name = kWaterChannels[channel];
    switch (name[name.find_first_of("0123456789")]) {
        case '1':
            return name[0] == 'P' ? Pair{"P101 MV201", "FIT201"} : Pair{"MV101", "FIT101 LIT101"};
        case '2':
            return name[0] == 'A' || name == "P203" || name == "P205" ? Pair{"P203 P205", "AIT202 AIT203"}
                                                                      : Pair{"P101 MV201", "FIT201"};
        case '3':
            return {"P302 MV302", "FIT301 DPIT301 LIT301"};
        case '6':
            return {"P602 MV301", "FIT601"};
        default:
            return {"P402 P501", "FIT401 FIT501 FIT502 FIT503 FIT504 PIT501 PIT503"};
    }
}

std::string state_text(size_t channel, float value) {
    const char* name = kWaterChannels[channel];
    if (!is_actuator(channel)) return fmt::format("{} is {:.2f}", name, value);
    if (name[0] == 'M')
        return fmt::format("{} is {}", name, value == 2.0f ? "open" : value == 1.0f ? "closed" : "moving");
    return fmt::format("{} is {}", name, value == 2.0f ? "on" : "off");
}

std::string act_text(const Tampering& part) {
    const char* name = kWaterChannels[part.channel];
    switch (part.act) {
        case Act::kDrift:
            return fmt::format("{} drifts by {} per second", name, part.value);
        case Act::kFreeze:
            return fmt::format("{} keeps its value", name);
        case Act::kReplay:
            return fmt::format("{} shows its record of {} s before", name, part.value);
        default:
            break;
    }
    if (!is_actuator(part.channel)) return fmt::format("Set {} to {}", name, part.value);
    if (name[0] == 'M') return fmt::format("{} {}", part.value == 2.0f ? "Open" : "Close", name);
    return fmt::format("Turn {} {}", name, part.value == 2.0f ? "on" : "off");
}

float tampered(const Tampering& part, float reading, int64_t since, const WaterRecord& record) {
    const auto now = static_cast<int64_t>(record.size());
    const auto at = [&](int64_t row) { return record[static_cast<size_t>(std::max<int64_t>(0, row))][part.channel]; };
    switch (part.act) {
        case Act::kDrift:
            return reading + part.value * static_cast<float>(since);
        case Act::kFreeze:
            return at(now - since - 1);
        case Act::kReplay:
            return at(now - static_cast<int64_t>(part.value));
        default:
            return part.value;
    }
}

// Duration: log-normal, median 444 s as in the original.
std::vector<WaterAttack> schedule(int64_t rows, int64_t attacks, Rng rng) {
    const int64_t slot = rows / attacks;
    std::vector<WaterAttack> list;
    for (int64_t i = 0; i < attacks; ++i) {
        const double seconds = std::clamp(444.0 * std::exp(0.7 * rng.normal()), 120.0, 0.4 * static_cast<double>(slot));
        const Plan& plan = plans()[static_cast<size_t>(i)];
        WaterAttack attack{.number = i + 1};
        attack.begin = i * slot + static_cast<int64_t>(rng.uniform(0.1, 0.4) * static_cast<double>(slot));
        attack.end = attack.begin + static_cast<int64_t>(seconds);
        std::vector<std::string> names, acts;
        for (const Tampering& part : plan.parts) {
            names.emplace_back(kWaterChannels[part.channel]);
            acts.push_back(act_text(part));
        }
        attack.point = fmt::format("{}", fmt::join(names, ", "));
        attack.attack = fmt::format("{}", fmt::join(acts, "; "));
        attack.change = plan.stealthy ? "No" : "Yes";
        attack.intent = plan.intent;
        attack.truth = {.kind = plan.stealthy ? "stealthy" : "blunt",
                        .detail = attack.attack,
                        .cause = mechanism_of(plan.parts.front().channel).cause,
                        .effect = mechanism_of(plan.parts.front().channel).effect,
                        .severity = plan.stealthy ? 1.0 : 2.0,
                        .channels = names};
        list.push_back(std::move(attack));
    }
    return list;
}

}  // namespace

namespace {

// The plant with an attacker between sensors, controller and actuators; `attacks` may be empty.
WaterRecord run_plant(int64_t rows, std::vector<WaterAttack>& attacks, Rng rng, WaterRegime regime, int64_t rig) {
    WaterPlant plant(rng, water_rig(rig));
    WaterController controller(regime);
    WaterRecord record;
    record.reserve(static_cast<size_t>(rows));
    size_t next = 0;
    for (int64_t t = -kWaterLeadIn; t < rows; ++t) {
        WaterRow row = plant.measure();
        while (next < attacks.size() && t >= attacks[next].end) ++next;
        WaterAttack* attack = next < attacks.size() && t >= attacks[next].begin ? &attacks[next] : nullptr;
        const auto tamper = [&](WaterRow& values, bool actuators) {
            if (!attack) return;
            for (const Tampering& part : plans()[next].parts)
                if (is_actuator(part.channel) == actuators)
                    values[part.channel] = tampered(part, values[part.channel], t - attack->begin, record);
        };
        if (attack && t == attack->begin) {
            std::vector<std::string> states;
            for (const Tampering& part : plans()[next].parts)
                states.push_back(state_text(part.channel, row[part.channel]));
            attack->start_state = fmt::format("{}", fmt::join(states, "; "));
        }
        tamper(row, false);
        WaterRow commands = controller.decide(row);
        tamper(commands, true);
        plant.advance(commands);
        if (t >= 0) record.push_back(row);
    }
    return record;
}

}  // namespace

WaterRecord simulate_water_normal(int64_t rows, Rng rng, WaterRegime regime, int64_t rig) {
    std::vector<WaterAttack> none;
    return run_plant(rows, none, rng, regime, rig);
}

WaterAttackRun simulate_water_attacks(int64_t rows, const std::string& faults, Rng rng, int64_t rig) {
    constexpr WaterRegime kUsual = WaterRegime::kUsual;
    constexpr double kFullRows = 449919.0;
    const auto most = static_cast<int64_t>(plans().size());
    const int64_t attacks = std::clamp<int64_t>(std::llround(static_cast<double>(most * rows) / kFullRows), 4, most);
    WaterAttackRun run;
    if (faults == "damage") {
        run.attacks = schedule(rows, attacks, rng.split("attacks"));
        run.record = run_plant(rows, run.attacks, rng.split("live"), kUsual, rig);
        return run;
    }
    if (faults == "spreading") return spreading_faults(rows, attacks, rng, rig);
    run.record = simulate_water_normal(rows, rng.split("live"), kUsual, rig);
    if (faults == "additive") {
        run.attacks = bleeding_attacks(run.record, attacks, rng.split("bleeding"));
        return run;
    }
    const WaterRecord donor =
        simulate_water_normal(std::clamp<int64_t>(rows, 43200, 172800), rng.split("donor"), kUsual, rig);
    run.attacks = replay_attacks(run.record, donor, attacks, rng.split("attacks"));
    return run;
}

}  // namespace cmr::simulate
