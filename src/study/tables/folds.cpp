#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

// One row per fold or per seed.
std::vector<ResultTable> by(const Outcome& outcome, int64_t Result::*key, const std::string& what) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<Line> lines = outcome.main_lines(e);
        std::map<int64_t, std::string> names;  // of the rows
        bool has_grid = false;
        for (const Line& line : lines)
            for (const Result* r : outcome.of(e, line.method)) {
                names[r->*key] = what == "fold" ? fold_title(*r) : std::to_string(r->seed);
                has_grid |= line.method == "cmr" && !r->grid.empty();
            }
        if (names.size() < 2) continue;
        ResultTable table{.name = fmt::format("{}-{}s", e.name, what),
                          .title = fmt::format("{}: AUROC of each {} ({})", e.name, what, protocol_of(outcome, e)),
                          .note = has_grid
                                      ? "Oracle: pooling, k and metric chosen on the test windows of the fold itself, "
                                        "an upper bound that no deployed detector reaches."
                                      : "",
                          .corner = what,
                          .columns = {},
                          .rows = {}};
        for (const Line& line : lines) table.columns.push_back(line.name());
        if (has_grid) table.columns.emplace_back("cmr k-NN, oracle");
        for (const auto& [k, name] : names) {
            ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{name, {}});
            const auto add = [&](const std::string& method, const Number& number) {
                std::vector<const Result*> results = outcome.of(e, method);
                std::erase_if(results, [&, wanted = k](const Result* r) { return r->*key != wanted; });
                row.cells.push_back(shown(outcome.spread(e, results, number)));
            };
            for (const Line& line : lines) add(line.method, auroc_of(line.score, e.stratum));
            if (has_grid) add("cmr", oracle_auroc(e.stratum));
        }
        ResultTable::Row& mean = table.rows.emplace_back(ResultTable::Row{"mean", {}});
        for (const Line& line : lines) mean.cells.push_back(shown(outcome.auroc(e, line)));
        if (has_grid) mean.cells.push_back(shown(outcome.spread(e, outcome.of(e, "cmr"), oracle_auroc(e.stratum))));
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace

std::vector<ResultTable> folds(const Outcome& outcome) { return by(outcome, &Result::fold, "fold"); }
std::vector<ResultTable> seeds(const Outcome& outcome) { return by(outcome, &Result::seed, "seed"); }

}  // namespace cmr::study::tables
