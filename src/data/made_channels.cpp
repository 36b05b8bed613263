#include "data/made_channels.h"

#include <algorithm>
#include <cmath>

namespace cmr::data {
namespace {

void differentiate(std::span<float> values, double rate_hz) {
    for (size_t i = values.size() - 1; i > 0; --i)
        values[i] = static_cast<float>((static_cast<double>(values[i]) - values[i - 1]) * rate_hz);
    values[0] = values.size() > 1 ? values[1] : 0.0f;
}

void integrate(std::span<float> values, double rate_hz) {
    double before = values[0];
    double sum = std::isnan(before) ? before : 0.0;
    values[0] = static_cast<float>(sum);
    for (float& value : values.subspan(1)) {
        sum += (before + value) / 2 / rate_hz;
        before = value;
        value = static_cast<float>(sum);
    }
}

}  // namespace

std::vector<SourceChannel> columns_of(const std::vector<SourceChannel>& channels) {
    std::vector<SourceChannel> out;
    for (const SourceChannel& channel : channels) {
        out.push_back(channel);
        if (channel.made != "difference") continue;
        out.push_back(channel);
        out.back().column = channel.second_column;
    }
    return out;
}

void make_channels(Recording& recording, const std::vector<SourceChannel>& channels, double rate_hz) {
    if (std::ranges::all_of(channels, [](const SourceChannel& c) { return c.made == "none"; })) return;
    std::vector<Samples> made;
    auto column = recording.channels.begin();
    for (const SourceChannel& channel : channels) {
        Samples& samples = *column++;
        const auto values = samples.values();
        if (channel.made == "difference") {
            const auto second = (column++)->values();
            for (size_t i = 0; i < values.size(); ++i) values[i] -= second[i];
        } else if (channel.made != "none") {
            for (const Segment& segment : recording.segments) {
                const auto stretch = values.subspan(segment.begin, segment.end - segment.begin);
                channel.made == "derivative" ? differentiate(stretch, rate_hz) : integrate(stretch, rate_hz);
            }
        }
        made.push_back(std::move(samples));
    }
    recording.channels = std::move(made);
    recording.absent = 0;
    for (const Samples& channel : recording.channels)
        recording.absent += std::ranges::count_if(channel.values(), [](float value) { return std::isnan(value); });
}

}  // namespace cmr::data
