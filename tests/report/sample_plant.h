#pragma once
// Two days of a water plant at one score a second, as a detector would hand them over: drawn, not simulated. Three
// attacks exchange what some sensors report; a broken logger leaves an hour out; one alarm is false.

#include <cstdint>
#include <string>
#include <vector>

#include "base/matrix.h"

namespace cmr::test {

struct SampleAttack {
    std::string name, channel, cause;
    int64_t begin = 0, end = 0;  // rows
    double delay = -1;           // seconds; negative: missed
};

struct SamplePlant {
    std::vector<double> times;  // seconds since 1970
    std::vector<std::string> channels;
    Matrix residuals;                                  // [times, channels], in healthy deviations
    std::vector<float> combined, mechanism, marginal;  // alarm at 1
    std::vector<std::pair<double, double>> alarms;
    std::vector<SampleAttack> attacks;
    int64_t fit_end = 0;                                         // healthy rows at the begin
    std::vector<float> pump, valve, flow, level, expected_flow;  // P401, MV301, FIT401, LIT401
};

SamplePlant make_sample_plant();

}  // namespace cmr::test
