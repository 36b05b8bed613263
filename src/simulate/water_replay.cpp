#include "simulate/water_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cmr::simulate {

using namespace water;

namespace {

// Sensors of a stage, the actuator that switches them, from one sensor to all that answer it.
struct Target {
    double severity;
    size_t cause;
    std::vector<size_t> sensors;  // the first answers the cause most directly
};

const std::vector<Target>& targets() {
    static const std::vector<Target> list = {
        {1, MV101, {FIT101}},
        {1, P101, {FIT201}},
        {1, P302, {FIT301}},
        {2, MV101, {FIT101, LIT101}},
        {2, P101, {FIT201, AIT202}},
        {2, P302, {FIT301, DPIT301}},
        {3, P101, {FIT201, AIT202, AIT203}},
        {3, P302, {FIT301, DPIT301, LIT301}},
    };
    return list;
}

// The largest change within a second that each channel makes in healthy operation.
WaterRow largest_change(const WaterRecord& healthy) {
    WaterRow change{};
    for (size_t t = 1; t < healthy.size(); ++t)
        for (size_t c = 0; c < kChannels; ++c)
            change[c] = std::max(change[c], std::abs(healthy[t][c] - healthy[t - 1][c]));
    return change;
}

double mean_of(const WaterRecord& record, size_t channel, int64_t begin, int64_t end) {
    double sum = 0.0;
    for (int64_t t = begin; t < end; ++t) sum += record[static_cast<size_t>(t)][channel];
    return sum / static_cast<double>(end - begin);
}

struct Replay {
    int64_t from = 0;  // row of the donor
    int64_t length = 0;
    double bias = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<WaterAttack> replay_attacks(WaterRecord& record, const WaterRecord& donor, int64_t attacks, Rng rng) {
    const WaterRow tolerance = largest_change(donor);
    const auto rows = static_cast<int64_t>(record.size());
    const auto donor_rows = static_cast<int64_t>(donor.size());
    const int64_t slot = rows / attacks;
    const WaterRecord live = record;
    std::vector<WaterAttack> list;
    for (int64_t number = 1; number <= attacks; ++number) {
        const Target& target = targets()[static_cast<size_t>(number - 1) % targets().size()];
        const int64_t begin =
            (number - 1) * slot + static_cast<int64_t>(rng.uniform(0.05, 0.2) * static_cast<double>(slot));
        const int64_t wanted = std::min(static_cast<int64_t>(rng.uniform(1500.0, 3000.0)), slot / 2);
        const int64_t longest = wanted + slot / 4;
        const auto fits = [&](int64_t live_row, int64_t donor_row) {
            return std::ranges::all_of(target.sensors, [&](size_t c) {
                return std::abs(live[static_cast<size_t>(live_row)][c] - donor[static_cast<size_t>(donor_row)][c]) <=
                       tolerance[c];
            });
        };
        // Some stretches of the donor fit at both ends. Of those whose own actuator differs from the live one for a
        // third of the time, the one whose flow is on for the usual share of time is taken: the histogram of the
        // attacked rows then is that of healthy ones.
        const size_t sensor = target.sensors.front();
        const double usual = mean_of(donor, sensor, 0, donor_rows);
        Replay best;
        for (int tries = 0, found = 0; tries < 200000 && found < 60; ++tries) {
            const auto from = static_cast<int64_t>(rng.below(static_cast<uint64_t>(donor_rows - longest - 1)));
            if (!fits(begin - 1, from)) continue;
            int64_t length = wanted;
            while (length < longest && !fits(begin + length, from + length - 1)) ++length;
            if (length == longest) continue;
            int64_t differs = 0;
            for (int64_t i = 0; i < length; ++i)
                differs += donor[static_cast<size_t>(from + i)][target.cause] !=
                           live[static_cast<size_t>(begin + i)][target.cause];
            if (3 * differs < length) continue;
            ++found;
            const double bias = std::abs(mean_of(donor, sensor, from, from + length) - usual);
            if (bias < best.bias) best = {from, length, bias};
        }
        if (best.length == 0) continue;  // no stretch fits: the record stays healthy here

        WaterAttack attack{.number = static_cast<int64_t>(list.size()) + 1, .begin = begin, .end = begin + best.length};
        std::vector<std::string> names;
        for (const size_t c : target.sensors) {
            names.emplace_back(kWaterChannels[c]);
            for (int64_t i = 0; i < best.length; ++i)
                record[static_cast<size_t>(begin + i)][c] = donor[static_cast<size_t>(best.from + i)][c];
        }
        attack.point = fmt::format("{}", fmt::join(names, ", "));
        attack.start_state = "as in normal operation";
        attack.attack = "Record replaced by that of another healthy run";
        attack.change = "No";
        attack.intent = "Readings no longer answer the actuators";
        attack.truth = {.kind = "mechanism",
                        .detail = attack.attack,
                        .cause = kWaterChannels[target.cause],
                        .effect = fmt::format("{}", fmt::join(names, " ")),
                        .severity = target.severity,
                        .channels = names};
        list.push_back(std::move(attack));
    }
    return list;
}

}  // namespace cmr::simulate
