#include "data/channels.h"

#include <cmath>

namespace cmr::data {

float to_step(float value, double step) {
    return step > 0 ? static_cast<float>(std::round(value / step) * step) : value;
}

std::vector<SourceChannel> source_channels(const recipe::Recipe& recipe) {
    std::vector<SourceChannel> out;
    for (const recipe::Channels& entry : recipe.channels) {
        const auto names = io::expand_names(entry.names);
        const auto columns = entry.columns.empty() ? names : io::expand_names(entry.columns);
        for (size_t i = 0; i < names.size(); ++i) {
            SourceChannel channel;
            channel.name = names[i];
            channel.effect = entry.role == "effect";
            channel.group = entry.group;
            const size_t per_channel = entry.made == "difference" ? 2 : 1;
            channel.column = columns[per_channel * i];
            channel.made = entry.made;
            if (per_channel == 2) channel.second_column = columns[2 * i + 1];
            channel.rate_hz = entry.rate_hz > 0 ? entry.rate_hz : recipe.data.rate_hz;
            channel.align = entry.align;
            channel.step = entry.step;
            out.push_back(std::move(channel));
        }
    }
    return out;
}

}  // namespace cmr::data
