#pragma once
// From moments in order of time to samples at the recipe's rate, by the rules that files are read by: a step in time
// that is too long begins a new segment, or is filled where the recipe says so; in the layout "cycles" each cycle is a
// segment.
//
// Readings of different channels belong to one row where they are less than half a sample apart. A row is whole when
// every channel of the data's rate is in it, or nothing for it can come any more. Channels of other rates are aligned
// to the rows.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "data/recording.h"
#include "monitor/aligner.h"
#include "monitor/reorder.h"
#include "recipe/recipe.h"

namespace cmr::monitor {

class Sampler {
  public:
    // Keeps the last `kept` samples. A channel that is silent keeps its value for `stale_s`; then it is absent. `ready`
    // is called whenever more samples of the segment are settled, and at its end.
    // InputError where no channel has the data's rate.
    Sampler(const recipe::Recipe& recipe, int64_t kept, double stale_s, std::function<void()> ready);

    void take(const Moment& moment);
    void advance(double watermark_s);  // nothing older comes any more
    void end();                        // the segment ends here

    int64_t channels() const { return channels_; }
    int64_t length() const { return length_; }    // samples so far
    int64_t settled() const { return settled_; }  // of them those that do not change any more
    int64_t oldest() const { return std::max<int64_t>(0, length_ - kept_); }  // that is still kept
    const std::vector<data::Segment>& segments() const { return segments_; }  // those that are still kept, in part
    double time_of(int64_t sample) const;                                     // as data::time_of
    float value(int64_t sample, int64_t channel) const { return ring_[(sample % kept_) * channels_ + channel]; }
    void copy(int64_t channel, int64_t begin, std::span<float> to) const;

    int64_t doubled() const { return doubled_; }
    int64_t late() const { return late_; }
    int64_t gaps() const { return gaps_; }

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        bytes(self.length_, self.settled_, self.doubled_, self.late_, self.gaps_, self.row_open_, self.row_,
              self.row_s_, self.cycle_at_, self.ended_, self.heard_s_, self.heard_, self.run_begin_, self.ring_,
              self.horizon_s_, self.known_);
        for (auto& each : self.aligned_) bytes(each.aligner);
        std::vector<int64_t> bounds;
        std::vector<double> starts;
        if constexpr (std::is_const_v<Self>)
            for (const data::Segment& segment : self.segments_) {
                bounds.insert(bounds.end(), {segment.begin, segment.end});
                starts.push_back(segment.start_s);
            }
        bytes(bounds, starts);
        if constexpr (!std::is_const_v<Self>) {
            self.segments_.clear();
            for (size_t i = 0; i < starts.size() && 2 * i + 1 < bounds.size(); ++i)
                self.segments_.push_back({bounds[2 * i], bounds[2 * i + 1], starts[i]});
        }
    }

  private:
    // A channel of another rate.
    struct Aligned {
        int64_t channel;
        Aligner aligner;
    };

    bool in_row(int64_t channel) const { return known_[channel] < 0; }
    void take_into_row(const Moment& moment);
    void align();
    void put(int64_t channel, int64_t sample, float value);
    void tell();
    void finish_row();
    void close_segment();
    void begin_segment(double time_s);
    void append(std::span<const float> values);

    const recipe::Recipe& recipe_;
    int64_t channels_, kept_;
    double stale_s_;
    double half_s_;      // half a sample
    int64_t per_cycle_;  // samples; 0: no cycles
    std::function<void()> ready_;

    std::vector<float> ring_;  // [kept, channels]
    std::vector<data::Segment> segments_;
    int64_t length_ = 0, settled_ = 0;
    int64_t doubled_ = 0, late_ = 0, gaps_ = 0;
    bool row_open_ = false;
    std::vector<float> absent_;                                // a row of nothing
    Moment row_;                                               // the one that is open
    double row_s_ = -std::numeric_limits<double>::infinity();  // time of the last whole one
    int64_t cycle_at_ = 0;                                     // samples of the cycle so far
    bool ended_ = true;                                        // the next row begins a segment
    std::vector<double> heard_s_;                              // per channel
    std::vector<float> heard_;                                 // the last value
    std::vector<int64_t> run_begin_;  // per channel: since when there are no values; -1: there is one
    std::vector<Aligned> aligned_;
    std::vector<int64_t> known_;  // per channel of another rate: samples that are aligned; of the others -1
    double horizon_s_ = -std::numeric_limits<double>::infinity();  // what is older has come
};

}  // namespace cmr::monitor
