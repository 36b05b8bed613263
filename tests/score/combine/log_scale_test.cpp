#include "score/combine/log_scale.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace cmr::score {
namespace {

// exp(2 + 0.5 · normal), and one in a thousand is far off.
std::vector<double> log_normal_scores() {
    Rng rng(1);
    std::vector<double> out;
    for (int i = 0; i < 20'000; ++i) out.push_back(i % 1000 == 0 ? 1e9 : std::exp(2 + 0.5 * rng.normal()));
    return out;
}

TEST(LogScale, OfNormalLogarithmsIsTheirMeanAndStandardDeviation) {
    for (const LogScale& scale : {log_scale(log_normal_scores()), upper_log_scale(log_normal_scores())}) {
        EXPECT_NEAR(scale.median, 2, 0.02);
        EXPECT_NEAR(scale.deviation, 0.5, 0.03);
        EXPECT_NEAR(scale.z(std::exp(2 + 3 * 0.5)), 3, 0.2);
    }
}

TEST(LogScale, EvidenceIsNothingBelowAndTheDeviationsAbove) {
    EXPECT_NEAR(evidence_of(-10), 0, 1e-4);
    EXPECT_NEAR(evidence_of(0), std::log(2), 1e-12);
    EXPECT_NEAR(evidence_of(10), 10, 1e-4);
    EXPECT_NEAR(evidence_of(30 + 1e-9), evidence_of(30), 1e-6);
    EXPECT_NEAR(evidence_of(1029), 30 + std::log(1000), 1e-9);
}

}  // namespace
}  // namespace cmr::score
