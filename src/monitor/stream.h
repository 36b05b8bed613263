#pragma once
// One machine, watched as its readings come: rows in, judged windows out. A stream gives the windows, scores and alarms
// that `cmr score` gives for a file of the same readings, sorted by time and each once: the same bytes.
//
// Readings carry their own time. They may come in any order within `lateness_s`; older ones are counted and never
// scored. A channel that says nothing keeps its last value for `stale_s`, then it is absent. docs/stream.md tells what
// a stream promises.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/detector.h"
#include "score/explain/explain.h"

namespace cmr::monitor {

struct Settings {
    double lateness_s = 0;  // readings may come so much after later ones
    double stale_s = 0;     // a silent channel keeps its value so long; 0: not at all, as in a file
    int64_t stride = 0;     // samples from one window to the next; 0: the recipe's
};

// One window.
struct JudgedWindow {
    int64_t first = 0;              // sample, counted from the stream's first one; samples that lack are not counted
    double start_s = 0, end_s = 0;  // end: a sample after its last one
    bool judged = false;            // a cause was there, and an effect; else all numbers below are NaN
    std::vector<score::Sickness> sensors;  // as channels()
    std::vector<float> scores;             // as names(); higher = more anomalous
    double p_value = 1, level = 0;         // level 1: the alarm line
    bool alarm = false;                    // is on; where the window was not judged, as before
    bool raised = false;                   // and began with this window
    bool outside_range = false;            // causes are not those of the healthy data: no promise holds
    std::vector<float> residuals;          // as effects(), in healthy deviations; NaN: the effect was absent
    // The promise of false alarms does not hold in this stretch, why, and since when.
    std::optional<score::VoidPromise> void_promise;
    double void_since_s = 0;
};

struct Counts {
    int64_t readings = 0;  // values that came, absent ones too
    int64_t rows = 0;      // samples that were made of them
    int64_t late = 0;      // readings older than the watermark: not used
    int64_t doubled = 0;   // readings of a channel and time that were there: not used
    int64_t gaps = 0;      // steps in time that began a new segment
    int64_t windows = 0;   // all of them
    int64_t unjudged = 0;  // those of which nothing is said
    int64_t alarms = 0;    // that began
};

class Stream {
  public:
    // Many streams may share a detector. InputError for settings that cannot be.
    explicit Stream(std::shared_ptr<const score::Detector> detector, const Settings& settings = {});
    ~Stream();
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;

    const score::Detector& detector() const;
    const Settings& settings() const;
    const std::vector<std::string>& channels() const;  // in the order of a row
    const std::vector<std::string>& names() const;     // of the scores
    const std::vector<std::string>& effects() const;   // of the residuals

    // What all channels say at one time; NaN and infinite: absent. InputError where the time is not finite or the row
    // has another length; the stream is then as before.
    void push(double time_s, std::span<const float> row);
    // What one channel says. Readings of several that are less than half a sample apart make one row.
    void push(double time_s, int64_t channel, float value);
    // Nothing is waited for any more. What is pushed afterwards begins a new segment.
    void end();

    // Judged windows, the oldest first; nothing where there is none yet.
    std::optional<JudgedWindow> next();

    // Of the last judged window, by those before it that are still kept: InputError where there was none.
    score::Explanation explain() const;

    const Counts& counts() const;
    bool dated() const;  // do times count from 1970?

    // All that is needed to go on, and nothing of the detector: the same bytes for the same state. restore() refuses
    // what is damaged, or of another model or settings: InputError, and the stream is as before.
    std::string save() const;
    void restore(std::string_view state);
    bool operator==(const Stream& other) const { return save() == other.save(); }

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cmr::monitor
