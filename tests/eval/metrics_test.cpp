#include "eval/metrics.h"

#include <cmath>

#include "eval/f1.h"
#include "eval/samples.h"
#include "eval/vus.h"

namespace cmr::eval {
namespace {

using test::Labels;
using test::Values;
using Numbers = std::vector<int64_t>;

struct Recording {
    Values scores;
    Labels faulty;
};

Metrics metrics_of(const std::vector<Recording>& all) {
    Values scores;
    Labels faulty;
    Numbers recordings;
    for (size_t r = 0; r < all.size(); ++r) {
        scores.insert(scores.end(), all[r].scores.begin(), all[r].scores.end());
        faulty.insert(faulty.end(), all[r].faulty.begin(), all[r].faulty.end());
        recordings.resize(scores.size(), static_cast<int64_t>(r));
    }
    return compute_metrics(scores, faulty, Numbers(scores.size(), 0), recordings);
}

void expect_same(const Metrics& a, const Metrics& b) {
    EXPECT_DOUBLE_EQ(a.auroc, b.auroc);
    EXPECT_DOUBLE_EQ(a.average_precision, b.average_precision);
    EXPECT_DOUBLE_EQ(a.best_f1, b.best_f1);
    EXPECT_DOUBLE_EQ(a.adjusted_f1, b.adjusted_f1);
    EXPECT_NEAR(a.vus_pr, b.vus_pr, 1e-12);
}

// A fault that ends one recording and one that begins the next are two, whatever is put between them.
TEST(Metrics, AreTheSameForRecordingsThatAbutAndThatAreApart) {
    const Recording ends_faulty{{0, 0, 0, 9, 0}, {0, 0, 0, 1, 1}}, begins_faulty{{0, 0, 1, 0, 0}, {1, 1, 0, 0, 0}},
        healthy{Values(20, 0.0), Labels(20, 0)};
    const Metrics abutting = metrics_of({ends_faulty, begins_faulty, healthy});
    const Metrics apart = metrics_of({ends_faulty, healthy, begins_faulty});
    expect_same(abutting, apart);
    // At 9 the first fault is found wholly, the second not at all: P 1, R 1/2.
    EXPECT_DOUBLE_EQ(abutting.adjusted_f1, 2.0 / 3);
}

TEST(Metrics, DoNotDependOnTheOrderOfRecordings) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        std::vector<Recording> recordings;
        for (const char* name : {"a", "b", "c", "d"}) {
            auto [scores, labels] = test::make_sample(Rng(seed).split(name), 40, 2);
            labels.front() = labels.back() = 1;
            recordings.push_back({scores, labels});
        }
        const Metrics forwards = metrics_of(recordings);
        std::swap(recordings[0], recordings[2]);
        std::swap(recordings[1], recordings[3]);
        expect_same(metrics_of(recordings), forwards);
    }
}

// The slope of a fault does not soften the beginning of the next recording.
TEST(Metrics, SlopesEndWithTheRecording) {
    const Values scores{0, 5, 9, 7, 0, 0};
    const Labels labels{0, 0, 1, 0, 0, 0};
    // Buffer 2, one recording: weights 0, √½, 1, √½, 0, 0 and P = 1 + √½. 9: hits 1 of 1. 7: 1 + √½ of 2, all there is.
    const double root = std::sqrt(0.5);
    EXPECT_NEAR(range_auc_pr(scores, labels, Numbers(6, 0), 2), 1 / (1 + root) + root / (1 + root) * (1 + root) / 2,
                1e-15);
    // The recording ends with the fault: weights 0, √½, 1 and P = 1 + √½ / 2. 9: 1 of 1. 7: nothing more. 5: the rest.
    const double positives = 1 + root / 2;
    EXPECT_NEAR(range_auc_pr(scores, labels, Numbers{0, 0, 0, 1, 1, 1}, 2),
                1 / positives + (1 - 1 / positives) * (1 + root) / 3, 1e-15);
}

TEST(Metrics, VusSoftensByUpToTenSamples) {
    const auto [scores, labels] = test::make_sample(Rng(1), 300, 2);
    const Metrics metrics = metrics_of({{scores, labels}});
    const Numbers one(scores.size(), 0);
    EXPECT_DOUBLE_EQ(metrics.vus_pr, vus_pr(scores, labels, one, 10).volume);
    EXPECT_NE(metrics.vus_pr, vus_pr(scores, labels, one, 11).volume) << "so that the test can fail";
}

TEST(Metrics, HaveTheMeansOfTheScore) {
    const Metrics metrics = metrics_of({{{1, 3, 5, 6, 7}, {0, 0, 1, 1, 1}}});
    EXPECT_EQ(metrics.healthy_mean, 2);
    EXPECT_EQ(metrics.faulty_mean, 6);
    EXPECT_EQ(coverage_ratio(metrics.healthy_mean, metrics.faulty_mean), 3);
}

TEST(Coverage, OfABankThatHoldsTheHealthySamplesIsUnknown) {
    EXPECT_EQ(coverage_ratio(3, 3), 1);
    EXPECT_TRUE(std::isnan(coverage_ratio(0, 1)));
    EXPECT_TRUE(std::isnan(coverage_ratio(-1, 1)));
}

}  // namespace
}  // namespace cmr::eval
