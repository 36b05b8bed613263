#include "monitor/reorder.h"

#include <algorithm>
#include <numeric>

namespace cmr::monitor {

bool Reorder::put(double time_s, int64_t channel, float value) {
    Moment& moment = at(time_s);
    if (moment.present[channel]) return false;
    moment.present[channel] = 1;
    moment.values[channel] = value;
    latest_s_ = std::max(latest_s_, time_s);
    watermark_s_ = std::max(watermark_s_, latest_s_ - lateness_s_);
    return true;
}

Moment& Reorder::at(double time_s) {
    const auto waiting = order_.begin() + static_cast<int64_t>(first_);
    const auto time_of = [&](size_t index) { return moments_[index].time_s; };
    const auto place = std::ranges::lower_bound(waiting, order_.end(), time_s, {}, time_of);
    if (place != order_.end() && time_of(*place) == time_s) return moments_[*place];
    if (free_.empty()) {
        free_.push_back(moments_.size());
        moments_.push_back({0, std::vector<float>(channels_), std::vector<uint8_t>(channels_)});
    }
    const size_t index = free_.back();
    free_.pop_back();
    order_.insert(place, index);
    moments_[index].time_s = time_s;
    std::ranges::fill(moments_[index].present, uint8_t{0});
    return moments_[index];
}

void Reorder::forget_released() {
    if (2 * first_ < order_.size()) return;
    order_.erase(order_.begin(), order_.begin() + static_cast<int64_t>(first_));
    first_ = 0;
}

std::vector<Moment> Reorder::waiting() const {
    std::vector<Moment> out;
    for (size_t i = first_; i < order_.size(); ++i) {
        Moment& moment = out.emplace_back(moments_[order_[i]]);
        for (int64_t c = 0; c < channels_; ++c)
            if (!moment.present[c]) moment.values[c] = 0;  // left over from an earlier use
    }
    return out;
}

void Reorder::wait_with(std::vector<Moment> waiting) {
    moments_ = std::move(waiting);
    free_.clear();
    order_.resize(moments_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    first_ = 0;
}

}  // namespace cmr::monitor
