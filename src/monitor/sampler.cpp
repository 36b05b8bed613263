#include "monitor/sampler.h"

#include <cmath>

#include "base/error.h"
#include "data/channels.h"
#include "data/gaps.h"
#include "data/time_step.h"

namespace cmr::monitor {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

Sampler::Sampler(const recipe::Recipe& recipe, int64_t kept, double stale_s, std::function<void()> ready)
    : recipe_(recipe),
      channels_(std::ssize(data::source_channels(recipe))),
      kept_(kept),
      stale_s_(stale_s),
      half_s_(0.5 / recipe.data.rate_hz),
      per_cycle_(recipe.data.layout == "cycles" ? std::llround(recipe.data.rate_hz * recipe.data.cycle_s) : 0),
      ready_(std::move(ready)),
      absent_(static_cast<size_t>(channels_), kAbsent),
      row_{0, absent_, std::vector<uint8_t>(channels_)},
      heard_s_(static_cast<size_t>(channels_), kNever),
      heard_(absent_),
      run_begin_(static_cast<size_t>(channels_), -1),
      known_(static_cast<size_t>(channels_), -1) {
    const auto sources = data::source_channels(recipe);
    for (int64_t c = 0; c < channels_; ++c) {
        if (sources[c].rate_hz == recipe.data.rate_hz) continue;
        aligned_.push_back({c, Aligner(sources[c].rate_hz, recipe.data.rate_hz, sources[c].align, stale_s)});
        kept_ = std::max(kept_, kept + aligned_.back().aligner.most_waiting());
        known_[c] = 0;
    }
    if (std::ssize(aligned_) == channels_)
        throw InputError("{}: no channel has the data's rate of {} Hz", recipe.name, recipe.data.rate_hz);
    ring_.resize(static_cast<size_t>(kept_ * channels_));
}

void Sampler::take(const Moment& moment) {
    horizon_s_ = std::max(horizon_s_, moment.time_s);
    take_into_row(moment);
    if (aligned_.empty()) return;
    for (Aligned& each : aligned_) {
        const int64_t c = each.channel;
        // In a row of all channels one of another rate says nothing most of the time.
        if (!moment.present[c] || std::isnan(moment.values[c])) continue;
        if (heard_s_[c] == moment.time_s) {
            ++doubled_;
            continue;
        }
        heard_s_[c] = moment.time_s;
        each.aligner.hear(moment.time_s, moment.values[c]);
    }
    align();
    tell();
}

void Sampler::take_into_row(const Moment& moment) {
    int64_t fresh = 0;
    bool taken = false;  // is one of them in the open row already?
    for (int64_t c = 0; c < channels_; ++c) {
        if (!moment.present[c] || !in_row(c)) continue;
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
        if (!in_row(c)) continue;
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
    horizon_s_ = std::max(horizon_s_, watermark_s);
    if (row_open_ && watermark_s >= row_.time_s + half_s_) finish_row();
    if (aligned_.empty()) return;
    align();
    tell();
}

void Sampler::end() {
    if (row_open_) finish_row();
    close_segment();
}

void Sampler::finish_row() {
    for (int64_t c = 0; c < channels_; ++c)
        if (!row_.present[c] && in_row(c)) row_.values[c] = row_.time_s - heard_s_[c] <= stale_s_ ? heard_[c] : kAbsent;
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
    align();
    tell();
}

void Sampler::close_segment() {
    if (ended_) return;
    const data::Segment& segment = segments_.back();
    for (Aligned& each : aligned_)
        for (int64_t& known = known_[each.channel]; known < length_; ++known)
            put(each.channel, known, each.aligner.last_sample(known - segment.begin, segment.end - segment.begin));
    ended_ = true;
    settled_ = length_;
    ready_();
}

void Sampler::begin_segment(double time_s) {
    std::erase_if(segments_, [&](const data::Segment& segment) { return segment.end <= oldest(); });
    segments_.push_back({.begin = length_, .end = length_, .start_s = time_s});
    std::ranges::fill(run_begin_, -1);
    for (Aligned& each : aligned_) each.aligner.begin(time_s);
    ended_ = false;
}

void Sampler::append(std::span<const float> values) {
    std::ranges::copy(values, ring_.begin() + (length_ % kept_) * channels_);
    if (recipe_.data.max_gap > 0)
        for (int64_t c = 0; c < channels_; ++c)
            if (in_row(c)) put(c, length_, values[c]);
    segments_.back().end = ++length_;
}

// Samples of channels of other rates, as far as they can be told.
void Sampler::align() {
    if (ended_) return;
    const int64_t begin = segments_.back().begin;
    for (Aligned& each : aligned_)
        for (int64_t& known = known_[each.channel]; known < length_; ++known) {
            const std::optional<float> value = each.aligner.sample(known - begin, horizon_s_);
            if (!value) break;
            put(each.channel, known, *value);
        }
}

// The next sample of a channel. A short run of absent ones before it is filled.
void Sampler::put(int64_t channel, int64_t sample, float value) {
    const auto at = [&](int64_t i) -> float& { return ring_[(i % kept_) * channels_ + channel]; };
    at(sample) = value;
    int64_t& begin = run_begin_[channel];
    if (std::isnan(value)) {
        if (begin < 0) begin = sample;
        return;
    }
    const int64_t gap = sample - begin;
    if (begin > segments_.back().begin && gap <= recipe_.data.max_gap)
        for (int64_t i = 0; i < gap; ++i) at(begin + i) = data::on_line(at(begin - 1), value, i, gap);
    begin = -1;
}

// A sample is settled where it is aligned, and in no run of absent ones that may still be filled.
void Sampler::tell() {
    if (ended_) return;
    settled_ = length_;
    for (const Aligned& each : aligned_) settled_ = std::min(settled_, known_[each.channel]);
    if (recipe_.data.max_gap > 0)
        for (int64_t c = 0; c < channels_; ++c) {
            const int64_t begin = run_begin_[c], end = in_row(c) ? length_ : known_[c];
            if (begin > segments_.back().begin && end - begin <= recipe_.data.max_gap)
                settled_ = std::min(settled_, begin);
        }
    ready_();
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
