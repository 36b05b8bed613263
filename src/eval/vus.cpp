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
struct Recording {
    std::span<const double> scores;
    std::vector<int64_t> order;  // by falling score
    std::vector<FlaggedRun> anomalies;
    int64_t anomalous_points = 0;
};

Recording prepare(std::span<const double> scores, std::span<const uint8_t> labels, int64_t buffer) {
    const ClassCounts counts = require_two_classes(scores, labels);
    if (buffer < 0) throw InputError("a buffer of {} points, 0 or more are needed", buffer);
    return {scores, descending(scores), flagged_runs(labels), counts.faulty};
}

std::vector<double> soft_labels(const Recording& r, int64_t buffer) {
    const int64_t points = std::ssize(r.scores);
    std::vector<double> weights(points, 0.0);
    for (const FlaggedRun& a : r.anomalies) {
        std::fill(weights.begin() + a.begin, weights.begin() + a.end, 1.0);
        for (int64_t d = 1; d <= std::min(buffer / 2, points); ++d) {
            const double slope = std::sqrt(1 - static_cast<double>(d) / static_cast<double>(buffer));
            if (a.begin - d >= 0) weights[a.begin - d] += slope;
            if (a.end - 1 + d < points) weights[a.end - 1 + d] += slope;
        }
    }
    for (double& weight : weights) weight = std::min(weight, 1.0);
    return weights;
}

// The greatest score in each range, falling: a range holds a flagged point from that threshold down.
std::vector<double> range_peaks(const Recording& r, std::span<const double> weights) {
    std::vector<uint8_t> inside(weights.size());
    std::ranges::transform(weights, inside.begin(), [](double weight) { return weight > 0; });
    std::vector<double> peaks;
    for (const FlaggedRun& s : flagged_runs(inside))
        peaks.push_back(*std::max_element(r.scores.begin() + s.begin, r.scores.begin() + s.end));
    std::ranges::sort(peaks, std::greater());
    return peaks;
}

double area(const Recording& r, int64_t buffer) {
    const std::vector<double> weights = soft_labels(r, buffer);
    const std::vector<double> peaks = range_peaks(r, weights);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double positives = 0.5 * (static_cast<double>(r.anomalous_points) + total);
    double sum = 0, hits = 0, recall = 0;
    int64_t found = 0;  // ranges
    for (int64_t begin = 0, end = 0; begin < std::ssize(r.order); begin = end) {
        end = end_of_ties(r.scores, r.order, begin);
        for (int64_t i = begin; i < end; ++i) hits += weights[r.order[i]];
        while (found < std::ssize(peaks) && peaks[found] >= r.scores[r.order[begin]]) ++found;
        const double existence = static_cast<double>(found) / static_cast<double>(peaks.size());
        const double now = std::min(1.0, hits / positives) * existence;
        sum += (now - recall) * hits / static_cast<double>(end);
        recall = now;
    }
    return sum;
}

}  // namespace

double range_auc_pr(std::span<const double> scores, std::span<const uint8_t> labels, int64_t buffer) {
    return area(prepare(scores, labels, buffer), buffer);
}

VusPr vus_pr(std::span<const double> scores, std::span<const uint8_t> labels, int64_t max_buffer) {
    const Recording recording = prepare(scores, labels, max_buffer);
    VusPr out;
    for (int64_t buffer = 0; buffer <= max_buffer; ++buffer) out.range_auc_pr.push_back(area(recording, buffer));
    out.volume = std::accumulate(out.range_auc_pr.begin(), out.range_auc_pr.end(), 0.0) /
                 static_cast<double>(out.range_auc_pr.size());
    return out;
}

}  // namespace cmr::eval
