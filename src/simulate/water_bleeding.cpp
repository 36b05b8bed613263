#include "simulate/water_bleeding.h"

#include <algorithm>
#include <cmath>

#include "simulate/process.h"

namespace cmr::simulate {

using namespace water;

namespace {

struct Target {
    double severity;
    size_t sensor;
};

// Sensors that stay well above zero, so that what is added is nowhere cut off.
constexpr std::array<Target, 8> kTargets = {{{0.25, LIT101},
                                             {0.25, AIT202},
                                             {0.25, AIT203},
                                             {0.5, LIT301},
                                             {0.5, AIT202},
                                             {0.5, AIT203},
                                             {1.0, LIT101},
                                             {1.0, AIT202}}};

double deviation_of(const WaterRecord& record, size_t channel) {
    const auto count = static_cast<double>(record.size());
    double mean = 0.0, square = 0.0;
    for (const WaterRow& row : record) mean += row[channel] / count;
    for (const WaterRow& row : record) square += (row[channel] - mean) * (row[channel] - mean) / count;
    return std::sqrt(square);
}

}  // namespace

std::vector<WaterAttack> bleeding_attacks(WaterRecord& record, int64_t attacks, Rng rng) {
    const int64_t slot = static_cast<int64_t>(record.size()) / attacks;
    const WaterRecord healthy = record;
    std::vector<WaterAttack> list;
    for (int64_t number = 1; number <= attacks; ++number) {
        const Target& target = kTargets[static_cast<size_t>(number - 1) % kTargets.size()];
        const std::string name = kWaterChannels[target.sensor];
        WaterAttack attack{.number = number};
        attack.begin = (number - 1) * slot + static_cast<int64_t>(rng.uniform(0.05, 0.4) * static_cast<double>(slot));
        attack.end = attack.begin + std::min(static_cast<int64_t>(rng.uniform(1500.0, 3000.0)), slot / 2);
        const double size = target.severity * deviation_of(healthy, target.sensor);
        SlowNoise source(30.0, 1.0, rng.normal());  // comes and goes within a minute
        for (int64_t t = attack.begin; t < attack.end; ++t) {
            float& reading = record[static_cast<size_t>(t)][target.sensor];
            reading = static_cast<float>(reading + size * source.next(rng.normal()));
        }
        attack.point = name;
        attack.start_state = "as in normal operation";
        attack.attack = "A disturbance from elsewhere is added to the reading";
        attack.change = "No";
        attack.intent = "The reading answers the actuators and something else";
        attack.truth = {.kind = "additive",
                        .detail = attack.attack,
                        .cause = "",  // every coupling is intact
                        .effect = name,
                        .severity = target.severity,
                        .channels = {name}};
        list.push_back(std::move(attack));
    }
    return list;
}

}  // namespace cmr::simulate
