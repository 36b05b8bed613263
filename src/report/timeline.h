#pragma once
// Scores over time: one panel per score on a common axis of time, so that one that rises and one that stays low are
// seen side by side; the line of alarm, what was really wrong, what was learned from, and when there was an alarm.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/bands.h"
#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

struct Series {
    std::string name;
    std::string note;               // after the name, smaller
    std::span<const float> values;  // one per time; NaN or infinite is a gap
};

// A stretch in which the alarm was on, in seconds.
struct AlarmEpisode {
    double begin = 0, end = 0;
};

struct Timeline {
    std::string description;        // for those who cannot see it
    std::span<const double> times;  // seconds, rising
    double period = 0;              // of the samples, in seconds; 0: their median step
    ScaleKind x = ScaleKind::kTime;
    ScaleKind y = ScaleKind::kLog;  // on a logarithmic axis values of 0 and less lie on its lower end
    std::vector<Series> series;     // all on the same scale of y
    std::optional<double> alarm_line = 1.0;
    std::vector<Band> bands{};
    std::vector<AlarmEpisode> alarms{};
};

// InputError for a series of another length than the times, and for times that do not rise.
Html draw(const Timeline& timeline);

}  // namespace cmr::report
