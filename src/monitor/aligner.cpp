#include "monitor/aligner.h"

#include <algorithm>
#include <cmath>

namespace cmr::monitor {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

}  // namespace

Aligner::Aligner(double given_hz, double wanted_hz, const std::string& how, double stale_s)
    : given_hz_(given_hz),
      wanted_hz_(wanted_hz),
      stale_s_(stale_s),
      ratio_(data::ratio_of(given_hz, wanted_hz)),
      alignment_(ratio_, how) {}

int64_t Aligner::most_waiting() const { return 2 + static_cast<int64_t>(2 * wanted_hz_ / given_hz_); }

int64_t Aligner::index_of(double time_s) const { return std::llround((time_s - start_s_) * given_hz_); }

void Aligner::begin(double start_s) {
    start_s_ = start_s;
    reached_ = -1;
    old_begin_ = 0;
    old_.clear();
}

void Aligner::hear(double time_s, float value) {
    // Where no rows come, readings are of no use; some are kept for the row that does.
    const auto most = static_cast<size_t>(64 + 4 * given_hz_ / wanted_hz_);
    if (times_s_.size() >= most) {
        times_s_.erase(times_s_.begin());
        values_.erase(values_.begin());
    }
    times_s_.push_back(time_s);
    values_.push_back(value);
}

// Readings up to the old sample `last` find their places.
void Aligner::collect(int64_t last) {
    size_t used = 0;
    for (; used < times_s_.size() && index_of(times_s_[used]) <= last; ++used) {
        const int64_t at = index_of(times_s_[used]);
        if (at <= reached_) continue;  // of the segment before, or a second one for this place
        for (int64_t j = old_begin_ + std::ssize(old_); j < at; ++j) old_.push_back(old(j));
        if (at >= old_begin_) old_.push_back(values_[used]);
        reached_ = at;
        heard_s_ = times_s_[used];
        heard_ = values_[used];
    }
    if (used < times_s_.size()) reached_ = std::max(reached_, index_of(times_s_[used]) - 1);
    times_s_.erase(times_s_.begin(), times_s_.begin() + static_cast<int64_t>(used));
    values_.erase(values_.begin(), values_.begin() + static_cast<int64_t>(used));
}

float Aligner::old(int64_t j) const {
    const int64_t at = j - old_begin_;
    if (at >= 0 && at < std::ssize(old_)) return old_[at];
    const double silent_s = start_s_ + static_cast<double>(j) / given_hz_ - heard_s_;
    return silent_s <= stale_s_ ? heard_ : kAbsent;
}

float Aligner::made(int64_t i, int64_t count) {
    const float out = alignment_.sample(
        i, [&](int64_t j) { return old(j); }, count);
    const int64_t needed = alignment_.first(i + 1);
    old_.erase(old_.begin(), old_.begin() + std::clamp<int64_t>(needed - old_begin_, 0, std::ssize(old_)));
    old_begin_ = std::max(old_begin_, needed);
    return out;
}

std::optional<float> Aligner::sample(int64_t i, double horizon_s) {
    const int64_t last = alignment_.last(i);
    collect(last);
    const bool passed = horizon_s >= start_s_ + (static_cast<double>(last) + 0.5) / given_hz_;
    if (reached_ < last && !passed) return std::nullopt;
    return made(i, std::numeric_limits<int64_t>::max());
}

float Aligner::last_sample(int64_t i, int64_t samples) {
    const auto count =
        std::max<int64_t>(1, std::llround(static_cast<double>(samples) * static_cast<double>(ratio_.given) /
                                          static_cast<double>(ratio_.wanted)));
    collect(count - 1);
    return made(i, count);
}

}  // namespace cmr::monitor
