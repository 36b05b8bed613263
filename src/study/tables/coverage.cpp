// Why a fold fails: where held-out healthy windows are as far from the bank as faulty ones, nothing is left to tell.

#include <algorithm>
#include <set>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> coverage(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto results = outcome.of(e, "cmr");
        std::set<int64_t> folds;
        for (const Result* r : results) folds.insert(r->fold);
        ResultTable table{.name = e.name + "-coverage",
                          .title = fmt::format("{}: mean k-NN distance to the healthy bank, cmr ({}{})", e.name,
                                               protocol_of(outcome, e), all_faults_of(e)),
                          .note = "A ratio near 1: the bank does not cover what is healthy in this fold.",
                          .corner = "fold",
                          .columns = {"healthy test windows", "faulty windows", "ratio", "AUROC of k-NN"},
                          .rows = {}};
        for (const int64_t fold : folds) {
            const auto some = outcome.of_fold(e, "cmr", fold);
            const auto number = [&](const std::function<double(const ScoreResult&)>& of, int digits) {
                return shown(outcome.spread(e, some, score_number("knn", of)), digits);
            };
            table.rows.push_back({fold_title(*some.front()),
                                  {number([](const ScoreResult& s) { return s.healthy_mean; }, 4),
                                   number([](const ScoreResult& s) { return s.faulty_mean; }, 4),
                                   shown(outcome.spread(e, some, coverage_of("knn")), 3),
                                   number([](const ScoreResult& s) { return s.auroc; }, 3)}});
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
