#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "live/formats/line_protocol.h"

// Any bytes give readings with names and times, and whole lines read one by one give the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cmr::live;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    LineProtocolOptions options;
    options.channel = Naming("{measurement}.{field}");
    options.arrival_time = true;
    Decoded whole, parts;
    decode_line_protocol(text, options, 1, 7, whole);
    for (const Reading& reading : whole.readings)
        if (reading.asset.empty() || reading.channel.size() < 3 || !std::isfinite(reading.time_s)) std::abort();
    if (text.find('"') != std::string_view::npos) return 0;  // a text may go over lines
    for (std::string_view rest = text; !rest.empty();) {
        const size_t end = rest.find('\n');
        decode_line_protocol(rest.substr(0, end), options, 1, 7, parts);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (parts.readings != whole.readings || parts.refused != whole.refused) std::abort();
    return 0;
}
