#include "data/align.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace cmr::data {

std::vector<float> align(std::span<const float> samples, int64_t count, const std::string& how) {
    const auto given = static_cast<int64_t>(samples.size());
    CMR_ASSERT(given > 0 && count > 0, "nothing to align");
    if (given == count) return {samples.begin(), samples.end()};
    const bool mean = how == "mean" || (how == "auto" && given > count);
    std::vector<float> out(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        // The new sample i covers the old positions [i, i+1) * given / count, in exact whole numbers.
        const int64_t first = i * given / count, beyond = i * given % count;
        if (mean && given > count) {
            const int64_t begin = first + (beyond > 0), end = ((i + 1) * given + count - 1) / count;
            double sum = 0;
            for (int64_t j = begin; j < end; ++j) sum += samples[j];
            out[i] = static_cast<float>(sum / static_cast<double>(end - begin));
        } else if (how == "linear" && beyond > 0) {  // else it lies on a sample, and the next one does not matter
            const int64_t next = std::min(first + 1, given - 1);
            const double share = static_cast<double>(beyond) / static_cast<double>(count);
            out[i] = static_cast<float>(samples[first] * (1.0 - share) + samples[next] * share);
        } else {
            out[i] = samples[first];
        }
    }
    return out;
}

}  // namespace cmr::data
