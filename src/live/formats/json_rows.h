#pragma once
// JSON: a row {"time": "2026-03-09T10:14:33Z", "asset": "pump-1", "pressure": 4.2, "flow": 11} or a list of such; or
// one channel's value {"t": 1767952473123, "v": 4.2}, where the topic or a key names the channel; or, with the time of
// arrival, the bare value.
//
// Every key of a row is a channel but those of the time and the asset; what stands in an inner object is named by both
// keys with a point between: {"pump": {"flow": 11}} is pump.flow. Numbers are readings, true and false are 1 and 0,
// null is absent; texts and lists are ignored. Fields are given as a key, or as keys with points between.

#include <string>
#include <string_view>

#include "io/text/time.h"
#include "live/formats/decoded.h"

namespace cmr::live {

struct JsonOptions {
    std::string asset;                  // of all rows; empty: each has it in asset_field, or is ignored
    std::string asset_field = "asset";  // a text or a whole number
    std::string channel;                // of all rows, one value each; empty: see channel_field
    std::string channel_field;          // names the channel of the one value of a row; empty: each key is a channel
    std::string value_field = "value";  // where there is one value
    std::string time_field = "time";
    io::TimeUnit unit = io::TimeUnit::kAuto;  // of a number; a text is a date
    bool arrival_time = false;                // a row without a time gets that of its arrival; else it is refused
};

// InputError where the text is not JSON, with the offset of the fault. A row with a fault is refused, and the others
// are read.
void decode_json(std::string_view text, const JsonOptions& options, double arrival_s, Decoded& out);

// The same for a text with a JSON document in each line. A faulty line is refused, named by its number from
// `first_line` on, and the lines behind it are read.
void decode_json_lines(std::string_view text, const JsonOptions& options, int64_t first_line, double arrival_s,
                       Decoded& out);

}  // namespace cmr::live
