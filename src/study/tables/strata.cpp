#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<Table> strata(const Outcome& outcome) {
    std::vector<Table> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<std::string> names = outcome.strata(e);
        if (names.size() < 2) continue;
        Table table{.name = e.name + "-strata",
                    .title = fmt::format("{}: AUROC of each kind of fault against all healthy windows ({})", e.name,
                                         protocol_of(outcome, e)),
                    .note = spread_of(outcome, e),
                    .corner = "method and score",
                    .columns = {"overall"},
                    .rows = {}};
        table.columns.insert(table.columns.end(), names.begin(), names.end());
        for (const Line& line : outcome.lines(e)) {
            const auto results = outcome.of(e, line.method);
            Table::Row& row = table.rows.emplace_back(Table::Row{line.name(), {}});
            row.cells.push_back(shown(outcome.spread(e, results, auroc_of(line.score))));
            for (const std::string& name : names)
                row.cells.push_back(shown(outcome.spread(e, results, auroc_of(line.score, name))));
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
