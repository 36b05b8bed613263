#include <algorithm>
#include <set>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

std::vector<const Result*> of_all_methods(const Outcome& outcome, const Experiment& e) {
    std::vector<const Result*> out;
    for (const std::string& method : e.methods)
        for (const Result* r : outcome.of(e, method)) out.push_back(r);
    return out;
}

std::set<int64_t> folds_of(const std::vector<const Result*>& results) {
    std::set<int64_t> out;
    for (const Result* r : results) out.insert(r->fold);
    return out;
}

// Windows at each percentile, of all folds together. Each seed has the same, and so has each method.
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

// Of methods that have no detector of some folds, whose rows are not of all windows.
std::string missing_folds(const Outcome& outcome, const Experiment& e, int64_t all) {
    std::string out;
    for (const std::string& method : e.methods) {
        const auto own = std::ssize(folds_of(outcome.of(e, method)));
        if (own < all && own > 0) out += fmt::format(" Rows of {} are of {} of {} folds.", method, own, all);
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
        const std::vector<const Result*> all = of_all_methods(outcome, e);
        const std::vector<StealthResult> sample = counts(all);
        table.note += missing_folds(outcome, e, std::ssize(folds_of(all)));
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
