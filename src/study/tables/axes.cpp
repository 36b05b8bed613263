#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

// model.cause_weight → cause-weight
std::string short_name(const std::string& key) {
    std::string out = key.substr(key.rfind('.') + 1);
    std::ranges::replace(out, '_', '-');
    return out;
}

}  // namespace

std::vector<ResultTable> axes(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<std::string> strata = outcome.strata(e);
        for (const Axis& axis : e.axis)
            for (const std::string& method : axis.methods) {
                std::string over;  // of the first value with several fits: a run may not be done yet
                for (const std::string& value : axis.values)
                    if (over.empty()) over = outcome.spread_over(e, {axis.key, value});
                ResultTable table{.name = fmt::format("{}-{}-{}", e.name, method, short_name(axis.key)),
                                  .title = fmt::format("{}: {} at several values of {}, AUROC ({})", e.name, method,
                                                       axis.key, protocol_of(outcome, e)),
                                  .note = spread_words(outcome, e, over),
                                  .corner = axis.key,
                                  .columns = {},
                                  .rows = {}};
                std::vector<std::pair<std::string, std::string>> columns;  // score, stratum
                for (const Line& line : outcome.lines(e)) {
                    if (line.method != method || line.control) continue;
                    columns.emplace_back(line.score, "");
                    const auto results = outcome.of(e, method);
                    const bool main = !results.empty() && line.score == results.front()->main_score;
                    if (main && strata.size() > 1 && strata.size() <= 4)
                        for (const std::string& stratum : strata) columns.emplace_back(line.score, stratum);
                }
                for (const auto& [score, stratum] : columns)
                    table.columns.push_back(stratum.empty() ? score : score + " " + stratum);
                for (const std::string& value : axis.values) {
                    const auto results = outcome.of(e, method, {axis.key, value});
                    ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{value, {}});
                    for (const auto& [score, stratum] : columns)
                        row.cells.push_back(shown(outcome.spread(e, results, auroc_of(score, stratum))));
                }
                out.push_back(std::move(table));
            }
    }
    return out;
}

}  // namespace cmr::study::tables
