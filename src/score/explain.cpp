#include "score/explain.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/time.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = 8;
constexpr double kNewCauses = 1e-3;   // p-value
constexpr double kOddByItself = 3.5;  // healthy deviations
constexpr double kAlsoOff = 3.0;      // deviations from its relation that make another effect a witness

// Back to where the alarm began: windows in a row that are close to the alarm line or above.
int64_t onset_of(const Detector& detector, const ScoreRun& run, int64_t window) {
    int64_t first = window;
    const double release = detector.alarm_rule().release;
    while (first > 0 && run.windows[first - 1].window.recording == run.windows[window].window.recording &&
           run.windows[first - 1].level >= release)
        --first;
    return first;
}

std::string time_text(const data::Dataset& dataset, const ScoredWindow& w, double seconds) {
    return dataset.recordings[w.window.recording].dated ? io::format_time(seconds) : fmt::format("{:.6g} s", seconds);
}

std::string sentence(const Explanation& e, const std::string& onset) {
    switch (e.verdict) {
        case Verdict::kNormal:
            return fmt::format("Normal: the level is {:.2f} of the alarm line.", e.level);
        case Verdict::kOutsideRange:
            return fmt::format(
                "Outside the learned operating range since {}: causes like these are not in the healthy data, so "
                "whether "
                "the effects still follow them cannot be judged.",
                onset);
        case Verdict::kEffectAbnormal:
            return fmt::format(
                "{} alone is abnormal since {}: it is odd by itself, and every other effect still follows its causes. "
                "Look at its sensor first.",
                e.effects.front().name, onset);
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
    }
    return "";
}

int64_t window_at(const ScoreRun& run, double time_s, int32_t recording) {
    int64_t best = -1;
    for (int64_t i = 0; i < std::ssize(run.windows); ++i) {
        if (run.windows[i].window.recording != recording) continue;
        if (best < 0 || std::abs(run.windows[i].end_s - time_s) < std::abs(run.windows[best].end_s - time_s)) best = i;
    }
    if (best < 0) throw InputError("no window of that recording was scored");
    return best;
}

int64_t first_alarm(const ScoreRun& run) {
    const auto alarm = std::ranges::find(run.windows, true, &ScoredWindow::alarm);
    if (alarm != run.windows.end()) return alarm - run.windows.begin();
    return std::ranges::max_element(run.windows, {}, &ScoredWindow::level) - run.windows.begin();
}

Explanation explain(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window) {
    CMR_ASSERT(window >= 0 && window < std::ssize(run.windows), "a window of the run");
    const ScoredWindow& at = run.windows[window];
    const int64_t onset = onset_of(detector, run, window);
    Explanation out;
    out.window = window;
    out.at_s = at.end_s;
    out.level = at.level;
    out.p_value = at.p_value;
    // The trouble came between the end of the last normal window and the end of the first that is not.
    out.onset_s = run.windows[onset].end_s;

    std::vector<data::Window> chosen;
    for (int64_t i = std::max(onset, window - kMostWindows + 1); i <= window; ++i)
        chosen.push_back(run.windows[i].window);
    const Evidence evidence = detector.evidence(dataset, chosen);
    const auto count = static_cast<double>(chosen.size());
    for (const double p : evidence.cause_p_values) out.cause_p_value = std::min(out.cause_p_value, p);

    const auto& effects = detector.prepared().inputs.effects();
    std::vector<int64_t> order;
    std::vector<ChannelEvidence> all;
    for (size_t c = 0; c < effects.size(); ++c) {
        ChannelEvidence channel{effects[c].name, 0, 0};
        for (size_t i = 0; i < chosen.size(); ++i) {
            channel.deviation += evidence.deviations.row(static_cast<int64_t>(i))[c] / count;
            channel.alone += evidence.alone.row(static_cast<int64_t>(i))[c] / count;
        }
        all.push_back(channel);
        order.push_back(static_cast<int64_t>(c));
    }
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return all[a].deviation > all[b].deviation; });
    for (const int64_t c : order) out.effects.push_back(all[c]);

    const std::vector<double> shares = detector.cause_shares(dataset, chosen, order.front());
    for (size_t c = 0; c < shares.size(); ++c)
        out.causes.push_back({detector.prepared().inputs.causes()[c].name, shares[c]});
    std::ranges::stable_sort(out.causes, std::ranges::greater(), &CauseEvidence::share);

    const bool witness = out.effects.size() > 1 && out.effects[1].deviation >= kAlsoOff;
    if (at.level < 1)
        out.verdict = Verdict::kNormal;
    else if (out.cause_p_value < kNewCauses)
        out.verdict = Verdict::kOutsideRange;
    else if (out.effects.front().alone >= kOddByItself && !witness && out.effects.size() > 1)
        out.verdict = Verdict::kEffectAbnormal;
    else
        out.verdict = Verdict::kMechanismBroke;
    out.sentence = sentence(out, time_text(dataset, at, out.onset_s));
    return out;
}

}  // namespace cmr::score
