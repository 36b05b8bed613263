#include "score/score_run.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/error.h"
#include "data/fingerprint.h"
#include "io/text/csv_field.h"
#include "io/text/time.h"

namespace cmr::score {

ScoreRun run(const Detector& detector, const data::Dataset& dataset, int64_t stride, EmbeddingCapture* capture) {
    const auto start = std::chrono::steady_clock::now();
    const recipe::Window& shape = detector.recipe.window;
    if (stride == 0) stride = shape.stride;
    std::vector<data::Window> windows;
    for (size_t i = 0; i < dataset.recordings.size(); ++i)
        if (dataset.parts[dataset.recordings[i].part].role != "unused")
            data::cut_windows(dataset, static_cast<int32_t>(i), shape, stride, windows);
    if (windows.empty()) throw InputError("{}: no window of {} samples without gaps", dataset.name, shape.length);
    ScoreRun out;
    Scores scores = detector.pipeline.score(dataset, windows, capture);
    const bool is_new = std::ranges::any_of(dataset.parts, [](const auto& part) { return part.role == "new"; });
    const bool known = !is_new && data::fingerprint(dataset) == detector.provenance.fingerprint;
    const data::FoldSides sides(detector.fold, shape.length);
    const std::vector<float> combined = scores.column("combined");
    std::vector<float> slow, both;
    const double period = static_cast<double>(stride) / dataset.rate_hz;
    for (size_t first = 0; first < windows.size();) {
        // One recording: alarms do not go on from one to the next.
        size_t last = first;
        std::vector<double> times, fast, levels;
        std::vector<int32_t> segment;
        const data::Recording& recording = dataset.recordings[windows[first].recording];
        for (; last < windows.size() && windows[last].recording == windows[first].recording; ++last) {
            const data::Window& w = windows[last];
            ScoredWindow scored{.window = w, .split = known ? sides.side(w) : "new"};
            scored.start_s = data::time_of(recording, w.begin, dataset.rate_hz);
            scored.end_s = data::end_of(dataset, w, shape.length);
            const bool goes_on = last > first && data::is_consecutive(dataset, windows[last - 1], w, stride);
            segment.push_back(goes_on ? segment.back() : segment.empty() ? 0 : segment.back() + 1);
            times.push_back(scored.end_s);
            fast.push_back(combined[last]);
            out.windows.push_back(std::move(scored));
        }
        for (const double value : detector.healthy.clocks.slow(fast, segment, period)) {
            ScoredWindow& scored = out.windows[slow.size()];
            slow.push_back(static_cast<float>(value));
            both.push_back(std::max(combined[both.size()], slow.back()));
            scored.p_value = detector.p_value(both.back());
            scored.level = both.back() / detector.threshold();
            levels.push_back(scored.level);
        }
        const Alarms alarms = find_alarms(detector.alarm.rule, times, levels, segment, period);
        for (size_t i = first; i < last; ++i) out.windows[i].alarm = alarms.on[i - first] != 0;
        out.alarms.insert(out.alarms.end(), alarms.episodes.begin(), alarms.episodes.end());
        out.alarm_recording.insert(out.alarm_recording.end(), alarms.episodes.size(), windows[first].recording);
        first = last;
    }
    out.voids = detector.conditions.broken(dataset, detector.pipeline.preprocessing().scaler,
                                           data::covered(windows, shape.length), shape.length);
    scores.append("slow", slow);
    scores.append("both", both);
    out.scores = std::move(scores);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

std::string to_csv(const ScoreRun& run, const data::Dataset& dataset) {
    std::string out = "recording,first,start,end,state,stratum,event,split";
    for (const std::string& name : run.scores.names) out += fmt::format(",{}", name);
    out += ",p_value,level,alarm";
    for (const std::string& channel : run.scores.channels)
        out += fmt::format(",{}", io::csv_field(fmt::format("residual of {}", channel)));
    out += "\n";
    for (size_t i = 0; i < run.windows.size(); ++i) {
        const ScoredWindow& w = run.windows[i];
        const data::Recording& recording = dataset.recordings[w.window.recording];
        const auto time = [&](double seconds) {
            return recording.dated ? io::format_time(seconds) : fmt::format("{:.10g}", seconds);
        };
        out += fmt::format("{},{},{},{},{},{},{},{}", io::csv_field(recording.name), w.window.begin, time(w.start_s),
                           time(w.end_s), data::name(w.window.state),
                           w.window.stratum >= 0 ? io::csv_field(dataset.strata[w.window.stratum]) : "",
                           w.window.event >= 0 ? io::csv_field(dataset.events[w.window.event].name) : "", w.split);
        for (const float value : run.scores.values.row(static_cast<int64_t>(i))) out += fmt::format(",{}", value);
        out += fmt::format(",{:.6g},{:.6g},{}", w.p_value, w.level, w.alarm ? 1 : 0);
        for (const float value : run.scores.residuals.row(static_cast<int64_t>(i)))
            out += fmt::format(",{:.4g}", value);
        out += "\n";
    }
    return out;
}

}  // namespace cmr::score
