#include "data/time_track.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/text/time.h"

namespace cmr::data {
namespace {

std::string show(double time_s) {
    return time_s > 365.0 * 86400 ? io::format_time(time_s) : fmt::format("{} s", time_s);
}

// What a step of `found_s` that should be `wanted_s` may be counted in.
std::string hint(double found_s, double wanted_s) {
    for (const auto& [unit, seconds] :
         {std::pair{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"excel-days\" or \"matlab-days", 86400.0}})
        if (std::abs(found_s * seconds - wanted_s) < 0.1 * wanted_s)
            return fmt::format("; if they are not seconds, say data.read.time_unit = \"{}\"", unit);
    return "";
}

}  // namespace

TimeTrack::TimeTrack(const recipe::Data& data, const recipe::Time& time)
    : data_(data),
      time_(time),
      used_(!time.column.empty()),
      step_s_(1.0 / data.rate_hz),
      max_step_s_(time.max_step_s > 0 ? time.max_step_s : 1.5 * step_s_) {}

void TimeTrack::cut(double time_s) {
    if (!segments_.empty()) segments_.back().end = samples_;
    segments_.push_back({.begin = samples_, .end = samples_, .start_s = time_s});
}

std::optional<int64_t> TimeTrack::advance(double time_s, const io::Table& table, int64_t line) {
    if (!std::isfinite(time_s)) throw InputError("{}: no time stamp in column '{}'", table.place(line), time_.column);
    int64_t missing = 0;
    const double step_s = time_s - last_s_;
    if (segments_.empty()) {
        cut(time_s);
    } else if (step_s == 0) {
        if (time_.repeated == "error")
            throw InputError(
                "{}: the time {} stands twice; data.time.repeated = \"keep-first\" would leave this row out",
                table.place(line), show(time_s));
        ++repeated_;
        return std::nullopt;
    } else if (step_s < 0) {
        if (time_.restarts == "error")
            throw InputError(
                "{}: the time goes back from {} to {}; data.time.restarts = \"segment\" would begin a new segment here",
                table.place(line), show(last_s_), show(time_s));
        cut(time_s);
    } else {
        if (first_steps_.size() < 999) first_steps_.push_back(step_s);
        if (step_s > max_step_s_) {
            const auto lost = std::llround(std::min(step_s / step_s_, 0x1p50)) - 1;
            if (data_.gaps == "error")
                throw InputError(
                    "{}: {} s between {} and {}, expected {} s; gaps = \"drop-window\" would cut the recording "
                    "here, \"interpolate\" would fill{}",
                    table.place(line), step_s, show(last_s_), show(time_s), step_s_, hint(step_s, step_s_));
            if (data_.gaps != "interpolate" || lost > data_.max_gap)
                cut(time_s);
            else if (!resampled())
                missing = std::max<int64_t>(lost, 0);
        }
    }
    last_s_ = time_s;
    samples_ += missing + 1;
    return missing;
}

std::vector<Segment> TimeTrack::finish(int64_t samples, const std::string& name) && {
    if (!used_) return {{.begin = 0, .end = samples, .start_s = 0}};
    CMR_ASSERT(samples == samples_, "every row has a time");
    if (first_steps_.size() >= 3 && !resampled()) {
        const auto middle = first_steps_.begin() + static_cast<int64_t>(first_steps_.size() / 2);
        std::nth_element(first_steps_.begin(), middle, first_steps_.end());
        if (std::abs(*middle - step_s_) > 0.1 * step_s_)
            throw InputError("{}: the rows are {} s apart, but rate_hz = {} means {} s{}", name, *middle, data_.rate_hz,
                             step_s_, hint(*middle, step_s_));
    }
    if (!segments_.empty()) segments_.back().end = samples;
    return std::move(segments_);
}

}  // namespace cmr::data
