#include "data/scaler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"

namespace cmr::data {
namespace {

// Mean and sum of squared distances from it, of two samples joined (Chan, Golub, LeVeque 1983).
struct Moments {
    double count = 0, mean = 0, squares = 0;

    void add(const Moments& more) {
        if (more.count == 0) return;
        const double total = count + more.count, step = more.mean - mean;
        mean += step * more.count / total;
        squares += more.squares + step * step * count * more.count / total;
        count = total;
    }
};

Moments moments_of(std::span<const float> values) {
    Moments out{.count = static_cast<double>(values.size())};
    double sum = 0;
    for (const float value : values) sum += value;
    out.mean = sum / out.count;
    for (const float value : values) out.squares += (value - out.mean) * (value - out.mean);
    return out;
}

}  // namespace

Scaler fit_scaler(const Dataset& dataset, const std::vector<SampleRange>& healthy) {
    CMR_ASSERT(!healthy.empty(), "a scaler needs samples");
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    Scaler out;
    out.mean.resize(channels);
    out.deviation.resize(channels);
    out.least.assign(channels, std::numeric_limits<float>::infinity());
    out.most.assign(channels, -std::numeric_limits<float>::infinity());
    parallel_for(channels, [&](int64_t c) {
        constexpr int64_t kPiece = 1 << 16;  // read twice while it is in cache
        Moments all;
        for (const SampleRange& stretch : healthy) {
            const auto values = dataset.recordings[stretch.recording].channels[c].values();
            for (int64_t begin = stretch.begin; begin < stretch.end; begin += kPiece) {
                const auto piece = values.subspan(begin, std::min(kPiece, stretch.end - begin));
                all.add(moments_of(piece));
                const auto [least, most] = std::ranges::minmax(piece);
                out.least[c] = std::min(out.least[c], least);
                out.most[c] = std::max(out.most[c], most);
            }
        }
        out.mean[c] = all.mean;
        out.deviation[c] = std::sqrt(all.squares / all.count);
    });
    return out;
}

}  // namespace cmr::data
