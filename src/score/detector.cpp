#include "score/detector.h"

#include <algorithm>

namespace cmr::score {

HealthyScores::HealthyScores(Matrix all, HealthyTrace times, const recipe::Window& window)
    : scores(std::move(all)), trace(std::move(times)) {
    trace.score.clear();
    for (int64_t i = 0; i < scores.rows; ++i) trace.score.push_back(scores.row(i).back());
    clocks = Clocks(trace, window);
    const std::vector<double> slow = clocks.slow(trace.score, trace.segment, trace.period_s);
    for (size_t i = 0; i < slow.size(); ++i) trace.score[i] = static_cast<float>(std::max(trace.score[i], slow[i]));
    tail = Tail(std::vector<float>(trace.score.begin(), trace.score.end()));
}

double Detector::threshold() const {
    return alarm.calibration ? alarm.calibration->threshold : healthy.tail.healthy().back();
}

}  // namespace cmr::score
