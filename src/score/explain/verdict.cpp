#include "score/explain/verdict.h"

#include <algorithm>
#include <functional>
#include <span>

#include "score/explain/onsets.h"

namespace cmr::score {
namespace {

// A frozen effect, whatever the others do; else the one effect that is odd by itself while every other follows its
// causes, wherever it stands; the end if there is none. Where no other effect is coupled to its causes, nothing tells a
// sensor from the machine.
std::vector<ChannelEvidence>::iterator sick_sensor(std::vector<ChannelEvidence>& effects, double coupled) {
    if (const auto frozen = std::ranges::find_if(effects, &ChannelEvidence::frozen); frozen != effects.end())
        return frozen;
    const auto odd = std::ranges::max_element(effects, {}, &ChannelEvidence::alone);
    bool others_off = false, others_follow = false;
    for (const ChannelEvidence& e : effects) {
        if (&e == &*odd) continue;
        others_off |= e.residual >= kAlsoOff || e.alone >= kOddByItself;
        others_follow |= e.coupling > coupled;
    }
    return odd->alone >= kOddByItself && !others_off && others_follow ? odd : effects.end();
}

// No machine does this, whatever broke; what is left may be the machine's.
bool is_of_a_sensor(const SickSensor& sensor) {
    return sensor.sickness == Sickness::kAbsent || sensor.sickness == Sickness::kFrozen ||
           sensor.sickness == Sickness::kNoiseGone || sensor.sickness == Sickness::kWrongRate;
}

// The sick sensor that explains what was found so far, the end if there is none: a cause, of which everything else
// follows; the effect that is worst, where no machine does that, or where other effects are coupled and none is off;
// or, where there is no alarm, any.
std::vector<SickSensor>::iterator explaining(Explanation& e, double coupled) {
    const auto sick = [&](const std::string& name) { return std::ranges::find(e.sensors, name, &SickSensor::name); };
    const bool broke = e.verdict == Verdict::kMechanismBroke;
    for (auto s = e.sensors.begin(); s != e.sensors.end(); ++s)
        if (!s->effect && (broke || is_of_a_sensor(*s))) return s;
    if (e.verdict == Verdict::kNormal) return e.sensors.begin();
    const auto worst = sick(e.effects.front().name);
    if (worst == e.sensors.end() || is_of_a_sensor(*worst)) return worst;
    bool others_off = false, others_follow = false;
    for (const ChannelEvidence& effect : std::span(e.effects).subspan(1)) {
        const auto own = sick(effect.name);
        if (own != e.sensors.end() && is_of_a_sensor(*own)) continue;  // it bears no witness
        others_off |= effect.residual >= kAlsoOff;
        others_follow |= effect.coupling > coupled;
    }
    return e.verdict != Verdict::kOutsideRange && !others_off && others_follow ? worst : e.sensors.end();
}

}  // namespace

void reach_verdict(Explanation& e, const ScoredWindow& window, double coupled) {
    std::ranges::stable_sort(e.effects, std::ranges::greater(), &ChannelEvidence::residual);
    const auto sensor = sick_sensor(e.effects, coupled);
    const bool frozen = sensor != e.effects.end() && sensor->frozen;
    if (!frozen && (e.cause_level > 1 || !e.newly_active_causes.empty() || window.outside_range))
        e.verdict = Verdict::kOutsideRange;
    else if (window.level < 1)
        e.verdict = Verdict::kNormal;
    else if (sensor != e.effects.end()) {
        e.verdict = Verdict::kEffectAbnormal;
        std::rotate(e.effects.begin(), sensor, sensor + 1);
    } else
        e.verdict = Verdict::kMechanismBroke;
    if (const auto sick = explaining(e, coupled); sick != e.sensors.end()) {
        e.verdict = Verdict::kSensorSick;
        std::rotate(e.sensors.begin(), sick, sick + 1);
    }
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::kNormal:
            return "normal";
        case Verdict::kMechanismBroke:
            return "mechanism broke";
        case Verdict::kEffectAbnormal:
            return "effect alone abnormal";
        case Verdict::kOutsideRange:
            return "outside range";
        case Verdict::kSensorSick:
            return "sensor sick";
        case Verdict::kUnjudged:
            return "not judged";
    }
    return "";
}

}  // namespace cmr::score
