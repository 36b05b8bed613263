#include <algorithm>
#include <set>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

// The best of the grid on the faults that count, chosen on the test windows themselves: an upper bound, not a result.
Number oracle(const Experiment& e) {
    return [&e](const Result& r) {
        std::optional<double> best;
        for (const GridResult& g : r.grid) {
            const auto stratum = std::ranges::find(g.strata, e.stratum, &StratumResult::name);
            if (!e.stratum.empty() && stratum == g.strata.end()) continue;
            const double auroc = e.stratum.empty() ? g.auroc : stratum->auroc;
            if (!best || auroc > *best) best = auroc;
        }
        return best;
    };
}

// One row per fold or per seed.
std::vector<Table> by(const Outcome& outcome, int64_t Result::*key, const std::string& what) {
    std::vector<Table> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<Line> lines = outcome.main_lines(e);
        std::set<int64_t> keys;
        std::map<int64_t, std::string> names;
        bool has_grid = false;
        for (const Line& line : lines)
            for (const Result* r : outcome.of(e, line.method)) {
                keys.insert(r->*key);
                names[r->fold] = r->fold_name;
                has_grid |= line.method == "cmr" && !r->grid.empty();
            }
        if (keys.size() < 2) continue;
        Table table{.name = fmt::format("{}-{}s", e.name, what),
                    .title = fmt::format("{}: AUROC of each {} ({})", e.name, what, protocol_of(outcome, e)),
                    .note = has_grid ? "Oracle: pooling, k and metric chosen on the test windows of the fold itself, "
                                       "an upper bound that no deployed detector reaches."
                                     : "",
                    .corner = what,
                    .columns = {},
                    .rows = {}};
        for (const Line& line : lines) table.columns.push_back(line.name());
        if (has_grid) table.columns.emplace_back("cmr k-NN, oracle");
        for (const int64_t k : keys) {
            const std::string& fold = names[k];
            Table::Row& row = table.rows.emplace_back(
                Table::Row{what == "fold" && !fold.empty() ? fmt::format("{} ({})", k, fold) : std::to_string(k), {}});
            const auto add = [&](const std::string& method, const Number& number) {
                std::vector<const Result*> results = outcome.of(e, method);
                std::erase_if(results, [&](const Result* r) { return r->*key != k; });
                row.cells.push_back(shown(outcome.spread(e, results, number)));
            };
            for (const Line& line : lines)
                add(line.method, [&](const Result& r) { return Outcome::headline(e, r, line.score); });
            if (has_grid) add("cmr", oracle(e));
        }
        Table::Row& mean = table.rows.emplace_back(Table::Row{"mean", {}});
        for (const Line& line : lines) mean.cells.push_back(shown(outcome.auroc(e, line)));
        if (has_grid) mean.cells.push_back(shown(outcome.spread(e, outcome.of(e, "cmr"), oracle(e))));
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace

std::vector<Table> folds(const Outcome& outcome) { return by(outcome, &Result::fold, "fold"); }
std::vector<Table> seeds(const Outcome& outcome) { return by(outcome, &Result::seed, "seed"); }

}  // namespace cmr::study::tables
