#include "data/resample.h"

#include <cmath>
#include <limits>

#include "data/labels.h"

namespace cmr::data {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kSame = 1e-3;  // of a step: a clock's last digit, or the rounding of a double since 1970

struct Point {
    double at = 0;  // in steps from the first sample
    double value = 0;
};

std::vector<Point> present_points(std::span<const double> times_s, std::span<const float> values, double start_s,
                                  double rate_hz) {
    std::vector<Point> out;
    for (size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) out.push_back({(times_s[i] - start_s) * rate_hz, values[i]});
    return out;
}

std::vector<float> means(const std::vector<Point>& points, int64_t count) {
    std::vector<double> sums(static_cast<size_t>(count));
    std::vector<int64_t> counts(static_cast<size_t>(count));
    for (const Point& point : points) {
        const double bin = std::floor(point.at + kSame);
        if (bin < 0 || bin >= static_cast<double>(count)) continue;
        sums[static_cast<size_t>(bin)] += point.value;
        ++counts[static_cast<size_t>(bin)];
    }
    std::vector<float> out(static_cast<size_t>(count), kAbsent);
    for (size_t i = 0; i < out.size(); ++i)
        if (counts[i] > 0) out[i] = static_cast<float>(sums[i] / static_cast<double>(counts[i]));
    return out;
}

}  // namespace

std::vector<float> resample(std::span<const double> times_s, std::span<const float> values, double start_s,
                            int64_t count, double rate_hz, const recipe::Time& time) {
    const std::vector<Point> points = present_points(times_s, values, start_s, rate_hz);
    if (time.resample == "mean") return means(points, count);
    const bool linear = time.resample == "linear";
    const double longest = time.max_step_s * rate_hz + kSame;
    std::vector<float> out(static_cast<size_t>(count), kAbsent);
    size_t next = 0;  // the first point behind the sample
    for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<double>(i);
        while (next < points.size() && points[next].at <= at + kSame) ++next;
        if (next == 0) continue;
        const Point& before = points[next - 1];
        const double age = at - before.at;
        float& sample = out[static_cast<size_t>(i)];
        if (age <= kSame || (!linear && age <= longest)) {
            sample = static_cast<float>(before.value);
        } else if (linear && next < points.size() && points[next].at - before.at <= longest) {
            const double share = age / (points[next].at - before.at);
            sample = static_cast<float>(before.value * (1 - share) + points[next].value * share);
        }
    }
    return out;
}

void resample(Recording& recording, std::span<const double> times_s, const recipe::Time& time, double rate_hz) {
    std::vector<Samples> channels;
    for (const Samples& channel : recording.channels) channels.emplace_back(channel.storage());
    std::vector<Segment> segments;
    std::vector<Span> spans;
    auto span = recording.spans.begin();
    for (const Segment& rows : recording.segments) {
        const auto times = times_s.subspan(rows.begin, rows.end - rows.begin);
        const auto count = static_cast<int64_t>((times.back() - times.front()) * rate_hz + kSame) + 1;
        for (size_t c = 0; c < channels.size(); ++c)
            channels[c].append(resample(times, recording.channels[c].values().subspan(rows.begin, times.size()),
                                        times.front(), count, rate_hz, time));
        int64_t row = rows.begin;  // the last one that is not behind the sample
        for (int64_t i = 0; i < count; ++i) {
            while (row + 1 < rows.end && (times_s[row + 1] - times.front()) * rate_hz <= static_cast<double>(i) + kSame)
                ++row;
            while (span->end <= row) ++span;
            append_span(spans, 1, span->state, span->stratum);
        }
        const int64_t begin = segments.empty() ? 0 : segments.back().end;
        segments.push_back({.begin = begin, .end = begin + count, .start_s = times.front()});
    }
    recording.channels = std::move(channels);
    recording.segments = std::move(segments);
    recording.spans = std::move(spans);
}

}  // namespace cmr::data
