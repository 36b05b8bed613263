#include "eval/ranking.h"

#include <limits>
#include <map>

#include "base/error.h"
#include "eval/check.h"
#include "eval/ranks.h"

namespace cmr::eval {

double auroc(std::span<const double> scores, std::span<const uint8_t> labels) {
    const ClassCounts counts = require_two_classes(scores, labels);
    const std::vector<double> ranks = mid_ranks(scores);
    double sum = 0;  // exact: halves of whole numbers
    for (size_t i = 0; i < labels.size(); ++i)
        if (labels[i]) sum += ranks[i];
    const auto faulty = static_cast<double>(counts.faulty), healthy = static_cast<double>(counts.healthy);
    return (sum - 0.5 * faulty * (faulty + 1)) / (faulty * healthy);
}

std::vector<RocPoint> roc_curve(std::span<const double> scores, std::span<const uint8_t> labels) {
    const ClassCounts counts = require_two_classes(scores, labels);
    const std::vector<int64_t> order = descending(scores);
    std::vector<RocPoint> curve{{std::numeric_limits<double>::infinity(), 0, 0}};
    ClassCounts flagged;
    for (int64_t begin = 0, end = 0; begin < std::ssize(order); begin = end) {
        end = end_of_ties(scores, order, begin);
        for (int64_t i = begin; i < end; ++i) ++(labels[order[i]] ? flagged.faulty : flagged.healthy);
        curve.push_back({scores[order[begin]],
                         static_cast<double>(flagged.healthy) / static_cast<double>(counts.healthy),
                         static_cast<double>(flagged.faulty) / static_cast<double>(counts.faulty)});
    }
    return curve;
}

double average_precision(std::span<const double> scores, std::span<const uint8_t> labels) {
    const ClassCounts counts = require_two_classes(scores, labels);
    const std::vector<int64_t> order = descending(scores);
    double sum = 0;
    int64_t found = 0;
    for (int64_t begin = 0, end = 0; begin < std::ssize(order); begin = end) {
        end = end_of_ties(scores, order, begin);
        int64_t more = 0;
        for (int64_t i = begin; i < end; ++i) more += labels[order[i]] ? 1 : 0;
        found += more;
        sum += static_cast<double>(more) * static_cast<double>(found) / static_cast<double>(end);
    }
    return sum / static_cast<double>(counts.faulty);
}

std::vector<StratumAuroc> auroc_per_stratum(std::span<const double> scores, std::span<const uint8_t> labels,
                                            std::span<const int64_t> strata) {
    require_two_classes(scores, labels);
    if (strata.size() != scores.size())
        throw InputError("{} scores but {} strata, one stratum per score is needed", scores.size(), strata.size());
    std::vector<double> healthy;
    std::map<int64_t, std::vector<double>> faulty;
    for (size_t i = 0; i < scores.size(); ++i) (labels[i] ? faulty[strata[i]] : healthy).push_back(scores[i]);
    std::vector<StratumAuroc> out;
    for (auto& [stratum, values] : faulty) {
        const int64_t count = std::ssize(values);
        std::vector<uint8_t> flags(count, 1);
        values.insert(values.end(), healthy.begin(), healthy.end());
        flags.resize(values.size(), 0);
        out.push_back({stratum, count, auroc(values, flags)});
    }
    return out;
}

}  // namespace cmr::eval
