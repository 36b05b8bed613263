// Is cmr better or worse than each of the others, on the same folds and seeds?
//
// By the protocol "paper" a pair is a fold, each side the mean over its runs; where there is one fold, and by "strict",
// it is a fit.

#include <algorithm>
#include <cmath>

#include "eval/summary.h"
#include "eval/wilcoxon.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> significance(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto results = outcome.of(e, "cmr");
        if (results.empty()) continue;
        const auto other_fold = [&](const Result* r) { return r->fold != results.front()->fold; };
        const bool by_fold = outcome.protocol_of(e) == "paper" && std::ranges::any_of(results, other_fold);
        const auto pair = by_fold ? pair_up_folds : pair_up;
        for (const std::string& score : {results.front()->main_score, std::string("combined")}) {
            const Line ours{"cmr", score};
            std::vector<Line> others;
            std::vector<Pairs> pairs;
            std::vector<double> p;
            int64_t most = 0;  // pairs
            for (const Line& line : outcome.lines(e)) {
                if (line.name() == ours.name()) continue;
                Pairs found = pair(results, auroc_of(score, e.stratum), outcome.of(e, line.method),
                                   auroc_of(line.score, e.stratum));
                if (found.count() < 3 || found.first == found.second) continue;
                p.push_back(eval::wilcoxon_signed_rank(found.first, found.second).p_value);
                most = std::max(most, found.count());
                others.push_back(line);
                pairs.push_back(std::move(found));
            }
            if (others.empty()) continue;
            const std::vector<double> corrected = eval::holm(p);
            const double least = std::pow(0.5, static_cast<double>(most) - 1);
            ResultTable table{
                .name = fmt::format("{}-against-{}", e.name, score),
                .title = fmt::format("{}: cmr {} against the others, Wilcoxon's signed-rank test ({})", e.name, score,
                                     protocol_of(outcome, e)),
                .note = fmt::format("Pairs are {}; with {} of them no p is below {:.2g}. Corrected after Holm for {} "
                                    "questions.",
                                    by_fold ? "folds, each the mean over its seeds" : "fits of the same seed and fold",
                                    most, least, others.size()),
                .corner = "against",
                .columns = {"pairs", "cmr better in", "median difference", "p", "p corrected"},
                .rows = {}};
            for (size_t i = 0; i < others.size(); ++i) {
                const std::vector<double> differences = pairs[i].differences();
                const auto wins = std::ranges::count_if(differences, [](double d) { return d > 0; });
                table.rows.push_back({others[i].name(),
                                      {std::to_string(differences.size()), std::to_string(wins),
                                       fmt::format("{:+.4f}", eval::median(differences)), fmt::format("{:.2g}", p[i]),
                                       fmt::format("{:.2g}", corrected[i])}});
            }
            out.push_back(std::move(table));
            if (score == "combined") break;  // where it is the main score, too
        }
    }
    return out;
}

}  // namespace cmr::study::tables
