#pragma once
// Why there is an alarm: which effect left its healthy relation, to which cause, since when, and what kind of trouble
// that is.

#include <optional>
#include <string>
#include <vector>

#include "score/score_run.h"

namespace cmr::score {

enum class Verdict {
    kNormal,          // below the alarm line, by known causes
    kMechanismBroke,  // the effect does not follow its causes, though it looks healthy by itself, or others do not
                      // either
    kEffectAbnormal,  // one effect is frozen, or odd by itself while every other follows its causes: its sensor?
    kOutsideRange,    // causes as they never were in healthy data: the detector cannot judge, alarm or not
    kSensorSick,      // a sensor is sick, and that explains the alarm; or there is none
    kUnjudged,        // a cause is absent, or every effect
};

std::string_view name(Verdict verdict);

struct ChannelEvidence {
    std::string name;
    double residual = 0;  // what it contributes to the alarm, in healthy deviations: see Attribution
    double alone = 0;     // how odd the channel is by itself, in healthy deviations
    bool frozen = false;  // it stands still for all of this window, which is odd, or for longer than it ever did
    double coupling = 0;  // share of its healthy variance that lagged causes foretell (R²)
    double observed = 0;  // mean over the window, in its own unit,
    double expected = 0;  //   and what its causes make one expect; the same where `score.only` left the mechanism out
};

struct SickSensor {
    std::string name;
    Sickness sickness = Sickness::kNone;
    bool effect = false;
};

struct CauseEvidence {
    std::string name;
    double share = 0;  // of the effect's unexplained part that goes away if the effect no longer answers this cause
    double alone = 0;  // how odd the cause is by itself, in healthy deviations
};

// An effect that left its relation, and since when.
struct Departure {
    std::string name;
    double onset_s = 0;
};

struct Explanation {
    Verdict verdict = Verdict::kNormal;
    std::string sentence;
    int64_t window = 0;  // of the run
    double at_s = 0;     // its end
    double onset_s = 0;  // when the alarm's first window ended to be normal
    double level = 0, p_value = 1;
    std::string voice;                             // that says most of the window
    std::vector<SickSensor> sensors;               // those of the window that are not well; the one to look at first
    double cause_level = 0;                        // above 1: new causes
    std::vector<std::string> newly_active_causes;  // that never moved in the healthy data, in most of the windows
    std::vector<ChannelEvidence> effects;          // the worst first
    // Of the first effect, the likeliest first; outside the range the oddest first.
    std::vector<CauseEvidence> causes;
    bool cause_named = false;     // does the first explain more than causes do by chance?
    std::vector<Departure> root;  // effects that left their relation, the one where it began first: see onsets.h
};

// Windows in a row that are close to the alarm line or above belong together. What the effects do is the mean over
// those up to `window`, at most eight. Whether causes are new shows in the long run: there up to 32 on each side count.
// `onset_s`: when the trouble began, where that was before the first window of the run.
Explanation explain(const Detector& detector, const data::Dataset& dataset, const ScoreRun& run, int64_t window,
                    std::optional<double> onset_s = {});

}  // namespace cmr::score
