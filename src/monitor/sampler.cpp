#include "monitor/sampler.h"

#include <cmath>

#include "base/error.h"
#include "data/gaps.h"
#include "data/time_step.h"

namespace cmr::monitor {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

Sampler::Sampler(const recipe::Recipe& recipe, int64_t channels, int64_t kept, double stale_s,
                 std::function<void()> ready)
    : recipe_(recipe),
      channels_(channels),
      kept_(kept),
      stale_s_(stale_s),
      half_s_(0.5 / recipe.data.rate_hz),
      per_cycle_(recipe.data.layout == "cycles" ? std::llround(recipe.data.rate_hz * recipe.data.cycle_s) : 0),
      ready_(std::move(ready)),
      ring_(static_cast<size_t>(kept * channels)),
      absent_(static_cast<size_t>(channels), kAbsent),
      row_{0, absent_, std::vector<uint8_t>(channels)},
      heard_s_(static_cast<size_t>(channels), kNever),
      heard_(absent_),
      run_begin_(static_cast<size_t>(channels), -1) {}

void Sampler::take(const Moment& moment) {
    int64_t fresh = 0;
    bool taken = false;  // is one of them in the open row already?
    for (int64_t c = 0; c < channels_; ++c) {
        if (!moment.present[c]) continue;
        if (heard_s_[c] == moment.time_s) {
            ++doubled_;
            continue;
        }
        ++fresh;
        taken |= row_.present[c] != 0;
    }
    if (fresh == 0) return;
    if (moment.time_s <= row_s_) {  // of a row that end() has finished
        late_ += fresh;
        return;
    }
    if (row_open_ && (taken || moment.time_s >= row_.time_s + half_s_)) finish_row();
    if (!row_open_) {
        row_open_ = true;
        row_.time_s = moment.time_s;
    }
    bool whole = true;
    for (int64_t c = 0; c < channels_; ++c) {
        if (moment.present[c] && heard_s_[c] != moment.time_s) {
            row_.present[c] = 1;
            row_.values[c] = heard_[c] = moment.values[c];
            heard_s_[c] = moment.time_s;
        }
        whole &= row_.present[c] != 0;
    }
    if (whole) finish_row();
}

void Sampler::advance(double watermark_s) {
    if (row_open_ && watermark_s >= row_.time_s + half_s_) finish_row();
}

void Sampler::end() {
    if (row_open_) finish_row();
    close_segment();
}

void Sampler::finish_row() {
    for (int64_t c = 0; c < channels_; ++c)
        if (!row_.present[c]) row_.values[c] = row_.time_s - heard_s_[c] <= stale_s_ ? heard_[c] : kAbsent;
    data::TimeStep step;
    if (row_s_ != kNever) step = data::time_step(row_.time_s - row_s_, recipe_.data, recipe_.data.time);
    bool cut = ended_ || step.cuts;
    gaps_ += step.cuts;
    if (per_cycle_ > 0) {
        cycle_at_ += step.missing;
        cut |= cycle_at_ >= per_cycle_;
        cycle_at_ = cycle_at_ % per_cycle_ + 1;
    }
    if (cut) {
        close_segment();
        begin_segment(row_.time_s);
    } else {
        for (int64_t i = 0; i < step.missing; ++i) append(absent_);
    }
    append(row_.values);
    row_s_ = row_.time_s;
    row_open_ = false;
    std::ranges::fill(row_.present, uint8_t{0});
    std::ranges::fill(row_.values, kAbsent);
    settle();
    ready_();
}

void Sampler::close_segment() {
    if (ended_) return;
    settled_ = length_;
    ready_();
    ended_ = true;
}

void Sampler::begin_segment(double time_s) {
    std::erase_if(segments_, [&](const data::Segment& segment) { return segment.end <= oldest(); });
    segments_.push_back({.begin = length_, .end = length_, .start_s = time_s});
    std::ranges::fill(run_begin_, -1);
    ended_ = false;
}

void Sampler::append(std::span<const float> values) {
    std::ranges::copy(values, ring_.begin() + (length_ % kept_) * channels_);
    if (recipe_.data.max_gap > 0)
        for (int64_t c = 0; c < channels_; ++c) {
            int64_t& begin = run_begin_[c];
            if (std::isnan(values[c])) {
                if (begin < 0) begin = length_;
                continue;
            }
            const int64_t gap = length_ - begin;
            if (begin > segments_.back().begin && gap <= recipe_.data.max_gap)
                for (int64_t i = 0; i < gap; ++i)
                    ring_[((begin + i) % kept_) * channels_ + c] =
                        data::on_line(value(begin - 1, c), values[c], i, gap);
            begin = -1;
        }
    segments_.back().end = ++length_;
}

// A run of absent values may still be filled as long as it is short.
void Sampler::settle() {
    settled_ = length_;
    if (recipe_.data.max_gap == 0) return;
    for (const int64_t begin : run_begin_)
        if (begin > segments_.back().begin && length_ - begin <= recipe_.data.max_gap)
            settled_ = std::min(settled_, begin);
}

double Sampler::time_of(int64_t sample) const {
    const auto after = std::ranges::upper_bound(segments_, sample, {}, &data::Segment::begin);
    CMR_ASSERT(after != segments_.begin(), "a sample that is still kept");
    const data::Segment& segment = *(after - 1);
    return segment.start_s + static_cast<double>(sample - segment.begin) / recipe_.data.rate_hz;
}

void Sampler::copy(int64_t channel, int64_t begin, std::span<float> to) const {
    CMR_ASSERT(begin >= oldest() && begin + std::ssize(to) <= length_, "samples that are still kept");
    for (size_t i = 0; i < to.size(); ++i) to[i] = value(begin + static_cast<int64_t>(i), channel);
}

}  // namespace cmr::monitor
