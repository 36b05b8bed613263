#pragma once
// Is each sensor well, before anything is scored? A window of raw samples is compared, channel by channel, with what
// the healthy windows of training had:
//   value    least and largest sample                             → outside range; spike where it is a few samples
//   spike    largest distance from the median of seven around     → spike
//   run      samples in a row that are equal                      → frozen
//   changes  share of samples that differ from the one before     → wrong rate: values are held, or no longer are
//   noise    |second difference| of values that differ, mean of the lower three quarters → noise gone, noise risen
// Limits are the extremes of healthy windows, moved outwards: see health.cpp and docs/scores.md.
//
// A channel that never moved in training has nothing to compare with, and one that is not used may be absent.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "data/windows.h"
#include "score/file/archive.h"

namespace cmr::score {

enum class Sickness : uint8_t {
    kNone,
    kAbsent,        // some samples of the window are not there
    kOutsideRange,  // values that no healthy window had: another unit, an offset
    kSpike,         // some, at most as many as a spike is long, far from those around
    kFrozen,
    kNoiseGone,  // it still moves, but too smoothly
    kNoiseRisen,
    kWrongRate,  // values are held, or change, more often than when healthy
};

std::string_view name(Sickness sickness);  // "well", "absent", "outside range", …

// The sick of some channels, "LIT101 frozen; FIT101 absent"; empty where all are well.
std::string to_text(std::span<const Sickness> sensors, const std::vector<data::Channel>& channels);

class SensorHealth {
  public:
    SensorHealth() = default;  // nothing is known but whether samples are there
    // Of healthy windows in order of time, cut into so many blocks. Fewer windows than blocks tell too little. `used`:
    // channels of the dataset.
    SensorHealth(const data::Dataset& dataset, const std::vector<int64_t>& used,
                 const std::vector<data::Window>& healthy, int64_t length, int64_t blocks);
    SensorHealth(const Archive& from, int64_t channels);
    void save(Archive& to) const;

    bool known() const { return low_.columns > 0; }
    // raw: [channels of the dataset, length of a window], in the plant's own units; NaN: absent.
    std::vector<Sickness> judge(const MatrixView& raw) const;
    // The same of a channel.
    Sickness judge(int64_t channel, std::span<const float> raw) const;

  private:
    Matrix low_, high_;  // [statistics, channels]; low > high: nothing known, and of values: not used
};

}  // namespace cmr::score
