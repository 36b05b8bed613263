#pragma once
// What a promise of false alarms rests on: sensors that go on as they did on the healthy days it was made from. Files
// that are rounded from some day on, another unit, another season change how high healthy scores are; then the promise
// is void, and says so.
//
// Samples are looked at in groups of four windows' length. Of each channel in a group:
//   level       its median
//   noise       the mean of |x(t) - x(t-1)|
//   resolution  the least of those that is not 0
// A channel is off where level or noise is farther outside what healthy groups had than that range is wide, and by one
// deviation or a factor of two more; or where it is four times as coarse as the coarsest healthy group. Two groups in a
// row make the promise void.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "data/recording.h"
#include "data/scaler.h"
#include "data/windows.h"
#include "score/file/archive.h"

namespace cmr::score {

enum class Condition { kLevel, kNoise, kResolution };
inline constexpr int64_t kConditions = 3;

struct VoidPromise {
    int64_t channel = 0;
    Condition what = Condition::kLevel;
    double is = 0, low = 0, high = 0;  // in the channel's unit; the latter two of healthy groups
    data::SampleRange since;           // from the first group to the end of the stretch
};

std::string to_text(const VoidPromise& what, const std::string& channel);  // "P_J280 is rounded to 0.01, ..."

// What is known of a stretch after some of its groups.
struct ConditionsState {
    std::vector<uint8_t> off;          // [conditions, channels] of the last group
    std::optional<VoidPromise> first;  // since.end: of the group that told
};

class Conditions {
  public:
    Conditions() = default;  // nothing is known, so nothing is void
    // Of what healthy windows cover. Fewer than five groups tell too little.
    Conditions(const data::Dataset& dataset, const data::Scaler& scaler, std::span<const data::SampleRange> healthy,
               int64_t window_length);
    Conditions(const Archive& from, int64_t channels);
    void save(Archive& to) const;

    bool known() const { return low_.columns > 0; }
    // Samples of a group.
    static int64_t group_length(int64_t window_length) { return 4 * window_length; }
    // The next group of a stretch, which begins at this sample of its recording. samples(channel) → span.
    template <typename SamplesOf>
    void look(ConditionsState& state, const data::Scaler& scaler, const data::SampleRange& group,
              const SamplesOf& samples) const {
        state.off.resize(static_cast<size_t>(low_.values.size()));
        for (int64_t c = 0; c < low_.columns; ++c) look(state, scaler, group, c, samples(c));
    }
    // In stretches without gaps, the first of each.
    std::vector<VoidPromise> broken(const data::Dataset& dataset, const data::Scaler& scaler,
                                    std::span<const data::SampleRange> stretches, int64_t window_length) const;

  private:
    void look(ConditionsState& state, const data::Scaler& scaler, const data::SampleRange& group, int64_t channel,
              std::span<const float> samples) const;

    Matrix low_, high_;  // [conditions, channels], scaled, the latter two as logarithms; low > high: nothing known
};

}  // namespace cmr::score
