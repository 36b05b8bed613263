#pragma once
// Influx line protocol, which Telegraf speaks for OPC UA, Modbus, S7 and some two hundred others:
//   measurement,tag=value,tag=value field=1.5,other=3i 1556813561098000000
//
// One reading per field that holds a number: a float, an integer (3i, 3u) or a boolean (1 or 0). Texts are ignored, and
// so are lines that lack the tag by which the asset or the channel is named, as Telegraf sends much besides. A
// backslash takes the meaning from a comma, an equals sign or a blank in names, and from a quote or a backslash in
// texts; texts may hold line ends. Blank lines and those that begin with # are skipped.

#include <string>
#include <string_view>

#include "io/text/time.h"
#include "live/formats/decoded.h"
#include "live/formats/naming.h"

namespace cmr::live {

struct LineProtocolOptions {
    Naming asset{"asset"};    // of the words {measurement} and the tags' names
    Naming channel{"field"};  // of those and {field}
    std::string value_field;  // only this field is read; empty: all
    io::TimeUnit unit = io::TimeUnit::kNanoseconds;
    bool arrival_time = false;  // a line without a time gets that of its arrival; else it is refused
};

// A line with a fault is refused, named by its number from `first_line` on, and the lines behind it are read.
void decode_line_protocol(std::string_view text, const LineProtocolOptions& options, int64_t first_line,
                          double arrival_s, Decoded& out);

}  // namespace cmr::live
