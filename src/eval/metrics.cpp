#include "eval/metrics.h"

#include <limits>

#include "eval/f1.h"
#include "eval/vus.h"

namespace cmr::eval {
namespace {

// Anomalies are softened by up to this many samples on each side.
constexpr int64_t kVusBuffer = 10;

}  // namespace

Metrics compute_metrics(std::span<const double> scores, std::span<const uint8_t> labels,
                        std::span<const int64_t> strata, std::span<const int64_t> recordings) {
    Metrics out;
    out.auroc = auroc(scores, labels);
    out.average_precision = average_precision(scores, labels);
    out.vus_pr = vus_pr(scores, labels, recordings, kVusBuffer).volume;
    out.best_f1 = best_f1(scores, labels).f1;
    out.adjusted_f1 = best_f1_point_adjusted(scores, labels, recordings).f1;
    out.strata = auroc_per_stratum(scores, labels, strata);
    int64_t faulty = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
        (labels[i] != 0 ? out.faulty_mean : out.healthy_mean) += scores[i];
        faulty += labels[i] != 0;
    }
    out.faulty_mean /= static_cast<double>(faulty);
    out.healthy_mean /= static_cast<double>(std::ssize(scores) - faulty);
    return out;
}

double coverage_ratio(double healthy_mean, double faulty_mean) {
    return healthy_mean > 0 ? faulty_mean / healthy_mean : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace cmr::eval
