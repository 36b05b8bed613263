#include "score/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "base/duration.h"
#include "base/error.h"
#include "io/text/time.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = 8;   // that show what an effect does
constexpr int64_t kAround = 32;       // windows on each side that show what range the causes are in
constexpr double kOddByItself = 3.5;  // healthy deviations
constexpr double kAlsoOff = 3.0;      // residual that makes another effect a witness of a broken mechanism

// The last of the windows in a row, from this one on back (step -1) or forth (+1), that belong.
template <typename Belongs>
int64_t reach(const ScoreRun& run, int64_t window, int64_t step, const Belongs& belongs) {
    int64_t at = window;
    const auto goes_on = [&](int64_t i) {
        return i >= 0 && i < std::ssize(run.windows) &&
               run.windows[i].window.recording == run.windows[window].window.recording && belongs(run.windows[i]);
    };
    while (goes_on(at + step)) at += step;
    return at;
}

// Names that stand in more than half of the lists.
std::vector<std::string> in_most(const std::vector<std::vector<std::string>>& lists) {
    std::map<std::string, size_t> count;
    for (const auto& list : lists)
        for (const std::string& name : list) ++count[name];
    std::vector<std::string> out;
    for (const auto& [name, times] : count)
        if (2 * times > lists.size()) out.push_back(name);
    return out;
}

// Causes that never moved in the training data and do in this window.
std::vector<std::string> newly_active_causes(const Detector& detector, const data::Dataset& dataset,
                                             const data::Window& window) {
    const data::Scaler& scaler = detector.pipeline.preprocessing().scaler;
    std::vector<std::string> out;
    for (size_t c = 0; c < detector.channels.size(); ++c) {
        if (detector.channels[c].effect || !scaler.constant(static_cast<int64_t>(c))) continue;
        const auto samples = dataset.recordings[window.recording].channels[c].values().subspan(
            window.begin, detector.recipe.window.length);
        if (std::ranges::any_of(samples, [&](float value) { return value != scaler.least[c]; }))
            out.push_back(detector.channels[c].name);
    }
    return out;
}

// A frozen effect, whatever the others do; else the one effect that is odd by itself while every other follows its
// causes, wherever it stands; the end if there is none. Where there is one effect only, nothing tells its sensor from
// its mechanism.
std::vector<ChannelEvidence>::iterator sick_sensor(std::vector<ChannelEvidence>& effects) {
    if (const auto frozen = std::ranges::find_if(effects, &ChannelEvidence::frozen); frozen != effects.end())
        return frozen;
    const auto odd = std::ranges::max_element(effects, {}, &ChannelEvidence::alone);
    const bool witnesses =
        std::ranges::any_of(effects, [&](const ChannelEvidence& e) { return &e != &*odd && e.residual >= kAlsoOff; });
    return odd->alone >= kOddByItself && !witnesses && effects.size() > 1 ? odd : effects.end();
}

std::vector<SickSensor> sick_sensors(const Detector& detector, const ScoredWindow& window) {
    std::vector<SickSensor> out;
    for (size_t c = 0; c < window.sensors.size(); ++c)
        if (window.sensors[c] != Sickness::kNone)
            out.push_back({detector.channels[c].name, window.sensors[c], detector.channels[c].effect});
    return out;
}

// No machine does this, whatever broke; what is left may be the machine's.
bool is_of_a_sensor(const SickSensor& sensor) {
    return sensor.sickness == Sickness::kAbsent || sensor.sickness == Sickness::kFrozen ||
           sensor.sickness == Sickness::kNoiseGone || sensor.sickness == Sickness::kWrongRate;
}

// The sick sensor that explains what was found so far, the end if there is none: a cause, of which everything else
// follows; the effect that is worst, unless it may be the machine and another effect bears witness; or, where there is
// no alarm, any.
std::vector<SickSensor>::iterator explaining(Explanation& e) {
    const auto sick = [&](const std::string& name) { return std::ranges::find(e.sensors, name, &SickSensor::name); };
    const bool broke = e.verdict == Verdict::kMechanismBroke;
    for (auto s = e.sensors.begin(); s != e.sensors.end(); ++s)
        if (!s->effect && (broke || is_of_a_sensor(*s))) return s;
    if (e.verdict == Verdict::kNormal) return e.sensors.begin();
    const auto worst = sick(e.effects.front().name);
    if (worst == e.sensors.end() || is_of_a_sensor(*worst)) return worst;
    const bool witnesses = std::ranges::any_of(e.effects, [&](const ChannelEvidence& effect) {
        const auto own = sick(effect.name);
        return effect.residual >= kAlsoOff && own != worst && (own == e.sensors.end() || !is_of_a_sensor(*own));
    });
    return e.verdict == Verdict::kOutsideRange || witnesses ? e.sensors.end() : worst;
}

double mean(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string time_text(const data::Dataset& dataset, const ScoredWindow& w, double seconds) {
    return dataset.recordings[w.window.recording].dated ? io::format_time(seconds)
                                                        : duration_text(seconds) + " after the recording began";
}

std::string sentence(const Explanation& e, const std::string& onset) {
    switch (e.verdict) {
        case Verdict::kNormal:
            return fmt::format("Normal: the level is {:.2f} of the alarm line.", e.level);
        case Verdict::kOutsideRange:
            return fmt::format(
                "Outside the learned operating range {} {}: {}, so whether the effects still follow {} cannot be "
                "judged.",
                e.level < 1 ? "at" : "since", onset,
                e.newly_active_causes.empty()
                    ? "causes like these are not in the healthy data"
                    : fmt::format("{} never moved in the healthy data", fmt::join(e.newly_active_causes, ", ")),
                e.newly_active_causes.empty() ? "them" : "their causes");
        case Verdict::kEffectAbnormal:
            return fmt::format(
                "{} alone is abnormal since {}: {}. Look at its sensor first.", e.effects.front().name, onset,
                e.effects.front().frozen ? "it stands still, which it hardly ever does in the healthy data"
                                         : "it is odd by itself, and every other effect still follows its causes");
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
    const bool known = !e.causes.empty() && e.causes.front().share > 0.2;
    return fmt::format("{} stopped following {} at {}{}.", e.effects.front().name,
                       known ? e.causes.front().name : "its causes", onset,
                       e.effects.front().alone < kOddByItself ? "; by itself it still looks normal" : "");
}

}  // namespace

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

Explanation explain(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window,
                    std::optional<double> onset_s) {
    CMR_ASSERT(window >= 0 && window < std::ssize(run.windows), "a window of the run");
    const ScoredWindow& at = run.windows[window];
    // Close to the alarm line or above; an alarm goes on over short dips.
    const auto high = [&](const ScoredWindow& w) { return w.level >= detector.alarm.rule.release; };
    const auto in_alarm = [&](const ScoredWindow& w) { return w.alarm || high(w); };
    const int64_t first = reach(run, window, -1, high), last = reach(run, window, +1, high);
    Explanation out;
    out.window = window;
    out.at_s = at.end_s;
    out.level = at.level;
    out.p_value = at.p_value;
    out.sensors = sick_sensors(detector, at);
    if (!at.judged) {
        out.verdict = Verdict::kUnjudged;
        out.onset_s = at.end_s;
        std::stable_partition(out.sensors.begin(), out.sensors.end(),
                              [](const SickSensor& sensor) { return !sensor.effect; });
        out.sentence = sentence(out, "");
        return out;
    }
    // The trouble came between the end of the last normal window and the end of the first that is not.
    out.onset_s = onset_s.value_or(run.windows[reach(run, window, -1, in_alarm)].end_s);

    // All windows that are looked at, cut once; those that show what the effects do are some of them.
    const int64_t from = std::max(first, window - kAround), to = std::min(last, window + kAround);
    std::vector<data::Window> around;
    for (int64_t i = from; i <= to; ++i) around.push_back(run.windows[i].window);
    const Features features = detector.pipeline.features_of(dataset, around);
    const recipe::Window& shape = detector.recipe.window;
    const int64_t stride = shape.training_stride();
    out.cause_level =
        detector.explainer.novelty.level(features, 1 + (around.back().begin - around.front().begin) / stride);

    std::vector<int64_t> chosen;  // rows of `around`
    std::vector<std::vector<std::string>> newly_active;
    for (int64_t i = std::max(first, window - kMostWindows + 1); i <= window; ++i) {
        chosen.push_back(i - from);
        newly_active.push_back(newly_active_causes(detector, dataset, run.windows[i].window));
    }
    out.newly_active_causes = in_most(newly_active);
    const Features shown = features.chosen(chosen);
    const Matrix alone = detector.explainer.ranges(shown.effects);
    const Matrix unexplained = detector.pipeline.unexplained(shown);
    const model::Preprocessing& preprocessing = detector.pipeline.preprocessing();
    const auto count = static_cast<double>(chosen.size());
    const auto& effects = detector.pipeline.preprocessing().inputs.effects();
    for (size_t c = 0; c < effects.size(); ++c) {
        ChannelEvidence& channel = out.effects.emplace_back();
        channel.name = effects[c].name;
        for (size_t i = 0; i < chosen.size(); ++i) {
            const float residual = run.scores.residuals.row(from + chosen[i])[c];
            channel.residual += std::isnan(residual) ? 0 : residual / count;  // absent: it says nothing
            channel.alone += alone.row(static_cast<int64_t>(i))[c] / count;
        }
        const auto samples = shown.effects.row(std::ssize(chosen) - 1).subspan(c * shape.length, shape.length);
        channel.frozen = detector.explainer.ranges.standstill(static_cast<int64_t>(c)) >= kOddByItself &&
                         std::ranges::all_of(samples, [&](float value) { return value == samples.front(); });
        const int64_t own = preprocessing.effects[c];
        const auto in_its_unit = [&](double z) {
            return preprocessing.scaler.mean[own] + preprocessing.scaler.deviation[own] * z;
        };
        channel.observed = channel.expected = in_its_unit(mean(samples));
        if (unexplained.columns > 0)
            channel.expected = in_its_unit(
                mean(samples) - mean(unexplained.row(std::ssize(chosen) - 1).subspan(c * shape.length, shape.length)));
    }
    std::ranges::stable_sort(out.effects, std::ranges::greater(), &ChannelEvidence::residual);
    const auto sensor = sick_sensor(out.effects);
    const bool frozen = sensor != out.effects.end() && sensor->frozen;
    if (!frozen && (out.cause_level > 1 || !out.newly_active_causes.empty()))
        out.verdict = Verdict::kOutsideRange;
    else if (at.level < 1)
        out.verdict = Verdict::kNormal;
    else if (sensor != out.effects.end()) {
        out.verdict = Verdict::kEffectAbnormal;
        std::rotate(out.effects.begin(), sensor, sensor + 1);
    } else
        out.verdict = Verdict::kMechanismBroke;
    if (const auto sick = explaining(out); sick != out.sensors.end()) {
        out.verdict = Verdict::kSensorSick;
        std::rotate(out.sensors.begin(), sick, sick + 1);
    }

    const auto worst = std::ranges::find(effects, out.effects.front().name, &data::Channel::name) - effects.begin();
    const std::vector<double> shares = detector.pipeline.mechanism().cause_shares(shown.causes, shown.effects, worst);
    for (size_t c = 0; c < shares.size(); ++c)
        out.causes.push_back({detector.pipeline.preprocessing().inputs.causes()[c].name, shares[c]});
    std::ranges::stable_sort(out.causes, std::ranges::greater(), &CauseEvidence::share);
    out.sentence = sentence(out, time_text(dataset, at, out.onset_s));
    return out;
}

}  // namespace cmr::score
