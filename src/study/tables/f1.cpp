#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> f1(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        ResultTable table{
            .name = e.name + "-f1",
            .title = fmt::format("{}: best F1{} ({})", e.name, faults_of(e), protocol_of(outcome, e)),
            .note =
                "The threshold is chosen with the labels at hand: oracle numbers. Point-adjusted F1 counts "
                "a whole fault as found when one point of it is flagged; it inflates and is shown only "
                "because others show it.",
            .corner = "method and score",
            .columns = {"windows", "windows, point-adjusted (inflated)"},
            .rows = {}};
        if (e.pointwise) {
            table.columns.emplace_back("samples");
            table.columns.emplace_back("samples, point-adjusted (inflated)");
        }
        for (const Line& line : outcome.lines(e)) {
            ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{line.name(), {}});
            const auto add = [&](double ScoreResult::*member) {
                row.cells.push_back(shown(
                    outcome.spread(e, outcome.of(e, line.method),
                                   score_number(line.score, [=](const ScoreResult& score) { return score.*member; }))));
            };
            add(&ScoreResult::best_f1);
            add(&ScoreResult::adjusted_f1);
            if (e.pointwise) {
                add(&ScoreResult::point_f1);
                add(&ScoreResult::point_adjusted_f1);
            }
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
