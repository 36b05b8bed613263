#include "score/detector.h"

namespace cmr::score {

HealthyScores::HealthyScores(Matrix all, HealthyTrace times) : scores(std::move(all)), trace(std::move(times)) {
    std::vector<float> combined;
    for (int64_t i = 0; i < scores.rows; ++i) combined.push_back(scores.row(i).back());
    trace.score.assign(combined.begin(), combined.end());
    tail = Tail(std::move(combined));
}

double Detector::threshold() const {
    return alarm.calibration ? alarm.calibration->threshold : healthy.tail.healthy().back();
}

}  // namespace cmr::score
