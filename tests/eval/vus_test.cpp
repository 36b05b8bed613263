#include "eval/vus.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "eval/ranking.h"
#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kNan;
using test::Labels;
using test::Values;

std::vector<int64_t> one_recording(const Labels& labels) { return std::vector<int64_t>(labels.size(), 0); }

double range_auc_pr(const Values& scores, const Labels& labels, int64_t buffer) {
    return eval::range_auc_pr(scores, labels, one_recording(labels), buffer);
}

VusPr vus_pr(const Values& scores, const Labels& labels, int64_t max_buffer) {
    return eval::vus_pr(scores, labels, one_recording(labels), max_buffer);
}

// The definition in the header, point by point and threshold by threshold.
double range_auc_as_written(const Values& scores, const Labels& labels, int64_t buffer) {
    const int64_t n = std::ssize(scores);
    const auto faulty = [&](int64_t t) { return t >= 0 && t < n && labels[t]; };
    Values weights(n, 0.0);
    for (int64_t t = 0; t < n; ++t) {
        for (int64_t a = 0; a < n; ++a) {
            const int64_t d = std::abs(t - a);
            if (!faulty(a) || faulty(t) || d > buffer / 2) continue;
            const bool is_edge = a > t ? !faulty(a - 1) : !faulty(a + 1);
            if (is_edge) weights[t] += std::sqrt(1 - static_cast<double>(d) / static_cast<double>(buffer));
        }
        weights[t] = faulty(t) ? 1 : std::min(1.0, weights[t]);
    }
    double anomalous = 0, total = 0, ranges = 0;
    for (int64_t t = 0; t < n; ++t) {
        anomalous += labels[t] ? 1 : 0;
        total += weights[t];
        ranges += weights[t] > 0 && (t == 0 || weights[t - 1] == 0) ? 1 : 0;
    }
    double area = 0, before = 0;
    for (const double threshold : std::set<double, std::greater<>>(scores.begin(), scores.end())) {
        double hits = 0, flagged = 0, found = 0;
        bool in_range_found = false;
        for (int64_t t = 0; t < n; ++t) {
            if (weights[t] == 0) in_range_found = false;
            if (scores[t] < threshold) continue;
            hits += weights[t], ++flagged;
            if (weights[t] > 0 && !in_range_found) in_range_found = true, ++found;
        }
        const double recall = std::min(1.0, hits / (0.5 * (anomalous + total))) * found / ranges;
        area += (recall - before) * hits / flagged;
        before = recall;
    }
    return area;
}

TEST(RangeAucPr, IsAveragePrecisionForOneAnomalyWithoutBuffer) {
    Rng rng(1);
    Values scores;
    Labels labels;
    for (int64_t i = 0; i < 200; ++i) {
        labels.push_back(i >= 50 && i < 90);
        scores.push_back(std::round(4 * rng.normal() + 3 * labels.back()));
    }
    EXPECT_NEAR(range_auc_pr(scores, labels, 0), average_precision(scores, labels), 1e-14);
    EXPECT_NEAR(range_auc_pr(scores, labels, 1), average_precision(scores, labels), 1e-14);  // half of 1 is 0 points
}

TEST(RangeAucPr, WorkedByHand) {
    // Buffer 2: weights 0, √½, 1, √½, 0. P = (1 + 1 + 2√½) / 2 = 1 + √½. The peak is one point late.
    const Values scores{1, 2, 4, 5, 3};
    const Labels labels{0, 0, 1, 0, 0};
    const double root = std::sqrt(0.5), positives = 1 + root;
    // 5: hits √½ of 1. 4: hits 1 + √½ of 2, and recall is full. The rest adds nothing.
    const double area = root / positives * root + (1 - root / positives) * (1 + root) / 2;
    EXPECT_NEAR(range_auc_pr(scores, labels, 2), area, 1e-15);
    EXPECT_NEAR(range_auc_pr(scores, labels, 0), 0.5, 1e-15);
}

TEST(RangeAucPr, AsksForEveryAnomaly) {
    // Two anomalies; the second is never seen before all is flagged. Existence halves the recall until then.
    const Values scores{0, 9, 0, 0, 0, 0};
    const Labels labels{0, 1, 0, 0, 1, 0};
    // 9: hits 1, recall ½ · ½, precision 1. 0: recall 1, precision 2/6.
    EXPECT_NEAR(range_auc_pr(scores, labels, 0), 0.25 + 0.75 / 3, 1e-15);
}

TEST(RangeAucPr, IsWhatTheDefinitionSays) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        const auto [scores, labels] = test::make_sample(Rng(seed), 2 + 3 * seed, seed % 2 ? 2 : 1e6);
        for (const int64_t buffer : {0, 1, 2, 3, 5, 8, 13, 200})
            EXPECT_NEAR(range_auc_pr(scores, labels, buffer), range_auc_as_written(scores, labels, buffer), 1e-12)
                << "seed " << seed << ", buffer " << buffer;
    }
}

TEST(VusPr, IsTheMeanOverTheBuffers) {
    const auto [scores, labels] = test::make_sample(Rng(2), 300, 3);
    const VusPr vus = vus_pr(scores, labels, 10);
    ASSERT_EQ(vus.range_auc_pr.size(), 11u);
    double sum = 0;
    for (int64_t buffer = 0; buffer <= 10; ++buffer) {
        EXPECT_EQ(vus.range_auc_pr[buffer], range_auc_pr(scores, labels, buffer));
        sum += vus.range_auc_pr[buffer];
    }
    EXPECT_NEAR(vus.volume, sum / 11, 1e-15);
}

TEST(VusPr, StaysBetweenNothingAndOneAndIgnoresRisingFunctions) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const auto [scores, labels] = test::make_sample(Rng(seed), 120, 3);
        const double volume = vus_pr(scores, labels, 16).volume;
        EXPECT_GT(volume, 0);
        EXPECT_LE(volume, 1);
        Values risen = scores;
        for (double& score : risen) score = std::atan(score);
        EXPECT_EQ(vus_pr(risen, labels, 16).volume, volume);
        Labels turned(labels.rbegin(), labels.rend());  // time has no direction
        EXPECT_NEAR(vus_pr(Values(scores.rbegin(), scores.rend()), turned, 16).volume, volume, 1e-12);
    }
}

TEST(VusPr, ForgivesAScoreThatIsALittleLate) {
    Values late(400, 0.0);
    Labels labels(400, 0);
    for (int64_t i = 100; i < 140; ++i) labels[i] = 1, late[i + 8] = 1;
    EXPECT_GT(vus_pr(late, labels, 40).volume, average_precision(late, labels) + 0.05);
    EXPECT_EQ(vus_pr(Values(labels.begin(), labels.end()), labels, 0).volume, 1);
}

TEST(VusPr, SaysWhatIsWrong) {
    using test::expect_input_error;
    expect_input_error([] { vus_pr(Values{}, Labels{}, 1); }, {"no scores"});
    expect_input_error([] { vus_pr(Values{1, kNan}, Labels{0, 1}, 1); }, {"NaN"});
    expect_input_error([] { vus_pr(Values{1, 2}, Labels{0, 0}, 1); }, {"2 healthy and 0 faulty"});
    expect_input_error([] { vus_pr(Values{1, 2}, Labels{0, 1}, -1); }, {"buffer of -1"});
    expect_input_error([] { range_auc_pr(Values{1, 2}, Labels{0, 1}, -2); }, {"buffer of -2"});
}

}  // namespace
}  // namespace cmr::eval
