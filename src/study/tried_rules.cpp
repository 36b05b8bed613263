#include "study/tried_rules.h"

#include <numeric>

#include "eval/ranking.h"
#include "study/rules.h"

namespace cmr::study {

std::vector<RuleResult> tried_rules(const score::Detector& detector, const score::ScoreRun& run,
                                    const TestWindows& test) {
    const std::vector<std::string>& voices = detector.pipeline.combined().voices();
    const auto columns = [&](const Matrix& values, const std::vector<std::string>& names,
                             const std::vector<int64_t>& rows) {
        Matrix some(std::ssize(rows), std::ssize(voices));
        for (size_t k = 0; k < voices.size(); ++k) {
            const std::vector<double> column = score_column(values, names, voices[k], &rows);
            for (int64_t i = 0; i < some.rows; ++i) some.row(i)[k] = static_cast<float>(column[i]);
        }
        return some;
    };
    std::vector<int64_t> all(detector.healthy.scores.rows);
    std::iota(all.begin(), all.end(), 0);
    const Matrix healthy = columns(detector.healthy.scores, detector.names(), all);
    const Matrix tested = columns(run.scores.values, run.scores.names, test.rows);
    std::vector<RuleResult> out;
    for (const Rule& rule : rules())
        out.push_back({std::string(rule.name), eval::auroc(rule.join(healthy, tested), test.faulty)});
    return out;
}

}  // namespace cmr::study
