#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<Table> leaderboard(const Outcome& outcome) {
    Table out{.name = "leaderboard",
              .title = "AUROC of every method and score",
              .note = "",
              .corner = "method and score",
              .columns = {},
              .rows = {}};
    std::vector<Line> lines;
    for (const Experiment& e : outcome.plan().experiments) {
        out.columns.push_back(e.name);
        for (const Line& line : outcome.lines(e))
            if (std::ranges::none_of(lines, [&](const Line& known) { return known.name() == line.name(); }))
                lines.push_back(line);
        out.note += fmt::format("{}: {}, {}{}. ", e.name, protocol_of(outcome, e), spread_of(e),
                                e.stratum.empty() ? "" : ", faults of stratum \"" + e.stratum + "\"");
    }
    std::ranges::stable_partition(lines, [](const Line& line) { return !line.control; });
    for (const Line& line : lines) {
        Table::Row& row = out.rows.emplace_back(Table::Row{line.name(), {}});
        for (const Experiment& e : outcome.plan().experiments) {
            const bool meant = std::ranges::find(e.methods, line.method) != e.methods.end();
            const auto failed = meant ? std::ssize(outcome.failed(e, line.method)) : 0;
            std::string cell = meant ? shown(outcome.auroc(e, line)) : "";
            if (failed > 0) cell += fmt::format(" ({} failed)", failed);
            row.cells.push_back(cell);
        }
    }
    return {out};
}

}  // namespace cmr::study::tables
