#pragma once
// How readings come in. A source is one way in (a growing file, a broker, an HTTP port): one file in sources/ and one
// row of the table there. It hands what it has read to a sink, and acknowledges it outside (PUBACK, HTTP 204, the
// place in a file) only after the sink has it safe.

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace cmr::live {

// One value of one channel. Names are those of the outside; an asset's `columns` gives them the names of its model.
struct Reading {
    std::string asset;
    std::string channel;
    double time_s = 0;  // event time, Unix seconds
    float value = 0;    // NaN: absent. Texts are no readings

    bool operator==(const Reading&) const = default;
};

// Where a source hands over. Called from the threads of all sources.
class Sink {
  public:
    virtual ~Sink() = default;

    // Returns when the readings are on disk, in the journal; only then may the source acknowledge them. It waits while
    // there is no room, which is how a source is slowed down. SystemError where the disk would not: the source keeps
    // the readings, or leaves them unacknowledged, and tries again. Readings of assets or channels that nobody watches
    // are counted and let go.
    virtual void take(std::span<const Reading> readings) = 0;
};

// What a source says of itself, for the page, the metrics and the log.
struct SourceStatus {
    bool connected = false;  // what it listens to is there: the file, the broker; a port is open
    std::string detail;      // in words: "mosquitto:1883", "connection refused, again in 4 s"; no secrets
    int64_t received = 0;    // readings handed over
    int64_t refused = 0;     // messages, rows or lines that could not be read
    int64_t bytes = 0;       // read
    double last_s = std::numeric_limits<double>::quiet_NaN();  // wall time of the last reading; NaN: none yet
};

// One way in. It runs its own threads between start and stop, and comes back by itself when the other side does.
class Source {
  public:
    virtual ~Source() = default;

    // What cannot work is an InputError (a port that is taken, a file that may not be read); what is only absent now
    // (no broker yet, no file yet) is not.
    virtual void start(Sink& sink) = 0;
    // Returns within two seconds, after the last call of the sink. May be called twice, and without a start.
    virtual void stop() = 0;
    // From any thread.
    virtual SourceStatus status() const = 0;
};

}  // namespace cmr::live
