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

}  // namespace

TimeTrack::TimeTrack(const recipe::Data& data)
    : data_(data),
      used_(!data.time.column.empty()),
      step_s_(1.0 / data.rate_hz),
      max_step_s_(data.time.max_step_s > 0 ? data.time.max_step_s : 1.5 * step_s_) {}

int64_t TimeTrack::advance(double time_s, const io::Table& table, int64_t line) {
    int64_t missing = 0;
    if (!std::isfinite(time_s))
        throw InputError("{}: no time stamp in column '{}'", table.place(line), data_.time.column);
    if (segments_.empty()) {
        segments_.push_back({.begin = 0, .end = 0, .start_s = time_s});
    } else {
        const double step_s = time_s - last_s_;
        if (step_s == 0) throw InputError("{}: the time {} stands twice", table.place(line), show(time_s));
        if (step_s < 0)
            throw InputError("{}: the time goes back from {} to {}", table.place(line), show(last_s_), show(time_s));
        if (first_steps_.size() < 999) first_steps_.push_back(step_s);
        if (step_s > max_step_s_) {
            const auto lost = std::llround(std::min(step_s / step_s_, 0x1p50)) - 1;
            if (data_.gaps == "error")
                throw InputError(
                    "{}: {} s between {} and {}, expected {} s; gaps = \"drop-window\" would cut the recording "
                    "here, \"interpolate\" would fill",
                    table.place(line), step_s, show(last_s_), show(time_s), step_s_);
            if (data_.gaps == "interpolate" && lost <= data_.max_gap) {
                missing = std::max<int64_t>(lost, 0);
            } else {
                segments_.back().end = samples_;
                segments_.push_back({.begin = samples_, .end = samples_, .start_s = time_s});
            }
        }
    }
    last_s_ = time_s;
    samples_ += missing + 1;
    return missing;
}

std::vector<Segment> TimeTrack::finish(int64_t samples, const std::string& name) && {
    if (!used_) return {{.begin = 0, .end = samples, .start_s = 0}};
    CMR_ASSERT(samples == samples_, "every row has a time");
    if (first_steps_.size() >= 3) {
        const auto middle = first_steps_.begin() + static_cast<int64_t>(first_steps_.size() / 2);
        std::nth_element(first_steps_.begin(), middle, first_steps_.end());
        if (std::abs(*middle - step_s_) > 0.1 * step_s_)
            throw InputError("{}: the rows are {} s apart, but rate_hz = {} means {} s", name, *middle, data_.rate_hz,
                             step_s_);
    }
    if (!segments_.empty()) segments_.back().end = samples;
    return std::move(segments_);
}

}  // namespace cmr::data
