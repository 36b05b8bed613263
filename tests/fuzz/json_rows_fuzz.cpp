#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "live/formats/json_rows.h"

// Any bytes give readings with names and times, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cmr::live;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    JsonOptions rows;
    rows.time_field = "meta.time";
    JsonOptions channel;
    channel.asset = "a";
    channel.channel = "c";
    channel.arrival_time = true;
    JsonOptions named;
    named.channel_field = "name";
    for (const JsonOptions& options : {JsonOptions{}, rows, channel, named}) {
        Decoded out;
        try {
            decode_json(text, options, 7, out);
        } catch (const cmr::InputError&) {
        }
        decode_json_lines(text, options, 1, 7, out);
        for (const Reading& reading : out.readings)
            if (reading.asset.empty() || !std::isfinite(reading.time_s)) std::abort();
    }
    return 0;
}
