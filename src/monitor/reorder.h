#pragma once
// Readings put in the order of their own time. The watermark stands `lateness_s` behind the latest time that was seen:
// what is older than the watermark comes too late, what is as old goes on, what is younger waits.

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace cmr::monitor {

// What is known of one moment.
struct Moment {
    double time_s = 0;
    std::vector<float> values;     // per channel; NaN: absent
    std::vector<uint8_t> present;  // per channel: was something said of it?

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        bytes(self.time_s, self.values, self.present);
    }
};

class Reorder {
  public:
    Reorder(int64_t channels, double lateness_s) : channels_(channels), lateness_s_(lateness_s) {}

    double watermark_s() const { return watermark_s_; }
    bool is_late(double time_s) const { return time_s < watermark_s_; }

    // Of a time that is not late; false: this was said of the channel at this very time already.
    bool put(double time_s, int64_t channel, float value);
    // The watermark moves up to the latest time: nothing is waited for.
    void end() { watermark_s_ = latest_s_; }

    // Calls visit(moment) for those up to the watermark, the oldest first.
    template <typename Visit>
    void release(const Visit& visit) {
        for (; first_ < order_.size() && moments_[order_[first_]].time_s <= watermark_s_; ++first_) {
            visit(moments_[order_[first_]]);
            free_.push_back(order_[first_]);
        }
        forget_released();
    }

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        bytes(self.latest_s_, self.watermark_s_);
        if constexpr (std::is_const_v<Self>) {
            bytes(self.waiting());
        } else {
            std::vector<Moment> waiting;
            bytes(waiting);
            self.wait_with(std::move(waiting));
        }
    }

  private:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    Moment& at(double time_s);
    void forget_released();
    std::vector<Moment> waiting() const;
    void wait_with(std::vector<Moment> waiting);

    int64_t channels_;
    double lateness_s_;
    double latest_s_ = kNever, watermark_s_ = kNever;
    std::vector<Moment> moments_;  // used again and again
    std::vector<size_t> free_;     // of them
    std::vector<size_t> order_;    // those that wait, by time, from first_ on
    size_t first_ = 0;
};

}  // namespace cmr::monitor
