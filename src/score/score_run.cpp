#include "score/score_run.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/parallel.h"
#include "data/fingerprint.h"
#include "score/course.h"
#include "score/explain/range.h"
#include "score/file/score_row.h"

namespace cmr::score {

namespace {

std::vector<data::Window> cut_windows(const data::Dataset& dataset, const recipe::Window& shape, int64_t stride,
                                      data::Absent absent, int64_t& left_out) {
    std::vector<data::Window> out;
    data::Dropped dropped;
    for (size_t i = 0; i < dataset.recordings.size(); ++i) {
        const data::Recording& recording = dataset.recordings[i];
        if (dataset.parts[recording.part].role == "unused") continue;
        data::cut_windows(dataset, static_cast<int32_t>(i), shape, stride, out, &dropped, absent);
        left_out += data::windows_in_gaps(recording, dataset.rate_hz, shape.length, stride);
    }
    left_out += dropped.absent;
    if (out.empty()) throw InputError("{}: no window of {} samples without gaps", dataset.name, shape.length);
    return out;
}

std::vector<Sickness> sensors_of(const Detector& detector, const data::Dataset& dataset, const data::Window& window) {
    std::vector<Sickness> out;
    for (const data::Samples& channel : dataset.recordings[window.recording].channels)
        out.push_back(detector.health.judge(std::ssize(out),
                                            channel.values().subspan(window.begin, detector.recipe.window.length)));
    return out;
}

}  // namespace

ScoreRun run(const Detector& detector, const data::Dataset& dataset, int64_t stride, EmbeddingCapture* capture) {
    const auto start = std::chrono::steady_clock::now();
    const recipe::Window& shape = detector.recipe.window;
    if (stride == 0) stride = shape.stride;
    ScoreRun out;
    const bool is_new = std::ranges::any_of(dataset.parts, [](const auto& part) { return part.role == "new"; });
    const std::vector<data::Window> windows =
        cut_windows(dataset, shape, stride, is_new ? data::Absent::kKeep : data::Absent::kDrop, out.left_out);
    Scores scores = detector.pipeline.score(dataset, windows, capture);
    const bool known = !is_new && data::fingerprint(dataset) == detector.provenance.fingerprint;
    const data::FoldSides sides(detector.fold, shape.length);
    out.windows.resize(windows.size());
    parallel_for(std::ssize(windows),
                 [&](int64_t i) { out.windows[i].sensors = sensors_of(detector, dataset, windows[i]); });
    const std::vector<float> combined = scores.column("combined");
    std::vector<float> slow, both;
    for (size_t first = 0; first < windows.size();) {
        // One recording: alarms do not go on from one to the next.
        size_t last = first;
        Course course(detector, stride);
        std::vector<double> times, levels;  // of those that were judged
        std::vector<int32_t> segments;
        int32_t segment = 0;
        const data::Recording& recording = dataset.recordings[windows[first].recording];
        for (; last < windows.size() && windows[last].recording == windows[first].recording; ++last) {
            const data::Window& w = windows[last];
            ScoredWindow& scored = out.windows[last];
            scored.window = w;
            scored.split = known ? sides.side(w) : "new";
            scored.start_s = data::time_of(recording, w.begin, dataset.rate_hz);
            scored.end_s = data::end_of(dataset, w, shape.length);
            const CourseStep step = course.next(w.begin, scored.start_s, scored.end_s, combined[last]);
            scored.judged = step.judged;
            scored.p_value = step.p_value;
            scored.level = step.level;
            scored.alarm = step.alarm;
            scored.outside_range = outside_range(detector, scores.cause_levels[last], [&](int64_t c) {
                return recording.channels[c].values().subspan(w.begin, shape.length);
            });
            slow.push_back(step.slow);
            both.push_back(step.both);
            if (!step.goes_on) ++segment;
            if (!step.judged) continue;
            times.push_back(scored.end_s);
            levels.push_back(step.level);
            segments.push_back(segment);
        }
        const Alarms alarms = find_alarms(detector.alarm.rule, times, levels, segments, course.period_s());
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
    std::string out = score_header(run.scores.names, run.scores.channels);
    for (size_t i = 0; i < run.windows.size(); ++i) {
        const ScoredWindow& w = run.windows[i];
        const data::Recording& recording = dataset.recordings[w.window.recording];
        const std::string sensors = to_text(w.sensors, dataset.channels);
        out +=
            to_csv(ScoreRow{.recording = recording.name,
                            .first = w.window.begin,
                            .dated = recording.dated,
                            .start_s = w.start_s,
                            .end_s = w.end_s,
                            .state = w.judged ? data::name(w.window.state) : kUnjudged,
                            .stratum = w.window.stratum >= 0 ? std::string_view(dataset.strata[w.window.stratum]) : "",
                            .event = w.window.event >= 0 ? std::string_view(dataset.events[w.window.event].name) : "",
                            .split = w.split,
                            .scores = run.scores.values.row(static_cast<int64_t>(i)),
                            .p_value = w.p_value,
                            .level = w.level,
                            .alarm = w.alarm,
                            .outside_range = w.outside_range,
                            .sensors = sensors,
                            .residuals = run.scores.residuals.row(static_cast<int64_t>(i))});
    }
    return out;
}

}  // namespace cmr::score
