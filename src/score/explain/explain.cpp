#include "score/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/duration.h"
#include "base/error.h"
#include "io/text/time.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = 8;   // that show what an effect does
constexpr int64_t kAround = 32;       // windows on each side that show what range the causes are in
constexpr double kOddByItself = 3.5;  // healthy deviations
constexpr double kAlsoOff = 3.0;      // deviations from its relation that make another effect a witness

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

std::string time_text(const data::Dataset& dataset, const ScoredWindow& w, double seconds) {
    return dataset.recordings[w.window.recording].dated ? io::format_time(seconds)
                                                        : duration_text(seconds) + " after its beginning";
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
                e.moved.empty() ? "causes like these are not in the healthy data"
                                : fmt::format("{} never moved in the healthy data", fmt::join(e.moved, ", ")),
                e.moved.empty() ? "them" : "their causes");
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

Explanation explain(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window) {
    CMR_ASSERT(window >= 0 && window < std::ssize(run.windows), "a window of the run");
    const ScoredWindow& at = run.windows[window];
    // Close to the alarm line or above; an alarm goes on over short dips.
    const auto high = [&](const ScoredWindow& w) { return w.level >= detector.alarm_rule().release; };
    const auto in_alarm = [&](const ScoredWindow& w) { return w.alarm || high(w); };
    const int64_t first = reach(run, window, -1, high), last = reach(run, window, +1, high);
    Explanation out;
    out.window = window;
    out.at_s = at.end_s;
    out.level = at.level;
    out.p_value = at.p_value;
    // The trouble came between the end of the last normal window and the end of the first that is not.
    out.onset_s = run.windows[reach(run, window, -1, in_alarm)].end_s;

    const auto windows = [&](int64_t begin, int64_t end) {
        std::vector<data::Window> list;
        for (int64_t i = begin; i <= end; ++i) list.push_back(run.windows[i].window);
        return list;
    };
    const std::vector<data::Window> chosen = windows(std::max(first, window - kMostWindows + 1), window);
    const Evidence evidence = detector.evidence(dataset, chosen);
    const auto count = static_cast<double>(chosen.size());
    out.cause_level =
        detector.cause_level(dataset, windows(std::max(first, window - kAround), std::min(last, window + kAround)));
    out.moved = in_most(evidence.moved);

    const auto& effects = detector.preprocessing().inputs.effects();
    std::vector<int64_t> order;
    std::vector<ChannelEvidence> channels;
    for (size_t c = 0; c < effects.size(); ++c) {
        ChannelEvidence channel{effects[c].name, 0, 0};
        for (size_t i = 0; i < chosen.size(); ++i) {
            channel.deviation += evidence.deviations.row(static_cast<int64_t>(i))[c] / count;
            channel.alone += evidence.alone.row(static_cast<int64_t>(i))[c] / count;
        }
        channels.push_back(channel);
        order.push_back(static_cast<int64_t>(c));
    }
    std::ranges::stable_sort(order,
                             [&](int64_t a, int64_t b) { return channels[a].deviation > channels[b].deviation; });
    for (const int64_t c : order) out.effects.push_back(channels[c]);

    const std::vector<double> shares = detector.cause_shares(dataset, chosen, order.front());
    for (size_t c = 0; c < shares.size(); ++c)
        out.causes.push_back({detector.preprocessing().inputs.causes()[c].name, shares[c]});
    std::ranges::stable_sort(out.causes, std::ranges::greater(), &CauseEvidence::share);

    const bool witness = out.effects.size() > 1 && out.effects[1].deviation >= kAlsoOff;
    if (out.cause_level > 1 || !out.moved.empty())
        out.verdict = Verdict::kOutsideRange;
    else if (at.level < 1)
        out.verdict = Verdict::kNormal;
    else if (out.effects.front().alone >= kOddByItself && !witness && out.effects.size() > 1)
        out.verdict = Verdict::kEffectAbnormal;
    else
        out.verdict = Verdict::kMechanismBroke;
    out.sentence = sentence(out, time_text(dataset, at, out.onset_s));
    return out;
}

}  // namespace cmr::score
