#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> strata(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<std::string> names = outcome.strata(e);
        if (names.size() < 2) continue;
        ResultTable table{.name = e.name + "-strata",
                          .title = fmt::format("{}: AUROC of each kind of fault against all healthy windows ({})",
                                               e.name, protocol_of(outcome, e)),
                          .note = spread_of(outcome, e),
                          .corner = "method and score",
                          .columns = {"overall"},
                          .rows = {}};
        table.columns.insert(table.columns.end(), names.begin(), names.end());
        for (const Line& line : outcome.lines(e)) {
            const auto results = outcome.of(e, line.method);
            ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{line.name(), {}});
            row.cells.push_back(shown(outcome.spread(e, results, auroc_of(line.score))));
            for (const std::string& name : names)
                row.cells.push_back(shown(outcome.spread(e, results, auroc_of(line.score, name))));
        }
        out.push_back(std::move(table));
    }
    return out;
}

std::vector<ResultTable> hardest(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const auto ours = outcome.of(e, "cmr");
        const std::vector<std::string> names = outcome.strata(e);
        if (names.size() < 2 || ours.empty()) continue;
        ResultTable table{
            .name = e.name + "-hardest",
            .title = fmt::format("{}: cmr against the best control for each kind of fault, AUROC ({})", e.name,
                                 protocol_of(outcome, e)),
            .note =
                "Which control is best for a fault only the labels know, so together they are more than any "
                "detector has; " +
                spread_of(outcome, e) + ".",
            .corner = "fault",
            .columns = {"best control", "cmr mechanism", "cmr combined", "combined less best control"},
            .rows = {}};
        for (const std::string& name : names) {
            const auto auroc = [&](const Line& line) {
                return outcome.spread(e, outcome.of(e, line.method), auroc_of(line.score, name));
            };
            std::optional<Spread> best;
            std::string whose;
            for (const Line& line : outcome.lines(e))
                if (const auto spread = auroc(line); line.control && spread && (!best || spread->mean > best->mean)) {
                    best = spread;
                    whose = line.score;
                }
            const auto combined = auroc({"cmr", "combined"});
            if (!best || !combined) continue;
            table.rows.push_back({name,
                                  {fmt::format("{} ({})", shown(best), whose), shown(auroc({"cmr", "mechanism"})),
                                   shown(combined), fmt::format("{:+.3f}", combined->mean - best->mean)}});
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
