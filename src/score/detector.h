#pragma once
// A fitted detector: the pipeline that scores windows, what explains its alarms, what the scores are when healthy, and
// where it all comes from. Fitted by fit_detector.h, kept in one file by file/detector_file.h.

#include <optional>
#include <string>
#include <vector>

#include "data/fold_ranges.h"
#include "score/calibrate/calibrate.h"
#include "score/combine/tail.h"
#include "score/explain/explainer.h"
#include "score/pipeline.h"

namespace cmr::score {

struct Provenance {
    std::string recipe;  // resolved, as TOML
    std::string fold;    // its name; empty where there is one
    int64_t fold_index = 0;
    int64_t seed = 0;
    std::string fingerprint;  // of the data
    std::string version;      // of the program that fitted it
};

// How well a score did in rehearsal, from healthy data alone.
struct ScorerReport {
    std::string name;
    bool learned = false;
    std::vector<double> auroc;  // per kind of rehearsed fault; none for a control
    double weight = 0;          // in the combined score
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, ScorerReport>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the score");
    visit("learned", c.learned, "needs the trained network");
    visit("auroc", c.auroc, "per kind of rehearsed fault");
    visit("weight", c.weight, "in the combined score");
}

// From healthy data alone: what each score did on faults made of healthy windows.
struct RehearsalReport {
    std::vector<ScorerReport> scorers;  // in the order of the pipeline
    double effect_named = 0;            // share of the faults whose effect had the highest residual
};

// Cross-fitted scores of the healthy windows, in order of time.
struct HealthyScores {
    Matrix scores;       // [windows, names of the pipeline]
    HealthyTrace trace;  // of the combined score
    Tail tail;           // likewise

    HealthyScores() = default;
    HealthyScores(Matrix all, HealthyTrace times);  // takes the last column of `all` for the trace and the tail
};

struct AlarmSettings {
    std::optional<Calibration> calibration;  // in false alarms per day; none before `cmr calibrate`
    AlarmRule rule;
};

// Windows that are scored again when a file is loaded.
struct GoldenWindows {
    Matrix causes, effects, scores;
};

struct Detector {
    Provenance provenance;
    recipe::Recipe recipe;
    std::vector<data::Channel> channels;  // of the dataset
    data::FoldRanges fold;                // which samples of that data are on which side
    Pipeline pipeline;
    Explainer explainer;
    RehearsalReport rehearsal;
    HealthyScores healthy;
    AlarmSettings alarm;
    GoldenWindows golden;

    const std::vector<std::string>& names() const { return pipeline.names(); }
    double p_value(double combined) const { return healthy.tail.p_value(combined); }
    // What the level 1 is: the calibrated threshold, else the highest healthy score.
    double threshold() const;
};

}  // namespace cmr::score
