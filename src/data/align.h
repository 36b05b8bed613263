#pragma once
// Channels of different rates brought to one.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace cmr::data {

// So many old samples for so many new ones.
struct Ratio {
    int64_t given = 1, wanted = 1;
};

// In small whole numbers: 10 Hz for 4 Hz is 5 / 2.
Ratio ratio_of(double given_hz, double wanted_hz);

// How a new sample comes about. mean: of the samples that fall into each new one; pick: the sample at its beginning;
// hold: the last sample before it; linear: between neighbours. auto: mean downwards, hold upwards. An absent sample
// makes absent whatever is made from it.
class Alignment {
  public:
    Alignment(Ratio ratio, const std::string& how)
        : ratio_(ratio),
          downwards_(ratio.given > ratio.wanted && (how == "mean" || how == "auto")),
          linear_(how == "linear") {}

    // The old samples that the new sample `i` is made of, the first and the last.
    int64_t first(int64_t i) const {
        const int64_t at = i * ratio_.given / ratio_.wanted;
        return at + (downwards_ && beyond(i) > 0);
    }
    int64_t last(int64_t i) const {
        if (downwards_) return ((i + 1) * ratio_.given + ratio_.wanted - 1) / ratio_.wanted - 1;
        return first(i) + (linear_ && beyond(i) > 0);
    }

    // The new sample `i`; old(j): the old sample `j`. There are `count` of them: after the last there is only that.
    template <typename Old>
    float sample(int64_t i, const Old& old, int64_t count = std::numeric_limits<int64_t>::max()) const {
        const int64_t begin = std::min(first(i), count - 1), end = std::min(last(i), count - 1);
        if (downwards_) {
            double sum = 0;
            for (int64_t j = begin; j <= end; ++j) sum += old(j);
            return static_cast<float>(sum / static_cast<double>(end - begin + 1));
        }
        if (!linear_ || beyond(i) == 0) return old(begin);  // it lies on a sample, and the next one does not matter
        const double share = static_cast<double>(beyond(i)) / static_cast<double>(ratio_.wanted);
        return static_cast<float>(old(begin) * (1.0 - share) + old(end) * share);
    }

  private:
    int64_t beyond(int64_t i) const { return i * ratio_.given % ratio_.wanted; }

    Ratio ratio_;
    bool downwards_, linear_;
};

// `count` samples at the new rate over the same stretch of time.
std::vector<float> align(std::span<const float> samples, int64_t count, const std::string& how);
// At a known ratio.
std::vector<float> align(std::span<const float> samples, int64_t count, Ratio ratio, const std::string& how);

}  // namespace cmr::data
