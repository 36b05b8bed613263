#include "score/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>

#include "base/error.h"
#include "score/explain/onsets.h"
#include "score/explain/range.h"
#include "score/explain/sentence.h"
#include "score/explain/verdict.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = 8;  // that show what an effect does
constexpr int64_t kAround = 32;      // windows on each side that show what range the causes are in

// Does a window go on from the one before, without a jump of the clock?
bool goes_on(const data::Dataset& dataset, const ScoreRun& run, int64_t i) {
    if (i <= 0 || i >= std::ssize(run.windows)) return false;
    const data::Window &before = run.windows[i - 1].window, &window = run.windows[i].window;
    return data::is_consecutive(dataset, before, window, window.begin - before.begin);
}

// The last of the windows in a row, from this one on back (step -1) or forth (+1), that belong.
template <typename Belongs>
int64_t reach(const data::Dataset& dataset, const ScoreRun& run, int64_t window, int64_t step, const Belongs& belongs) {
    int64_t at = window;
    while (goes_on(dataset, run, step > 0 ? at + 1 : at) && belongs(run.windows[at + step])) at += step;
    return at;
}

// What an explanation looks at, cut once.
struct View {
    int64_t first = 0;  // window of the run that stands in the first row of `around`
    Features around;    // windows in a row that are close to the alarm line or above: the range of the causes
    int64_t training_windows = 0;  // that `around` covers, as they were cut in training
    std::vector<int64_t> chosen;   // rows of `around` that show what the effects do, the last is the window itself
    Features shown;                // those
};

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

std::vector<SickSensor> sick_sensors(const Detector& detector, const ScoredWindow& window) {
    std::vector<SickSensor> out;
    for (size_t c = 0; c < window.sensors.size(); ++c)
        if (window.sensors[c] != Sickness::kNone)
            out.push_back({detector.channels[c].name, window.sensors[c], detector.channels[c].effect});
    return out;
}

double mean(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The first window of the trouble: some before the alarm, or before an earlier one that it followed soon, because what
// begins small raises no alarm at first.
int64_t begin_of_trouble(const data::Dataset& dataset, const ScoreRun& run, int64_t window,
                         const std::function<bool(const ScoredWindow&)>& in_alarm) {
    int64_t alarm = window, begin = window;
    while (alarm - begin < kAround && goes_on(dataset, run, begin)) {
        --begin;
        if (in_alarm(run.windows[begin])) alarm = begin;
    }
    return begin;
}

// Of windows in a row, which `belongs` tells, around this one.
template <typename Belongs>
View view_of(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window,
             const Belongs& belongs) {
    const int64_t first = reach(dataset, run, window, -1, belongs), last = reach(dataset, run, window, +1, belongs);
    View out;
    out.first = std::max(first, window - kAround);
    std::vector<data::Window> around;
    for (int64_t i = out.first; i <= std::min(last, window + kAround); ++i) around.push_back(run.windows[i].window);
    out.around = detector.pipeline.features_of(dataset, around);
    out.training_windows = 1 + (around.back().begin - around.front().begin) / detector.recipe.window.training_stride();
    for (int64_t i = std::max(first, window - kMostWindows + 1); i <= window; ++i) out.chosen.push_back(i - out.first);
    out.shown = out.around.chosen(out.chosen);
    return out;
}

// Causes that never moved in the healthy data, in most of the windows that are shown.
std::vector<std::string> newly_active(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run,
                                      const View& view) {
    std::vector<std::vector<std::string>> lists;
    for (const int64_t row : view.chosen) {
        const data::Window& w = run.windows[view.first + row].window;
        auto& names = lists.emplace_back();
        for (const int64_t c : newly_active_causes(detector, [&](int64_t channel) {
                 return dataset.recordings[w.recording].channels[channel].values().subspan(
                     w.begin, detector.recipe.window.length);
             }))
            names.push_back(detector.channels[c].name);
    }
    return in_most(lists);
}

// Each effect, in the order of the pipeline.
std::vector<ChannelEvidence> evidence_of_effects(const Detector& detector, const ScoreRun& run, const View& view) {
    const model::Preprocessing& preprocessing = detector.pipeline.preprocessing();
    const linear::Ridge& mechanism = detector.pipeline.mechanism().ridge();
    const int64_t length = detector.recipe.window.length, last = std::ssize(view.chosen) - 1;
    const auto count = static_cast<double>(view.chosen.size());
    const Matrix alone = detector.explainer.ranges(view.shown.effects);
    const Matrix unexplained = detector.pipeline.unexplained(view.shown);
    const auto& effects = preprocessing.inputs.effects();
    std::vector<ChannelEvidence> out;
    for (size_t c = 0; c < effects.size(); ++c) {
        ChannelEvidence& channel = out.emplace_back();
        channel.name = effects[c].name;
        for (size_t i = 0; i < view.chosen.size(); ++i) {
            const float residual = run.scores.residuals.row(view.first + view.chosen[i])[c];
            channel.residual += std::isnan(residual) ? 0 : residual / count;  // absent: it says nothing
            channel.alone += alone.row(static_cast<int64_t>(i))[c] / count;
        }
        const auto samples = view.shown.effects.row(last).subspan(c * length, length);
        const int64_t own = preprocessing.effects[c];
        channel.frozen = run.windows[view.first + view.chosen.back()].sensors[own] == Sickness::kFrozen ||
                         (detector.explainer.ranges.standstill(static_cast<int64_t>(c)) >= kOddByItself &&
                          std::ranges::all_of(samples, [&](float value) { return value == samples.front(); }));
        channel.coupling = 1 - mechanism.deviation(c) * mechanism.deviation(c);
        const auto in_its_unit = [&](double z) {
            return preprocessing.scaler.mean[own] + preprocessing.scaler.deviation[own] * z;
        };
        channel.observed = channel.expected = in_its_unit(mean(samples));
        if (unexplained.columns > 0)
            channel.expected = in_its_unit(mean(samples) - mean(unexplained.row(last).subspan(c * length, length)));
    }
    return out;
}

// Where it began, of all windows of the trouble up to this one. `evidence`: in the order of the pipeline.
std::vector<Departure> departures(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run,
                                  int64_t window, const std::function<bool(const ScoredWindow&)>& in_alarm,
                                  const std::vector<ChannelEvidence>& evidence) {
    const model::Preprocessing& preprocessing = detector.pipeline.preprocessing();
    std::vector<int64_t> all, followers;  // effects whose causes foretell them
    for (int64_t c = 0; c < std::ssize(evidence); ++c) {
        // What stands in for an absent effect follows its causes by itself.
        if (run.windows[window].sensors[preprocessing.effects[c]] == Sickness::kAbsent) continue;
        all.push_back(c);
        if (evidence[c].coupling > detector.recipe.screening.coupled_r2) followers.push_back(c);
    }
    std::vector<data::Window> trouble;
    std::vector<double> end_s;
    for (int64_t i = begin_of_trouble(dataset, run, window, in_alarm); i <= window; ++i) {
        if (!run.windows[i].judged) continue;
        trouble.push_back(run.windows[i].window);
        end_s.push_back(run.windows[i].end_s);
    }
    const Features samples = detector.pipeline.samples_of(dataset, trouble);
    const Matrix left = detector.pipeline.mechanism().residuals(samples.causes, samples.effects);
    std::vector<Departure> out;
    for (const EffectOnset& onset :
         onsets(detector.explainer.residual_ranges(left), followers.empty() ? all : followers, end_s,
                static_cast<double>(detector.recipe.window.length) / dataset.rate_hz, detector.pipeline.drives()))
        out.push_back({evidence[onset.effect].name, onset.onset_s});
    return out;
}

// That says most of a window beyond what the others tell: the combined score is its.
std::string loudest_voice(const Detector& detector, const Features& window) {
    const Scores scores = detector.pipeline.score(window);
    const Combined& combined = detector.pipeline.combined();
    const Matrix voices = combined.voices_of({scores.names, scores.values});
    const auto loudest = std::ranges::max_element(voices.row(0));
    return combined.voices()[loudest - voices.row(0).begin()];
}

// Of one effect, in the order of the pipeline.
std::vector<CauseEvidence> evidence_of_causes(const Detector& detector, const Features& shown, int64_t effect) {
    const std::vector<double> shares = detector.pipeline.mechanism().cause_shares(shown.causes, shown.effects, effect);
    const Matrix odd = detector.explainer.cause_ranges(shown.causes);
    std::vector<CauseEvidence> out;
    for (size_t c = 0; c < shares.size(); ++c) {
        CauseEvidence& cause = out.emplace_back();
        cause.name = detector.pipeline.preprocessing().inputs.causes()[c].name;
        cause.share = shares[c];
        for (int64_t i = 0; i < odd.rows; ++i) cause.alone += odd.row(i)[c] / static_cast<double>(odd.rows);
    }
    return out;
}

}  // namespace

Explanation explain(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window,
                    std::optional<double> onset_s) {
    CMR_ASSERT(window >= 0 && window < std::ssize(run.windows), "a window of the run");
    const ScoredWindow& at = run.windows[window];
    const double coupled = detector.recipe.screening.coupled_r2;
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
        out.sentence = sentence(out, "", coupled);
        return out;
    }
    // Close to the alarm line or above; an alarm goes on over short dips.
    const auto high = [&](const ScoredWindow& w) { return w.level >= detector.alarm.rule.release; };
    const auto in_alarm = [&](const ScoredWindow& w) { return w.alarm || high(w); };
    // The trouble came between the end of the last normal window and the end of the first that is not.
    out.onset_s = onset_s.value_or(run.windows[reach(dataset, run, window, -1, in_alarm)].end_s);

    const View view = view_of(detector, dataset, run, window, high);
    out.cause_level = detector.pipeline.novelty().level(view.around, view.training_windows);
    out.newly_active_causes = newly_active(detector, dataset, run, view);
    out.effects = evidence_of_effects(detector, run, view);
    if (at.alarm || at.level >= 1) out.root = departures(detector, dataset, run, window, in_alarm, out.effects);
    out.voice = loudest_voice(detector, view.around.chosen({view.chosen.back()}));
    reach_verdict(out, at, coupled);
    if (out.verdict == Verdict::kOutsideRange) out.root.clear();  // what cannot be judged began nowhere

    const auto& effects = detector.pipeline.preprocessing().inputs.effects();
    const auto worst = std::ranges::find(effects, out.effects.front().name, &data::Channel::name) - effects.begin();
    out.causes = evidence_of_causes(detector, view.shown, worst);
    const bool outside = out.verdict == Verdict::kOutsideRange;
    std::ranges::stable_sort(out.causes, std::ranges::greater(),
                             outside ? &CauseEvidence::alone : &CauseEvidence::share);
    out.cause_named = out.verdict == Verdict::kMechanismBroke && out.effects.front().residual >= kAlsoOff &&
                      out.causes.front().share > kClearShare;
    out.sentence = sentence(out, time_text(dataset.recordings[at.window.recording], out.onset_s), coupled);
    return out;
}

}  // namespace cmr::score
