#pragma once
// Causes and effects around a moment, one panel each on a common axis of time: what drove the machine, how it answered,
// and how it would have answered when healthy.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/bands.h"
#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

enum class SignalRole { kCause, kEffect };

struct Waveform {
    std::string name;
    std::string unit;
    SignalRole role = SignalRole::kEffect;
    std::span<const double> times;    // seconds, rising; may reach beyond what is shown
    std::span<const float> observed;  // one per time; NaN or infinite is a gap
    std::span<const float> expected;  // one per time, or none at all
    double period = 0;                // in seconds; 0: the median step
};

struct Waveforms {
    std::string description;
    ScaleKind x = ScaleKind::kTime;
    double begin = 0, end = 0;  // what is shown, in seconds
    std::vector<Waveform> signals;
    std::vector<Band> bands{};
    std::optional<double> onset{};  // a vertical line through all panels
    std::string onset_name = "alarm";
};

// InputError for signals whose lengths do not match their times, and for times that do not rise.
Html draw(const Waveforms& waveforms);

}  // namespace cmr::report
