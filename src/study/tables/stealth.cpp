#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> stealth(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        if (e.stealthy.empty()) continue;
        ResultTable table{
            .name = e.name + "-stealthy",
            .title = fmt::format("{}: AUROC of stealthy and blunt faults ({})", e.name, protocol_of(outcome, e)),
            .note =
                "Stealthy: the marginal score of the window is below this percentile of the healthy "
                "training windows'.",
            .corner = "method and score",
            .columns = {},
            .rows = {}};
        const auto lines = outcome.lines(e);
        if (lines.empty()) continue;
        const auto& sample = outcome.of(e, lines.front().method).front()->scores.front().stealth;
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
