#include "data/windows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace cmr::data {
namespace {

// Where any channel has no value.
std::vector<int64_t> absent_samples(const Recording& recording) {
    std::vector<int64_t> out;
    if (recording.absent == 0) return out;
    for (const Samples& channel : recording.channels) {
        const auto values = channel.values();
        for (size_t i = 0; i < values.size(); ++i)
            if (std::isnan(values[i])) out.push_back(static_cast<int64_t>(i));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

void cut_windows(const Dataset& dataset, int32_t index, const recipe::Window& shape, int64_t stride,
                 std::vector<Window>& out, Dropped* dropped, Absent policy) {
    const Recording& recording = dataset.recordings[index];
    const std::vector<int64_t> absent = policy == Absent::kDrop ? absent_samples(recording) : std::vector<int64_t>();
    auto span = recording.spans.begin();
    for (const Segment& segment : recording.segments)
        for (int64_t begin = segment.begin; begin + shape.length <= segment.end; begin += stride) {
            const int64_t end = begin + shape.length;
            while (span->end <= begin) ++span;
            int64_t faulty = 0;
            bool excluded = false;
            Window window{.recording = index, .begin = begin};
            for (auto s = span; s != recording.spans.end() && s->begin < end; ++s) {
                if (s->state == State::kExcluded) excluded = true;
                if (s->state == State::kUnknown) window.state = State::kUnknown;
                if (s->state != State::kFaulty) continue;
                if (faulty == 0) {
                    window.stratum = s->stratum;
                    window.event = s->event;
                }
                faulty += std::min(s->end, end) - std::max(s->begin, begin);
            }
            const auto hole = std::ranges::lower_bound(absent, begin);
            const bool has_hole = hole != absent.end() && *hole < end;
            if (excluded || has_hole) {
                if (dropped) ++(excluded ? dropped->excluded : dropped->absent);
                continue;
            }
            if (static_cast<double>(faulty) > shape.faulty_fraction * static_cast<double>(shape.length)) {
                window.state = State::kFaulty;
            } else if (faulty > 0) {
                continue;  // neither healthy nor faulty enough
            }
            out.push_back(window);
        }
}

int64_t windows_in_gaps(const Recording& recording, double rate_hz, int64_t length, int64_t stride) {
    const auto whole = [&](int64_t samples) { return samples < length ? 0 : (samples - length) / stride + 1; };
    const auto samples_of = [](const Segment& segment) { return segment.end - segment.begin; };
    // Samples from the end of a segment to the next one. Where none is missing, they are cycles, each at its place; or
    // rows come at uneven steps, some of which are too long.
    std::vector<double> later;
    for (size_t i = 1; i < recording.segments.size(); ++i) {
        const Segment &before = recording.segments[i - 1], &after = recording.segments[i];
        later.push_back((after.start_s - before.start_s) * rate_hz - static_cast<double>(samples_of(before)));
    }
    const bool uneven =
        std::ranges::any_of(later, [](double steps) { return std::llround(steps) == 0 && std::abs(steps) > 1e-3; });
    int64_t out = 0, joined = 0, pieces = 0;  // samples of segments between which none is missing, and their windows
    for (size_t i = 0; i < recording.segments.size(); ++i) {
        const int64_t known = samples_of(recording.segments[i]);
        const bool last = i == later.size();
        const auto missing = last ? 0 : std::llround(later[i]);
        joined += known;
        pieces += whole(known);
        if (!last && missing == 0 && uneven) continue;
        out += whole(joined) - pieces;
        joined = pieces = 0;
        if (missing > 0) out += (known + missing + stride - 1) / stride - whole(known);
    }
    return out;
}

bool is_consecutive(int64_t samples, double seconds, int64_t stride, double rate_hz) {
    return samples == stride && std::abs(seconds * rate_hz - static_cast<double>(stride)) < 0.5;
}

bool is_consecutive(const Dataset& dataset, const Window& before, const Window& window, int64_t stride) {
    if (before.recording != window.recording) return false;
    const Recording& recording = dataset.recordings[window.recording];
    const double step_s =
        time_of(recording, window.begin, dataset.rate_hz) - time_of(recording, before.begin, dataset.rate_hz);
    return is_consecutive(window.begin - before.begin, step_s, stride, dataset.rate_hz);
}

double end_of(const Dataset& dataset, const Window& window, int64_t length) {
    const Recording& recording = dataset.recordings[window.recording];
    return time_of(recording, window.begin + length - 1, dataset.rate_hz) + 1 / dataset.rate_hz;
}

std::vector<SampleRange> covered(std::vector<Window> windows, int64_t length) {
    std::ranges::sort(windows);
    std::vector<SampleRange> out;
    for (const Window& window : windows) {
        const int64_t end = window.begin + length;
        if (!out.empty() && out.back().recording == window.recording && window.begin <= out.back().end)
            out.back().end = std::max(out.back().end, end);
        else
            out.push_back({window.recording, window.begin, end});
    }
    return out;
}

bool is_inside(const std::vector<SampleRange>& ranges, const Window& window, int64_t length) {
    const SampleRange latest{window.recording, window.begin, std::numeric_limits<int64_t>::max()};
    const auto after = std::ranges::upper_bound(ranges, latest);
    if (after == ranges.begin()) return false;
    const SampleRange& range = *std::prev(after);
    return range.recording == window.recording && window.begin + length <= range.end;
}

}  // namespace cmr::data
