#include <algorithm>
#include <set>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

// Windows at each percentile, of all folds together. Each seed has the same.
std::vector<StealthResult> counts(const std::vector<const Result*>& results) {
    std::vector<StealthResult> out;
    std::set<int64_t> folds;
    for (const Result* r : results) {
        if (!folds.insert(r->fold).second) continue;
        const std::vector<StealthResult>& own = r->scores.front().stealth;
        out.resize(own.size());
        for (size_t i = 0; i < own.size(); ++i) {
            out[i].percentile = own[i].percentile;
            out[i].stealthy_windows += own[i].stealthy_windows;
            out[i].blunt_windows += own[i].blunt_windows;
        }
    }
    return out;
}

}  // namespace

std::vector<ResultTable> stealth(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        if (e.stealthy.empty()) continue;
        ResultTable table{.name = e.name + "-stealthy",
                          .title = fmt::format("{}: AUROC of stealthy and blunt faults{} ({})", e.name, faults_of(e),
                                               protocol_of(outcome, e)),
                          .note =
                              "Stealthy: the marginal score of the window is below this percentile of those of the "
                              "healthy windows that the detector knows.",
                          .corner = "method and score",
                          .columns = {},
                          .rows = {}};
        const auto lines = outcome.lines(e);
        if (lines.empty()) continue;
        const std::vector<StealthResult> sample = counts(outcome.of(e, lines.front().method));
        ResultTable::Row windows{"windows", {}};
        for (const StealthResult& s : sample) {
            table.columns.push_back(fmt::format("stealthy at {} %", s.percentile));
            table.columns.push_back(fmt::format("blunt at {} %", s.percentile));
            windows.cells.push_back(std::to_string(s.stealthy_windows));
            windows.cells.push_back(std::to_string(s.blunt_windows));
        }
        table.rows.push_back(std::move(windows));
        for (const Line& line : lines) {
            ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{line.name(), {}});
            const auto results = outcome.of(e, line.method);
            for (const StealthResult& s : sample)
                for (double StealthResult::*side : {&StealthResult::stealthy, &StealthResult::blunt})
                    row.cells.push_back(
                        shown(outcome.spread(e, results, stealth_auroc(line.score, s.percentile, side))));
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
