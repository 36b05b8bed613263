#pragma once
// Delays in buckets, as Prometheus counts them.

#include <array>
#include <cstdint>

namespace cmr::live {

struct Delays {
    static constexpr std::array<double, 11> kLimits_s = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};
    std::array<int64_t, kLimits_s.size() + 1> counts{};
    double sum_s = 0;

    void add(double seconds, int64_t count) {
        size_t i = 0;
        while (i < kLimits_s.size() && seconds > kLimits_s[i]) ++i;
        counts[i] += count;
        sum_s += seconds * static_cast<double>(count);
    }
    int64_t total() const {
        int64_t sum = 0;
        for (const int64_t count : counts) sum += count;
        return sum;
    }
};

}  // namespace cmr::live
