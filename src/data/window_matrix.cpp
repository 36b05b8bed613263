#include "data/window_matrix.h"

#include <algorithm>

#include "base/parallel.h"

namespace cmr::data {

std::vector<int64_t> moving_channels(const Dataset& dataset, const Scaler& scaler, bool effects) {
    std::vector<int64_t> out = dataset.indices(effects);
    std::erase_if(out, [&](int64_t channel) { return scaler.constant(channel); });
    return out;
}

Matrix window_matrix(const Dataset& dataset, const Scaler& scaler, const std::vector<int64_t>& channels,
                     const std::vector<Window>& windows, int64_t length) {
    Matrix out(static_cast<int64_t>(windows.size()), static_cast<int64_t>(channels.size()) * length);
    parallel_for(out.rows, [&](int64_t i) {
        float* to = out.row(i).data();
        for (const int64_t channel : channels) {
            const auto values = dataset.recordings[windows[i].recording].channels[channel].values();
            for (const float value : values.subspan(windows[i].begin, length)) *to++ = scaler.apply(channel, value);
        }
    });
    return out;
}

Matrix raw_windows(const Dataset& dataset, const std::vector<Window>& windows, int64_t length) {
    Matrix out(std::ssize(windows), std::ssize(dataset.channels) * length);
    for (int64_t i = 0; i < out.rows; ++i) {
        auto to = out.row(i).begin();
        for (const Samples& channel : dataset.recordings[windows[i].recording].channels)
            to = std::ranges::copy(channel.values().subspan(windows[i].begin, length), to).out;
    }
    return out;
}

}  // namespace cmr::data
