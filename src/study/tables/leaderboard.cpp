#include <algorithm>

#include "study/caps.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

std::string cell_of(const Outcome& outcome, const Experiment& e, Line line) {
    // Controls are the same whoever brings them.
    if (line.control) {
        const auto own = outcome.lines(e);
        if (const auto found = std::ranges::find(own, line.name(), &Line::name); found != own.end())
            line.method = found->method;
    }
    if (std::ranges::find(e.methods, line.method) == e.methods.end()) return "";
    const auto failed = std::ssize(outcome.failed(e, line.method));
    return shown(outcome.auroc(e, line)) + (failed > 0 ? fmt::format(" ({} failed)", failed) : "");
}

}  // namespace

std::vector<ResultTable> leaderboard(const Outcome& outcome) {
    ResultTable out{.name = "leaderboard",
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
        out.note += fmt::format("{}: {}{}. ", e.name, spread_of(outcome, e), faults_of(e));
    }
    out.note += capped_words(outcome, outcome.plan().experiments);
    // A method that failed wherever it was tried has no score, but a row.
    for (const Experiment& e : outcome.plan().experiments)
        for (const std::string& method : e.methods)
            if (!outcome.failed(e, method).empty() && std::ranges::find(lines, method, &Line::method) == lines.end())
                lines.push_back({method, ""});
    std::stable_partition(lines.begin(), lines.end(), [](const Line& line) { return !line.control; });
    for (const Line& line : lines) {
        ResultTable::Row& row =
            out.rows.emplace_back(ResultTable::Row{line.score.empty() ? line.method : line.name(), {}});
        for (const Experiment& e : outcome.plan().experiments) row.cells.push_back(cell_of(outcome, e, line));
    }
    return {out};
}

}  // namespace cmr::study::tables
