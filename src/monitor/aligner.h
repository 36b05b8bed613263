#pragma once
// A channel of another rate than the data's, brought to it as its readings come: what data::align does with each
// segment of a file. The reading nearest to start + j / rate is the segment's old sample j; one that does not come is
// absent.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/align.h"

namespace cmr::monitor {

class Aligner {
  public:
    // A silent channel keeps its value for stale_s.
    Aligner(double given_hz, double wanted_hz, const std::string& how, double stale_s);

    // New samples that may have to wait for old ones.
    int64_t most_waiting() const;

    void begin(double start_s);  // a segment
    void hear(double time_s, float value);
    // Sample `i` of the segment, each once and in order; nothing where it may still change: readings from `horizon_s`
    // on are still to come.
    std::optional<float> sample(int64_t i, double horizon_s);
    // The same where the segment has ended with so many samples.
    float last_sample(int64_t i, int64_t samples);

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        bytes(self.start_s_, self.times_s_, self.values_, self.reached_, self.old_begin_, self.old_, self.heard_s_,
              self.heard_);
    }

  private:
    int64_t index_of(double time_s) const;
    void collect(int64_t last);
    float old(int64_t j) const;
    float made(int64_t i, int64_t count);

    double given_hz_, wanted_hz_, stale_s_;
    data::Ratio ratio_;
    data::Alignment alignment_;
    double start_s_ = 0;
    std::vector<double> times_s_;  // of readings that were not looked at yet
    std::vector<float> values_;
    int64_t reached_ = -1;  // old sample that was heard last
    int64_t old_begin_ = 0;
    std::vector<float> old_;  // from old_begin_ on
    double heard_s_ = -std::numeric_limits<double>::infinity();
    float heard_ = std::numeric_limits<float>::quiet_NaN();
};

}  // namespace cmr::monitor
