#include "eval/f1.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "eval/check.h"
#include "eval/ranks.h"
#include "eval/runs.h"

namespace cmr::eval {

BestF1 best_f1(std::span<const double> scores, std::span<const uint8_t> labels) {
    const ClassCounts counts = require_two_classes(scores, labels);
    const std::vector<int64_t> order = descending(scores);
    BestF1 best{scores[order[0]], 0, 0, 0};
    int64_t found = 0;
    for (int64_t begin = 0, end = 0; begin < std::ssize(order); begin = end) {
        end = end_of_ties(scores, order, begin);
        for (int64_t i = begin; i < end; ++i) found += labels[order[i]] ? 1 : 0;
        const auto hits = static_cast<double>(found), flagged = static_cast<double>(end);
        const auto faulty = static_cast<double>(counts.faulty);
        const double f1 = 2 * hits / (flagged + faulty);  // the same as by precision and recall, and never 0/0
        if (f1 > best.f1) best = {scores[order[begin]], hits / flagged, hits / faulty, f1};
    }
    return best;
}

BestF1 best_f1_point_adjusted(std::span<const double> scores, std::span<const uint8_t> labels,
                              std::span<const int64_t> recordings) {
    require_two_classes(scores, labels);
    // An anomaly counts wholly from its greatest score on, so giving that score to all its points is the adjustment.
    std::vector<double> adjusted(scores.begin(), scores.end());
    for (const FlaggedRun& s : flagged_runs(labels, recordings)) {
        const auto begin = adjusted.begin() + s.begin, end = adjusted.begin() + s.end;
        std::fill(begin, end, *std::max_element(begin, end));
    }
    return best_f1(adjusted, labels);
}

std::vector<double> point_scores(std::span<const double> window_scores, std::span<const int64_t> begins, int64_t length,
                                 int64_t points) {
    if (window_scores.size() != begins.size())
        throw InputError("{} window scores but {} window begins, one begin per score is needed", window_scores.size(),
                         begins.size());
    require_numbers("window scores", window_scores);
    if (length < 1) throw InputError("windows of {} points, at least 1 is needed", length);
    std::vector<double> out(std::max<int64_t>(points, 0), -std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < begins.size(); ++i) {
        if (begins[i] < 0 || begins[i] > points - length)
            throw InputError("window {} covers points {} to {}, but there are only points 0 to {}", i + 1, begins[i],
                             begins[i] + length - 1, points - 1);
        for (int64_t t = begins[i]; t < begins[i] + length; ++t) out[t] = std::max(out[t], window_scores[i]);
    }
    return out;
}

}  // namespace cmr::eval
