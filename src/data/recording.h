#pragma once
// What loading gives: recordings of the recipe's channels, and what is known of each stretch of them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/samples.h"

namespace cmr::data {

namespace fs = std::filesystem;

struct Channel {
    std::string name;
    bool effect = false;
    std::string group;  // channels of a group share an encoder
};

enum class State {
    kHealthy,
    kFaulty,
    kExcluded,  // not to be used
    kUnknown,   // nothing is said of it: new data
};

std::string_view name(State state);

// Samples begin … end-1 of a recording.
struct Span {
    int64_t begin = 0;
    int64_t end = 0;
    State state = State::kHealthy;
    int32_t stratum = -1;  // index into Dataset::strata
    int32_t event = -1;    // index into Dataset::events
};

// Consecutive samples without a step in time; no window leaves one.
struct Segment {
    int64_t begin = 0;
    int64_t end = 0;
    double start_s = 0;  // time of its first sample: since 1970 where the file has dates, else since its beginning
};

struct Recording {
    std::string name;  // file, below the data root
    std::string unit;  // machine, where the file's name tells; else empty
    int32_t part = 0;
    std::vector<Samples> channels;  // in the order of Dataset::channels, all of one length; NaN: absent
    std::vector<Segment> segments;  // ascending, without overlap, covering all samples
    std::vector<Span> spans;        // ascending, without overlap, covering all samples
    bool dated = false;             // do the segments' times count from 1970?
    int64_t absent = 0;             // samples still absent after the gap policy
    int64_t filled = 0;             // samples that the gap policy filled
    int64_t repeated = 0;           // rows left out because their time stamp stood before

    int64_t length() const { return channels.empty() ? 0 : channels.front().size(); }
};

struct Event {
    std::string name;
    std::string target;  // as the list has it: one or more channels
    double start_s = 0;
    double end_s = 0;
};

struct PartFacts {
    std::string name;
    std::string role;  // as the recipe has it, or new
    int64_t files = 0;
};

struct Dataset {
    std::string name;
    fs::path root;
    double rate_hz = 0;
    std::vector<Channel> channels;
    std::vector<PartFacts> parts;
    std::vector<std::string> strata;
    std::vector<Event> events;
    std::vector<Recording> recordings;
    std::vector<std::string> units_left_out;  // found among the files, but not in the recipe's table

    std::vector<int64_t> indices(bool effects) const;  // of the effect channels, or of the causes
};

// Seconds of a sample, as Segment::start_s counts them.
double time_of(const Recording& recording, int64_t sample, double rate_hz);

}  // namespace cmr::data
