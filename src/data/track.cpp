#include "data/track.h"

#include <algorithm>
#include <cmath>

namespace cmr::data {

void ValueTrack::add(double value) {
    ++samples_;
    if (std::isnan(value)) {
        ++absent_;
        flat_ = 0;
        return;
    }
    const auto present = static_cast<double>(samples_ - absent_);
    if (present == 1) least_ = most_ = value;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    flat_ = flat_ > 0 && value == last_ ? flat_ + 1 : 1;
    if (flat_lines_count_) longest_flat_ = std::max(longest_flat_, flat_);
    last_ = value;
    // Welford 1962
    const double step = value - mean_;
    mean_ += step / present;
    squares_ += step * (value - mean_);
}

ChannelFacts ValueTrack::facts() const {
    ChannelFacts out;
    out.samples = samples_;
    out.absent = absent_;
    out.least = least_;
    out.most = most_;
    out.mean = mean_;
    out.deviation = samples_ > absent_ ? std::sqrt(squares_ / static_cast<double>(samples_ - absent_)) : 0.0;
    out.longest_flat = longest_flat_;
    out.constant = samples_ > absent_ && least_ == most_;
    return out;
}

}  // namespace cmr::data
