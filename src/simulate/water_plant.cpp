#include "simulate/water_plant.h"

#include <algorithm>
#include <cmath>

namespace cmr::simulate {

using namespace water;

namespace {

constexpr double kValveTravel = 1 / 8.;  // per second
constexpr std::array kValves = {MV101, MV201, MV301, MV302, MV303, MV304};
// Spare pumps and those that never rest.
constexpr std::array kAlwaysOff = {P102, P202, P204, P206, P301, P401, P403, P404, P502, P601, P603};
constexpr std::array kAlwaysOn = {P402, UV401, P501};

void switch_between(bool& on, double value, double on_below, double off_above) {
    if (value < on_below) on = true;
    if (value > off_above) on = false;
}

float pump(bool on) { return on ? 2.0f : 1.0f; }

}  // namespace

WaterRig water_rig(int64_t number) {
    WaterRig rig;
    if (number == 0) return rig;
    Rng rng = Rng(static_cast<uint64_t>(number)).split("water rig");
    rig.level_per_flow *= rng.uniform(0.8, 1.25);
    // Within a tenth, each stage still gives more than the last one takes.
    for (double* flow : {&rig.inlet, &rig.transfer, &rig.filter, &rig.treated, &rig.backwash})
        *flow *= rng.uniform(0.9, 1.1);
    // More chlorine than that and the controller would stop dosing.
    for (double* gain : {&rig.resistance, &rig.acid, &rig.chlorine, &rig.pressure}) *gain *= rng.uniform(0.85, 1.15);
    rig.probe *= rng.uniform(0.7, 1.4);
    return rig;
}

WaterPlant::WaterPlant(Rng rng, const WaterRig& rig)
    : rng_(rng),
      rig_(rig),
      supply_(60.0, 1.0, rng_.normal()),
      demand_(120.0, 1.0, rng_.normal()),
      transfer_(90.0, 1.0, rng_.normal()),
      acidity_(3600.0, 1.0, rng_.normal()),
      redox_(3600.0, 1.0, rng_.normal()),
      fouling_(7200.0, 1.0, rng_.normal()),
      raw_(rng_.uniform(520.0, 780.0)),
      feed_(rng_.uniform(820.0, 980.0)),
      treated_(rng_.uniform(820.0, 980.0)),
      conductivity_(rng_.uniform(250.5, 255.5)),
      cake_(rng_.uniform(0.0, 0.5)) {
    state_.fill(1.0f);
    for (const size_t on : kAlwaysOn) state_[on] = 2.0f;
    opened_[MV302] = 1.0;
}

WaterRow WaterPlant::measure() {
    WaterRow row = state_;
    const auto show = [&](size_t channel, double value, double noise) {
        row[channel] = static_cast<float>(std::max(0.0, value + noise * rng_.normal()));
    };
    show(FIT101, raw_flow_, 0.01);
    show(LIT101, raw_, 0.15);
    show(AIT201, conductivity_, 0.05);
    show(AIT202, 8.45 + 0.01 * acidity_.value() - rig_.acid * acid_, 0.003);
    show(AIT203, 325.0 + 1.5 * redox_.value() + rig_.chlorine * chlorine_, 0.4);
    show(FIT201, transfer_flow_, 0.005);
    // Darcy: the pressure over a membrane is flow times resistance, which grows with the cake.
    show(DPIT301, 1.5 + filter_flow_ * (rig_.resistance + 0.2 * fouling_.value() + 1.0 * cake_) + 4.0 * backwash_flow_,
         0.05);
    show(FIT301, filter_flow_, 0.005);
    show(LIT301, feed_, 0.15);
    show(AIT401, 148.8 + 0.2 * redox_.value(), 0.05);
    show(AIT402, 155.0 + 2.0 * acidity_.value(), 0.3);
    show(FIT401, treated_flow_, 0.003);
    show(LIT401, treated_, 0.15);
    // Reverse osmosis splits its feed by fixed recoveries; pressures follow the square of the flow.
    show(AIT501, 7.88 + 0.01 * acidity_.value(), 0.002);
    show(AIT502, 146.0 + 2.0 * acidity_.value(), 0.3);
    show(AIT503, 264.0 + 1.0 * fouling_.value(), 0.1);
    show(AIT504, 12.0 + 0.2 * fouling_.value(), 0.05);
    show(FIT501, 1.01 * treated_flow_, 0.003);
    show(FIT502, 0.75 * treated_flow_, 0.004);
    show(FIT503, 0.43 * treated_flow_, 0.002);
    show(FIT504, 0.18 * treated_flow_, 0.001);
    show(PIT501, rig_.pressure * treated_flow_ * treated_flow_, 0.4);
    show(PIT502, 1.3 * treated_flow_ - 1.0, 0.04);
    show(PIT503, 65.5 * treated_flow_ * treated_flow_, 0.4);
    show(FIT601, backwash_flow_, 0.004);
    return row;
}

void WaterPlant::advance(const WaterRow& commands) {
    for (size_t channel = 0; channel < kChannels; ++channel)
        if (is_actuator(channel)) state_[channel] = commands[channel];
    for (const size_t valve : kValves) {
        const double travel = commands[valve] == 2.0f ? kValveTravel : -kValveTravel;
        opened_[valve] = std::clamp(opened_[valve] + travel, 0.0, 1.0);
        state_[valve] = opened_[valve] >= 1.0 ? 2.0f : opened_[valve] <= 0.0 ? 1.0f : 0.0f;
    }
    const double supply = 1.0 + 0.02 * supply_.next(rng_.normal());
    const double demand = 1.0 + 0.015 * demand_.next(rng_.normal());
    const double transfer = 1.0 + 0.01 * transfer_.next(rng_.normal());
    for (SlowNoise* slow : {&acidity_, &redox_, &fouling_}) slow->next(rng_.normal());

    // An empty tank gives nothing.
    const auto from = [](double level, double flow) { return level > 1.0 ? flow : 0.0; };
    raw_flow_ = passes_[0] * rig_.inlet * opened_[MV101] * supply;
    transfer_flow_ =
        from(raw_, (runs(P101) || runs(P102)) ? passes_[1] * rig_.transfer * opened_[MV201] * transfer : 0.0);
    filter_flow_ = from(feed_, (runs(P301) || runs(P302))
                                   ? passes_[2] * rig_.filter * opened_[MV302] * transfer * (1.0 - 0.03 * cake_)
                                   : 0.0);
    treated_flow_ =
        from(treated_, (runs(P401) || runs(P402)) ? passes_[3] * (runs(P501) ? rig_.treated : 0.9) * demand : 0.0);
    carry_debris();
    backwash_flow_ = runs(P602) ? rig_.backwash * opened_[MV301] * demand : 0.0;

    raw_ = std::clamp(raw_ + rig_.level_per_flow * (raw_flow_ - transfer_flow_), 0.0, 1200.0);
    feed_ = std::clamp(feed_ + rig_.level_per_flow * (transfer_flow_ - filter_flow_), 0.0, 1200.0);
    treated_ = std::clamp(treated_ + rig_.level_per_flow * (filter_flow_ - treated_flow_), 0.0, 1200.0);
    cake_ =
        std::clamp(cake_ + (filter_flow_ > 0.1 ? 1 / 2000. : 0.0) - (backwash_flow_ > 0.1 ? 1 / 30. : 0.0), 0.0, 1.0);
    conductivity_ += (runs(P201) ? 0.010 : -0.008) + 0.002 * rng_.normal();
    acid_ += rig_.probe * ((runs(P203) ? 1.0 : 0.0) - acid_);
    chlorine_ += rig_.probe * ((runs(P205) ? 1.0 : 0.0) - chlorine_);
}

void WaterPlant::carry_debris() {
    constexpr double kVolume = 0.3;  // m³
    if (reached_ + 1 >= kWaterStages) return;
    const std::array<double, kWaterStages> flows = {raw_flow_, transfer_flow_, filter_flow_, treated_flow_};
    carried_ += flows[reached_] / 3600;
    if (carried_ < kVolume) return;
    passes_[reached_ + 1] = passes_[reached_];
    ++reached_;
    carried_ = 0.0;
}

void WaterPlant::clog(size_t stage, double loss) {
    flush();
    passes_[stage] = 1.0 - loss;
    reached_ = stage;
}

void WaterPlant::flush() {
    passes_.fill(1.0);
    reached_ = kWaterStages;
    carried_ = 0.0;
}

std::vector<size_t> WaterPlant::clogged() const {
    std::vector<size_t> out;
    for (size_t stage = 0; stage < kWaterStages; ++stage)
        if (passes_[stage] < 1.0) out.push_back(stage);
    return out;
}

WaterRow WaterController::decide(const WaterRow& measured) {
    constexpr int64_t kFilterFor = 1800, kWashFor = 60, kDrainFor = 40;  // s
    WaterRow command{};
    for (const size_t off : kAlwaysOff) command[off] = 1.0f;
    for (const size_t on : kAlwaysOn) command[on] = 2.0f;

    switch_between(inlet_, measured[LIT101], 500.0, 800.0);
    switch_between(transfer_, measured[LIT301], 800.0, 1000.0);
    switch_between(filter_, measured[LIT401], 800.0, 1000.0);
    switch_between(salt_, measured[AIT201], 250.0, 256.0);
    const bool transfers = transfer_ && measured[LIT101] > 250.0f;
    const bool dosing = measured[FIT201] > 0.5f;

    if (backwash_seconds_ >= 0 && ++backwash_seconds_ >= kWashFor + kDrainFor) backwash_seconds_ = -1;
    const bool washing = backwash_seconds_ >= 0 && backwash_seconds_ < kWashFor;
    const bool draining = backwash_seconds_ >= kWashFor;
    const bool filters = filter_ && measured[LIT301] > 250.0f && backwash_seconds_ < 0;
    filtered_seconds_ += filters ? 1 : 0;
    if (filtered_seconds_ >= kFilterFor) {
        filtered_seconds_ = 0;
        backwash_seconds_ = 0;
    }

    command[MV101] = pump(inlet_);  // valves: 1 closed, 2 open, so the same coding
    command[P101] = pump(transfers);
    command[MV201] = pump(transfers);
    command[P201] = pump(salt_);
    command[P203] = pump(dosing);
    command[P205] = pump(dosing && measured[AIT203] < 360.0f);
    command[P302] = pump(filters);
    command[MV301] = pump(washing);
    command[MV302] = pump(filters);
    command[MV303] = pump(washing);
    command[MV304] = pump(draining);
    command[P602] = pump(washing);
    if (regime_ == WaterRegime::kSparePumps) {
        std::swap(command[P101], command[P102]);
        std::swap(command[P302], command[P301]);
    }
    if (regime_ == WaterRegime::kHalfLoad) command[P501] = 1.0f;
    if (regime_ == WaterRegime::kWithoutDosing) command[P203] = command[P205] = 1.0f;
    // Dry running: the treated tank must not run empty.
    if (measured[LIT401] < 250.0f) command[P402] = command[P501] = 1.0f;
    return command;
}

}  // namespace cmr::simulate
