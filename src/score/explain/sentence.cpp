#include "score/explain/sentence.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/duration.h"
#include "io/text/time.h"
#include "score/explain/onsets.h"
#include "score/explain/verdict.h"
#include "score/scorers/scorer.h"

namespace cmr::score {
namespace {

std::string changed_most(const std::vector<ChannelEvidence>& effects) {
    std::vector<std::string> names;
    for (const ChannelEvidence& effect : effects)
        if (effect.residual >= kAlsoOff && names.size() < 3) names.push_back(effect.name);
    return names.empty() ? "no effect changed much" : fmt::format("most changed: {}", fmt::join(names, ", "));
}

// What a voice saw.
std::string said_of_voice(const std::string& voice) {
    const ScorerKind& kind = scorer_named(voice);
    return fmt::format("{}: {}", kind.name, kind.what);
}

}  // namespace

std::string time_text(const data::Recording& recording, double seconds) {
    if (!recording.dated)
        return fmt::format("{} after {} began", duration_text(seconds),
                           recording.name.empty() ? "the recording" : recording.name);
    return io::format_time(seconds) + (recording.name.empty() ? "" : " in " + recording.name);
}

std::string sentence(const Explanation& e, const std::string& onset, double coupled) {
    switch (e.verdict) {
        case Verdict::kNormal:
            return fmt::format("Normal: the level is {:.2f} of the alarm line.", e.level);
        case Verdict::kOutsideRange:
            return fmt::format(
                "Outside the learned operating range {} {}: {}, so whether the effects still follow {} cannot be "
                "judged; {}.",
                e.level < 1 ? "at" : "since", onset,
                e.newly_active_causes.empty()
                    ? fmt::format("causes like these are not in the healthy data, {} the farthest by itself ({:.1f} "
                                  "deviations)",
                                  e.causes.front().name, e.causes.front().alone)
                    : fmt::format("{} never moved in the healthy data", fmt::join(e.newly_active_causes, ", ")),
                e.newly_active_causes.empty() ? "them" : "their causes", changed_most(e.effects));
        case Verdict::kEffectAbnormal:
            return fmt::format(
                "{} alone is abnormal since {}: {}. Look at its sensor first.", e.effects.front().name, onset,
                e.effects.front().frozen ? "it stands still, which it hardly ever does in the healthy data"
                                         : "it is odd by itself, and the other effects that follow causes still do");
        case Verdict::kSensorSick: {
            const SickSensor& sensor = e.sensors.front();
            const std::string said = fmt::format("{} is sick: {}", sensor.name, name(sensor.sickness));
            if (e.level < 1) return fmt::format("{}. The level is {:.2f} of the alarm line.", said, e.level);
            return sensor.effect
                       ? fmt::format("{}. The alarm since {} is of its own channel: look at the sensor first.", said,
                                     onset)
                       : fmt::format(
                             "{}. It is a cause, so what the effects should do since {} is not known: look at "
                             "the sensor first.",
                             said, onset);
        }
        case Verdict::kUnjudged: {
            const auto cause = std::ranges::find(e.sensors, false, &SickSensor::effect);
            return cause == e.sensors.end()
                       ? "Not judged: every effect is absent."
                       : fmt::format("Not judged: {} is absent, and what the effects should do depends on it.",
                                     cause->name);
        }
        case Verdict::kMechanismBroke:
            break;
    }
    const ChannelEvidence& worst = e.effects.front();
    if (worst.residual < kAlsoOff)
        return fmt::format(
            "The machine as a whole left what is healthy at {} ({}), but no effect by itself is far from it: {} is the "
            "farthest.",
            onset, said_of_voice(e.voice), worst.name);
    const std::string began =
        e.root.size() > 1 && e.root.front().name != worst.name ? "; it began with " + e.root.front().name : "";
    // What never followed cannot stop.
    if (worst.coupling <= coupled && !e.cause_named)
        return fmt::format(
            "{} left what is healthy at {}{}{}. The lagged causes foretell too little of it (R² {:.2f}) to tell its "
            "sensor from the machine.",
            worst.name, onset, began, worst.alone < kOddByItself ? ", though by itself it still looks normal" : "",
            std::max(0.0, worst.coupling));
    return fmt::format("{} stopped following {} at {}{}{}.", worst.name,
                       e.cause_named ? e.causes.front().name : "its causes", onset, began,
                       worst.alone < kOddByItself ? "; by itself it still looks normal" : "");
}

}  // namespace cmr::score
