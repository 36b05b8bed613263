#pragma once
// Running facts about the values of one channel.

#include <span>

#include "data/inspect.h"

namespace cmr::data {

class ValueTrack {
  public:
    // A flat line does not go on from here; from here on, flat lines count or do not.
    void new_stretch(bool flat_lines_count) {
        flat_ = 0;
        flat_lines_count_ = flat_lines_count;
    }
    // NaN is an absent value.
    void add(double value);
    void add(std::span<const float> values) {
        for (const float value : values) add(value);
    }

    // Samples, absent values, range, mean, deviation, flat line, constancy.
    ChannelFacts facts() const;

  private:
    int64_t samples_ = 0, absent_ = 0, flat_ = 0, longest_flat_ = 0;
    bool flat_lines_count_ = true;
    double last_ = 0, least_ = 0, most_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace cmr::data
