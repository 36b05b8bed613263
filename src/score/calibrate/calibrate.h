#pragma once
// The threshold of a promise: so many false alarms per day, from healthy scores alone.
//
// A false alarm is an episode of the alarm logic, so a crowd of high scores counts once. Lowering the threshold until
// the healthy trace has the wanted number of episodes leaves its true rate uncertain. Were episodes independent, true
// rate · days would have a gamma distribution whose shape is that number. They come in clusters where the score is
// correlated, and tell less: with D the variance of the counts of long blocks over their mean, or what that may be
// where blocks are few, N episodes count as N / D. docs/decisions/0007 has the measured coverage.

#include <cstdint>
#include <optional>
#include <vector>

#include "score/calibrate/alarm.h"

namespace cmr::score {

// Healthy windows in order of time, scored by models that did not see them.
struct HealthyTrace {
    std::vector<double> score;     // higher = more anomalous
    std::vector<double> end_s;     // when the score is known; rises within a segment
    std::vector<int32_t> segment;  // equal numbers: without interruption
    double period_s = 0;           // from one window to the next
    int64_t overlap = 1;           // windows in a row that belong together whatever they say: those of one length
    int64_t machines = 0;          // where another machine than these will be watched; else 0
};

struct Calibration {
    double threshold = 0;         // an alarm is for score / threshold ≥ 1
    double promised_per_day = 0;  // as asked for
    double low_per_day = 0;       // the true rate at this threshold lies, with 95 % confidence,
    double high_per_day = 0;      //   between these two
    double observed_per_day = 0;  // in the trace itself: close to what was promised, by construction
    int64_t false_alarms = 0;     // the same as a count
    double healthy_days = 0;      // windows · period
    int64_t blocks = 0;           // pieces of the trace that are as good as independent
    int64_t block_windows = 0;    // five times as long as high scores stay high, or somewhat more
    double dispersion = 1;        // D, at least 1
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, Calibration>
void visit_fields(C& c, const Visit& visit) {
    visit("threshold", c.threshold, "of `both`, the combined score by its two clocks");
    visit("promised_per_day", c.promised_per_day, "false alarms, as asked for");
    visit("low_per_day", c.low_per_day, "lower end of the 95 % interval of the true rate");
    visit("high_per_day", c.high_per_day, "upper end");
    visit("observed_per_day", c.observed_per_day, "in the healthy windows themselves");
    visit("false_alarms", c.false_alarms, "the same as a count");
    visit("healthy_days", c.healthy_days, "windows times period");
    visit("blocks", c.blocks, "pieces as good as independent");
    visit("block_windows", c.block_windows, "windows of a piece");
    visit("dispersion", c.dispersion, "how much false alarms come in clusters; 1: not at all");
}

// InputError, with the way out, where
//   - the data cannot support the promise: less than 2.5 independent false alarms expected in it (the upper end of the
//     interval would be more than about three times the promise), or less than 10 independent blocks;
//   - no threshold has so many alarms, or the highest score itself has more;
//   - another machine will be watched, and fewer than 20 are known: what one machine does tells little of the next;
//   - the trace is empty, constant, not finite or out of order, or the rate is not positive.
// Only positive scores become thresholds, because levels are ratios. Takes O(windows · log(windows)).
Calibration calibrate(const HealthyTrace& trace, const AlarmRule& rule, double false_alarms_per_day);

// The smallest rate that the trace supports; none where it supports no rate at all.
std::optional<Calibration> smallest_promise(const HealthyTrace& trace, const AlarmRule& rule);

}  // namespace cmr::score
