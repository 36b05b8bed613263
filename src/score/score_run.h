#pragma once
// A detector run over a dataset: what stands in a score file.

#include <string>
#include <vector>

#include "score/detector.h"

namespace cmr::score {

struct ScoredWindow {
    data::Window window;
    std::string split;  // train, validation, test of the detector's fold; other; or new: data it was not fitted on
    double start_s = 0, end_s = 0;
    double p_value = 1, level = 0;
    bool alarm = false;
    bool outside_range = false;     // causes are not those of the healthy data: no promise of false alarms holds
    bool judged = true;             // a cause was there, and an effect; else p-value and level are NaN
    std::vector<Sickness> sensors;  // of each channel of the dataset
};

struct ScoreRun {
    std::vector<ScoredWindow> windows;  // by recording, in order of time
    Scores scores;                      // and "slow" and "both", see calibrate/clocks.h
    std::vector<Episode> alarms;        // of all recordings, one after the other
    std::vector<int32_t> alarm_recording;
    std::vector<VoidPromise> voids;  // where sensors are not what a promise of false alarms rests on
    int64_t left_out = 0;            // windows that are missing where time steps, or where samples are absent
    double seconds = 0;
};

// All windows of the recordings in use, every `stride` samples (0: as the recipe says). Of new data those with absent
// samples too: a window that cannot be judged neither raises nor ends an alarm, and is not on the clock. Of the
// recipe's own data they are left out.
ScoreRun run(const Detector& detector, const data::Dataset& dataset, int64_t stride = 0,
             EmbeddingCapture* capture = nullptr);

// CSV: recording, first sample, times, state, stratum, event, split, every score, p-value, level, alarm, whether it is
// outside the learned range, sick sensors, and the residual of each effect channel.
std::string to_csv(const ScoreRun& run, const data::Dataset& dataset);

}  // namespace cmr::score
