#include "data/time_track.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/quantile.h"
#include "data/time_step.h"
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
    : data_(data), time_(time), used_(!time.column.empty()), step_s_(1.0 / data.rate_hz) {}

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
        if (first_steps_.size() < kEnoughSteps) first_steps_.push_back(step_s);
        if (const TimeStep step = time_step(step_s, data_, time_); step.gap) {
            if (data_.gaps == "error")
                throw InputError(
                    "{}: {} s between {} and {}, expected {} s; gaps = \"drop-window\" would cut the recording "
                    "here, \"interpolate\" would fill{}",
                    table.place(line), step_s, show(last_s_), show(time_s), step_s_, hint(step_s, step_s_));
            if (step.cuts)
                cut(time_s);
            else if (!resampled())
                missing = step.missing;
        }
    }
    last_s_ = time_s;
    samples_ += missing + 1;
    return missing;
}

std::vector<Segment> TimeTrack::finish(int64_t samples, const std::string& name) && {
    if (!used_) return {{.begin = 0, .end = samples, .start_s = 0}};
    CMR_ASSERT(samples == samples_, "every row has a time");
    if (!resampled()) refuse_other_rate(std::move(first_steps_), data_, name);
    if (!segments_.empty()) segments_.back().end = samples;
    return std::move(segments_);
}

void refuse_other_rate(std::vector<double> steps_s, const recipe::Data& data, const std::string& name) {
    if (steps_s.size() < 3) return;
    const double wanted_s = 1.0 / data.rate_hz;
    const double step_s = median_of(std::move(steps_s));
    if (std::abs(step_s - wanted_s) > 0.1 * wanted_s)
        throw InputError("{}: the rows are {} s apart, but rate_hz = {} means {} s{}", name, step_s, data.rate_hz,
                         wanted_s, hint(step_s, wanted_s));
}

}  // namespace cmr::data
