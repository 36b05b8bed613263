#include "score/detector.h"

#include <algorithm>
#include <cmath>

namespace cmr::score {

HealthyScores::HealthyScores(Matrix all, HealthyTrace times, const recipe::Recipe& recipe)
    : scores(std::move(all)), trace(std::move(times)) {
    // By what the trace itself says: earlier files hold the windows of training alone.
    const int64_t length = recipe.window.length,
                  stride = std::max<int64_t>(1, std::llround(trace.period_s * recipe.data.rate_hz));
    trace.overlap = (length + stride - 1) / stride;
    trace.score.clear();
    for (int64_t i = 0; i < scores.rows; ++i) trace.score.push_back(scores.row(i).back());
    clocks = Clocks(trace, trace.period_s * static_cast<double>(length) / static_cast<double>(stride));
    const std::vector<double> slow = clocks.slow(trace.score, trace.segment, trace.period_s);
    for (size_t i = 0; i < slow.size(); ++i) trace.score[i] = static_cast<float>(std::max(trace.score[i], slow[i]));
    tail = Tail(std::vector<float>(trace.score.begin(), trace.score.end()));
}

double Detector::threshold() const {
    return alarm.calibration ? alarm.calibration->threshold : healthy.tail.healthy().back();
}

}  // namespace cmr::score
