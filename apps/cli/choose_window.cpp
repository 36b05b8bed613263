#include "choose_window.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"
#include "data_to_score.h"
#include "io/text/time.h"

namespace cmr::cli {
namespace {

using score::ScoredWindow;

// Consecutive windows of the run.
struct WindowRange {
    int64_t first = 0, last = 0;  // last: one behind
};

// The windows of each recording; of one only where it is named.
std::vector<WindowRange> by_recording(const score::ScoreRun& run, const data::Dataset& dataset,
                                      const std::string& recording) {
    std::vector<WindowRange> out;
    std::vector<std::string> names;
    for (int64_t first = 0, last = 0; first < std::ssize(run.windows); first = last) {
        const int32_t index = run.windows[first].window.recording;
        while (last < std::ssize(run.windows) && run.windows[last].window.recording == index) ++last;
        names.push_back(dataset.recordings[index].name);
        if (recording.empty() || recording == names.back()) out.push_back({first, last});
    }
    if (!out.empty()) return out;
    const auto hint = suggest(recording, names);
    throw InputError("--recording {}: no window of such a file was scored; {} {}", recording,
                     hint ? "the nearest is" : "there is", hint ? *hint : names.front());
}

// Windows that could not be judged come last.
bool is_lower(const ScoredWindow& a, const ScoredWindow& b) {
    return a.judged && b.judged ? a.level < b.level : !a.judged && b.judged;
}

int64_t highest(const score::ScoreRun& run, WindowRange range) {
    return std::max_element(run.windows.begin() + range.first, run.windows.begin() + range.last, is_lower) -
           run.windows.begin();
}

int64_t first_alarm(const score::ScoreRun& run, const std::vector<WindowRange>& recordings) {
    for (const WindowRange& range : recordings) {
        const auto end = run.windows.begin() + range.last;
        const auto first = std::find_if(run.windows.begin() + range.first, end, [](const auto& w) { return w.alarm; });
        if (first == end) continue;
        const auto last = std::find_if(first, end, [](const auto& w) { return !w.alarm; });
        return highest(run, {first - run.windows.begin(), last - run.windows.begin()});
    }
    return highest(run, {recordings.front().first, recordings.back().last});
}

// The best window of a recording; -1 where none holds the moment.
int64_t window_at(const score::ScoreRun& run, WindowRange range, double time_s, double period_s) {
    int64_t best = -1;
    for (int64_t i = range.first; i < range.last; ++i) {
        const ScoredWindow& w = run.windows[i];
        if (time_s < w.start_s || time_s > w.end_s + period_s) continue;
        if (best < 0 || std::abs(w.end_s - time_s) < std::abs(run.windows[best].end_s - time_s)) best = i;
    }
    return best;
}

std::string describe_range(const score::ScoreRun& run, const data::Dataset& dataset, WindowRange range, double time_s) {
    const ScoredWindow &first = run.windows[range.first], &last = run.windows[range.last - 1];
    const data::Recording& recording = dataset.recordings[first.window.recording];
    return fmt::format("{} has windows from {} to {}{}", recording.name, moment_text(recording, first.start_s),
                       moment_text(recording, last.end_s),
                       first.start_s <= time_s && time_s <= last.end_s ? ", with a gap there" : "");
}

}  // namespace

int64_t choose_window(const score::ScoreRun& run, const data::Dataset& dataset, double period_s, const std::string& at,
                      const std::string& recording) {
    const std::vector<WindowRange> recordings = by_recording(run, dataset, recording);
    if (at.empty()) return first_alarm(run, recordings);
    const auto time = io::parse_time(at, io::DateOrder::kUnknown);
    if (!time) throw InputError("--at {}: expected a time such as 2026-03-01 14:32:00, or seconds", at);
    std::vector<int64_t> found;
    std::vector<std::string> names, ranges;
    for (const WindowRange& range : recordings) {
        if (const int64_t window = window_at(run, range, *time, period_s); window >= 0) {
            found.push_back(window);
            names.push_back(dataset.recordings[run.windows[window].window.recording].name);
        }
        ranges.push_back(describe_range(run, dataset, range, *time));
    }
    constexpr size_t kMost = 5;
    const auto list = [&](std::vector<std::string> texts) {
        const size_t more = texts.size() - std::min(texts.size(), kMost);
        texts.resize(texts.size() - more);
        return fmt::format("{}{}", fmt::join(texts, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
    };
    if (found.empty()) throw InputError("--at {}: no window there; {}", at, list(ranges));
    if (found.size() > 1) throw InputError("--at {}: in several recordings, say --recording: {}", at, list(names));
    return found.front();
}

}  // namespace cmr::cli
