#include "live/words.h"

#include <cmath>

#include "base/text.h"
#include "io/json_fields.h"
#include "score/explain/onsets.h"
#include "score/explain/verdict.h"

namespace cmr::live {
namespace {

constexpr size_t kEffects = 5, kCauses = 3;  // as many as people read

// What came, and what was expected of it; nothing where the means tell nothing.
std::string came(const score::Explanation& explanation) {
    if (explanation.effects.empty() || explanation.verdict == score::Verdict::kOutsideRange) return "";
    const score::ChannelEvidence& worst = explanation.effects.front();
    const std::string is = short_number(worst.observed, 4), expected = short_number(worst.expected, 4);
    if (is == expected) return "";
    return fmt::format("{} is {} on average, where {} is expected.", worst.name, is, expected);
}

std::string sure(double p_value) {
    if (!(p_value > 0)) return "No healthy window came near this level.";
    if (p_value >= 0.5) return "";
    return fmt::format("Of healthy windows one in {:.0f} comes as high.", 1 / p_value);
}

}  // namespace

std::string headline(const Entry& entry) {
    const std::string by = entry.who.empty() ? "" : " by " + entry.who;
    const std::string level = std::isfinite(entry.level) ? fmt::format(", level {:.2f}", entry.level) : "";
    switch (entry.step.event) {
        case Event::kRaise:
            return fmt::format(
                "{}: alarm{}{}", entry.asset, level,
                entry.verdict == score::name(score::Verdict::kOutsideRange) ? ", outside the learned range" : "");
        case Event::kClear:
            return fmt::format("{}: back to normal{}", entry.asset,
                               entry.step.to == State::kReturned ? ", not acknowledged" : "");
        case Event::kAcknowledge:
            return fmt::format("{}: acknowledged{}", entry.asset, by);
        case Event::kReset:
            return fmt::format("{}: reset{}", entry.asset, by);
        case Event::kShelve:
            return fmt::format("{}: shelved{}", entry.asset, by);
        case Event::kUnshelve:
            return fmt::format("{}: off the shelf{}, {}", entry.asset, by, name(entry.step.to));
        case Event::kRemove:
            return fmt::format("{}: out of service{}", entry.asset, by);
        case Event::kRestore:
            return fmt::format("{}: back in service{}, {}", entry.asset, by, name(entry.step.to));
        case Event::kStale:
            return fmt::format("{}: no data", entry.asset);
        case Event::kFresh:
            return fmt::format("{}: data again", entry.asset);
        case Event::kMark:
            return fmt::format("{}: marked as a false alarm{}", entry.asset, by);
        case Event::kUnmark:
            return fmt::format("{}: no longer marked as a false alarm{}", entry.asset, by);
        case Event::kLearn:
            return fmt::format("{}: another model, which learned{}", entry.asset, by);
    }
    return entry.asset;
}

std::string look_first(const score::Explanation& explanation) {
    if (explanation.effects.empty()) return "";
    const score::ChannelEvidence& worst = explanation.effects.front();
    switch (explanation.verdict) {
        case score::Verdict::kMechanismBroke:
            // In the order of score::sentence, which stands before this: where the machine as a whole left what is
            // healthy there is no place to begin, and a cause is named where that names it.
            if (worst.residual < score::kAlsoOff) return "";
            return explanation.cause_named
                       ? fmt::format("Look first at what stands between {} and {}.", explanation.causes.front().name,
                                     worst.name)
                       : fmt::format("Look first at {}: its sensor and its part of the machine.", worst.name);
        case score::Verdict::kEffectAbnormal:
            return fmt::format("Look first at the sensor {}.", worst.name);
        case score::Verdict::kOutsideRange:
            return "Ask first whether the plant is run in a way that it never was while the model learned.";
        case score::Verdict::kSensorSick:  // its sentence says so
        case score::Verdict::kUnjudged:
        case score::Verdict::kNormal:
            break;
    }
    return "";
}

void put_words(const score::Explanation& explanation, Entry& entry) {
    entry.verdict = score::name(explanation.verdict);
    entry.sentence = explanation.sentence;
    for (const std::string& more : {came(explanation), sure(explanation.p_value), look_first(explanation)})
        if (!more.empty()) entry.sentence += (entry.sentence.empty() ? "" : " ") + more;
    io::Json effects = io::Json::array(), causes = io::Json::array();
    for (size_t i = 0; i < std::min(kEffects, explanation.effects.size()); ++i) {
        const score::ChannelEvidence& effect = explanation.effects[i];
        effects.push_back({{"name", effect.name},
                           {"residual", effect.residual},
                           {"alone", effect.alone},
                           {"observed", effect.observed},
                           {"expected", effect.expected}});
    }
    for (const score::CauseEvidence& cause : explanation.causes)  // an alarm rests on none that chance explains as well
        if (explanation.cause_named && cause.share > score::kClearShare && causes.size() < kCauses)
            causes.push_back({{"name", cause.name}, {"share", cause.share}});
    entry.evidence = io::to_text({{"onset_s", explanation.onset_s}, {"effects", effects}, {"causes", causes}});
}

}  // namespace cmr::live
