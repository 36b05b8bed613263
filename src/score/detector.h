#pragma once
// A fitted detector: the pipeline that scores windows, what explains its alarms, what the scores are when healthy, and
// where it all comes from. Fitted by fit_detector.h, kept in one file by file/detector_file.h.

#include <optional>
#include <string>
#include <vector>

#include "data/fold_windows.h"
#include "score/calibrate/calibrate.h"
#include "score/calibrate/clocks.h"
#include "score/calibrate/conditions.h"
#include "score/combine/tail.h"
#include "score/explain/explainer.h"
#include "score/health/health.h"
#include "score/pipeline.h"

namespace cmr::score {

// From one moment to another, as the data count time.
struct HealthySpan {
    double begin_s = 0, end_s = 0;
};

// Healthy data that were learned after the fit, see update.h.
struct Addition {
    std::string file;                   // whole path
    std::string part;                   // of the recipe, as whose file it is read
    std::vector<std::string> settings;  // KEY=VALUE over the recipe
    std::vector<HealthySpan> spans;     // that are healthy; empty: all of it
    std::string fingerprint;            // of the data
    int64_t windows = 0;
    double wall_s = 0;  // when it was added
    std::string who, why;
};

struct Provenance {
    std::string recipe;  // resolved, as TOML
    std::string fold;    // its name; empty where there is one
    int64_t fold_index = 0;
    int64_t seed = 0;
    std::string fingerprint;  // of the data
    std::string version;      // of the program that fitted it
    std::vector<Addition> added{};
};

// Cross-fitted scores of the healthy windows, in order of time.
struct HealthyScores {
    Matrix scores;       // [windows, names of the pipeline]
    Clocks clocks;       // of the combined score
    HealthyTrace trace;  // of both clocks
    Tail tail;           // likewise

    HealthyScores() = default;
    HealthyScores(Matrix all, HealthyTrace times, const recipe::Recipe& recipe);  // `all`: the last is combined
};

struct AlarmSettings {
    std::optional<Calibration> calibration;  // in false alarms per day; none before `cmr calibrate`
    AlarmRule rule;
};

// Windows that are scored again when a file is loaded, from the plant's own units on, so that another scale or channels
// that were exchanged are seen.
struct GoldenWindows {
    Matrix samples;  // [windows, channels of the dataset · length]
    Matrix scores;   // [windows, names of the pipeline]
};

struct Detector {
    Provenance provenance;
    recipe::Recipe recipe;
    std::vector<data::Channel> channels;  // of the dataset
    data::FoldWindows fold;               // of that data
    Pipeline pipeline;
    Explainer explainer;
    HealthyScores healthy;
    AlarmSettings alarm;
    Conditions conditions;  // that a promise of false alarms rests on
    SensorHealth health;
    GoldenWindows golden;

    const std::vector<std::string>& names() const { return pipeline.names(); }
    double p_value(double both) const { return healthy.tail.p_value(both); }
    // What the level 1 is, of both clocks: the calibrated threshold, else the highest healthy score.
    double threshold() const;
};

}  // namespace cmr::score
