#include "score/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>

#include "base/error.h"
#include "score/explain/onsets.h"
#include "score/explain/sentence.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = 8;  // that show what an effect does
constexpr int64_t kAround = 32;      // windows on each side that show what range the causes are in

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
// causes, wherever it stands; the end if there is none. Where no other effect is coupled to its causes, nothing tells a
// sensor from the machine.
std::vector<ChannelEvidence>::iterator sick_sensor(std::vector<ChannelEvidence>& effects, double coupled) {
    if (const auto frozen = std::ranges::find_if(effects, &ChannelEvidence::frozen); frozen != effects.end())
        return frozen;
    const auto odd = std::ranges::max_element(effects, {}, &ChannelEvidence::alone);
    const bool others_off =
        std::ranges::any_of(effects, [&](const ChannelEvidence& e) { return &e != &*odd && e.residual >= kAlsoOff; });
    const bool others_follow =
        std::ranges::any_of(effects, [&](const ChannelEvidence& e) { return &e != &*odd && e.coupling > coupled; });
    return odd->alone >= kOddByItself && !others_off && others_follow ? odd : effects.end();
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

double mean(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The first window of the trouble: some before the alarm, or before an earlier one that it followed soon, because what
// begins small raises no alarm at first.
int64_t begin_of_trouble(const ScoreRun& run, int64_t window,
                         const std::function<bool(const ScoredWindow&)>& in_alarm) {
    int64_t alarm = window, begin = window;
    while (begin > 0 && alarm - begin < kAround &&
           run.windows[begin - 1].window.recording == run.windows[window].window.recording) {
        --begin;
        if (in_alarm(run.windows[begin])) alarm = begin;
    }
    return begin;
}

}  // namespace

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
        out.sentence = sentence(out, "", detector.recipe.screening.coupled_r2);
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
    const linear::Ridge& mechanism = detector.pipeline.mechanism().ridge();
    const double coupled = detector.recipe.screening.coupled_r2;
    std::vector<int64_t> all(effects.size()), followers;  // effects whose causes foretell them
    std::iota(all.begin(), all.end(), 0);
    for (const int64_t c : all) {
        out.effects[c].coupling = 1 - mechanism.deviation(c) * mechanism.deviation(c);
        if (out.effects[c].coupling > coupled) followers.push_back(c);
    }
    // What stands in for an absent effect follows its causes by itself.
    const auto is_absent = [&](int64_t c) { return at.sensors[preprocessing.effects[c]] == Sickness::kAbsent; };
    std::erase_if(all, is_absent);
    std::erase_if(followers, is_absent);

    // Where it began, of all windows of the trouble up to this one.
    std::vector<data::Window> trouble;
    std::vector<double> end_s;
    for (int64_t i = begin_of_trouble(run, window, in_alarm); i <= window; ++i) {
        if (!run.windows[i].judged) continue;
        trouble.push_back(run.windows[i].window);
        end_s.push_back(run.windows[i].end_s);
    }
    const Features samples = detector.pipeline.samples_of(dataset, trouble);
    const Matrix left = detector.pipeline.mechanism().residuals(samples.causes, samples.effects);
    for (const EffectOnset& onset :
         onsets(detector.explainer.residual_ranges(left), followers.empty() ? all : followers, end_s,
                static_cast<double>(shape.length) / dataset.rate_hz, detector.pipeline.drives()))
        out.root.push_back({effects[onset.effect].name, onset.onset_s});

    std::ranges::stable_sort(out.effects, std::ranges::greater(), &ChannelEvidence::residual);
    const auto sensor = sick_sensor(out.effects, coupled);
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
    if (const auto sick = explaining(out, coupled); sick != out.sensors.end()) {
        out.verdict = Verdict::kSensorSick;
        std::rotate(out.sensors.begin(), sick, sick + 1);
    }

    const auto worst = std::ranges::find(effects, out.effects.front().name, &data::Channel::name) - effects.begin();
    const std::vector<double> shares = detector.pipeline.mechanism().cause_shares(shown.causes, shown.effects, worst);
    const Matrix odd = detector.explainer.cause_ranges(shown.causes);
    for (size_t c = 0; c < shares.size(); ++c) {
        CauseEvidence& cause = out.causes.emplace_back();
        cause.name = detector.pipeline.preprocessing().inputs.causes()[c].name;
        cause.share = shares[c];
        for (int64_t i = 0; i < odd.rows; ++i) cause.alone += odd.row(i)[c] / count;
    }
    const bool outside = out.verdict == Verdict::kOutsideRange;
    std::ranges::stable_sort(out.causes, std::ranges::greater(),
                             outside ? &CauseEvidence::alone : &CauseEvidence::share);
    out.cause_named =
        out.verdict == Verdict::kMechanismBroke && out.causes.front().share > detector.explainer.limits[worst];
    out.sentence = sentence(out, time_text(dataset.recordings[at.window.recording], out.onset_s), coupled);
    return out;
}

}  // namespace cmr::score
