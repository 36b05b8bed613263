#include "eval/vus.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "eval/check.h"
#include "eval/ranks.h"
#include "eval/runs.h"

namespace cmr::eval {
namespace {

// What no buffer changes.
struct Test {
    std::span<const double> scores;
    std::span<const int64_t> recordings;
    std::vector<int64_t> order;  // by falling score
    std::vector<FlaggedRun> anomalies;
    int64_t anomalous_points = 0;
};

Test prepare(std::span<const double> scores, std::span<const uint8_t> labels, std::span<const int64_t> recordings,
             int64_t buffer) {
    const ClassCounts counts = require_two_classes(scores, labels);
    if (buffer < 0) throw InputError("a buffer of {} points, 0 or more are needed", buffer);
    return {scores, recordings, descending(scores), flagged_runs(labels, recordings), counts.faulty};
}

std::vector<double> soft_labels(const Test& test, int64_t buffer) {
    const int64_t points = std::ssize(test.scores);
    std::vector<double> weights(points, 0.0);
    for (const FlaggedRun& a : test.anomalies) {
        std::fill(weights.begin() + a.begin, weights.begin() + a.end, 1.0);
        const int64_t recording = test.recordings[a.begin];
        const auto slope = [&](int64_t step, int64_t from) {
            for (int64_t d = 1; d <= buffer / 2; ++d) {
                const int64_t at = from + step * d;
                if (at < 0 || at >= points || test.recordings[at] != recording) return;
                weights[at] += std::sqrt(1 - static_cast<double>(d) / static_cast<double>(buffer));
            }
        };
        slope(-1, a.begin);
        slope(+1, a.end - 1);
    }
    for (double& weight : weights) weight = std::min(weight, 1.0);
    return weights;
}

// The greatest score in each range, falling: a range holds a flagged point from that threshold down.
std::vector<double> range_peaks(const Test& test, std::span<const double> weights) {
    std::vector<uint8_t> inside(weights.size());
    std::ranges::transform(weights, inside.begin(), [](double weight) { return weight > 0; });
    std::vector<double> peaks;
    for (const FlaggedRun& s : flagged_runs(inside, test.recordings))
        peaks.push_back(*std::max_element(test.scores.begin() + s.begin, test.scores.begin() + s.end));
    std::ranges::sort(peaks, std::greater());
    return peaks;
}

double area(const Test& test, int64_t buffer) {
    const std::vector<double> weights = soft_labels(test, buffer);
    const std::vector<double> peaks = range_peaks(test, weights);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double positives = 0.5 * (static_cast<double>(test.anomalous_points) + total);
    double sum = 0, hits = 0, recall = 0;
    int64_t found = 0;  // ranges
    for (int64_t begin = 0, end = 0; begin < std::ssize(test.order); begin = end) {
        end = end_of_ties(test.scores, test.order, begin);
        for (int64_t i = begin; i < end; ++i) hits += weights[test.order[i]];
        while (found < std::ssize(peaks) && peaks[found] >= test.scores[test.order[begin]]) ++found;
        const double existence = static_cast<double>(found) / static_cast<double>(peaks.size());
        const double now = std::min(1.0, hits / positives) * existence;
        sum += (now - recall) * hits / static_cast<double>(end);
        recall = now;
    }
    return sum;
}

}  // namespace

double range_auc_pr(std::span<const double> scores, std::span<const uint8_t> labels,
                    std::span<const int64_t> recordings, int64_t buffer) {
    return area(prepare(scores, labels, recordings, buffer), buffer);
}

VusPr vus_pr(std::span<const double> scores, std::span<const uint8_t> labels, std::span<const int64_t> recordings,
             int64_t max_buffer) {
    const Test test = prepare(scores, labels, recordings, max_buffer);
    VusPr out;
    for (int64_t buffer = 0; buffer <= max_buffer; ++buffer) out.range_auc_pr.push_back(area(test, buffer));
    out.volume = std::accumulate(out.range_auc_pr.begin(), out.range_auc_pr.end(), 0.0) /
                 static_cast<double>(out.range_auc_pr.size());
    return out;
}

}  // namespace cmr::eval
