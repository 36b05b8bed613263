// k-NN at every pooling, k and metric, all from one fit of each cell.

#include <algorithm>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
std::vector<ResultTable> neighbours(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        if (e.ks.size() < 2) continue;
        std::vector<std::string> strata = outcome.strata(e);
        if (strata.size() < 2 || strata.size() > 4) strata.clear();
        strata.insert(strata.begin(), "");
        // cmr as it is and with other gradients; every rival as it is.
        struct Column {
            std::string name, method;
            Setting setting;
        };
        std::vector<Column> sides;
        for (const Axis& axis : e.axis)
            if (axis.key == "model.stop_gradient")
                for (const std::string& value : axis.values)
                    sides.push_back(
                        {value == "true" ? "cmr, stop-gradient" : "cmr, no stop-gradient", "cmr", {axis.key, value}});
        for (const std::string& method : e.methods)
            if (method != "cmr" || sides.empty()) sides.push_back({method, method, {}});
        const std::string &pooling = e.poolings.front(), &metric = e.metrics.front();
        ResultTable table{
            .name = e.name + "-k",
            .title = fmt::format("{}: k-NN at several k, {} pooling, {} ({})", e.name, pooling, metric,
                                 protocol_of(outcome, e)),
            .note = spread_of(outcome, e) + ". Choosing k from this table would be choosing on the test windows.",
            .corner = "k",
            .columns = {},
            .rows = {}};
        for (const Column& side : sides)
            for (const std::string& stratum : strata)
                table.columns.push_back(stratum.empty() ? side.name : side.name + ", " + stratum);
        for (const int64_t k : e.ks) {
            ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{std::to_string(k), {}});
            for (const Column& side : sides)
                for (const std::string& stratum : strata)
                    row.cells.push_back(shown(outcome.spread(e, outcome.of(e, side.method, side.setting),
                                                             grid_auroc(pooling, metric, k, stratum))));
        }
        out.push_back(std::move(table));
    }
    return out;
}

std::vector<ResultTable> poolings(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        if (e.poolings.size() < 2) continue;
        for (const std::string& method : e.methods) {
            const auto results = outcome.of(e, method);
            struct Best {
                std::string pooling, where;
                Spread auroc;
            };
            std::vector<Best> ranked;
            for (const std::string& pooling : e.poolings) {
                std::optional<Best> best;
                for (const std::string& metric : e.metrics)
                    for (const int64_t k : e.ks)
                        if (const auto s = outcome.spread(e, results, grid_auroc(pooling, metric, k, e.stratum));
                            s && (!best || s->mean > best->auroc.mean))
                            best = Best{pooling, fmt::format("k = {}, {}", k, metric), *s};
                if (best) ranked.push_back(*best);
            }
            std::ranges::sort(ranked, std::greater(), [](const Best& b) { return b.auroc.mean; });
            ResultTable table{.name = fmt::format("{}-{}-poolings", e.name, method),
                              .title = fmt::format("{}: poolings of {}, each at its best k and metric{} ({})", e.name,
                                                   method, faults_of(e), protocol_of(outcome, e)),
                              .note = "Oracle numbers: k and metric were chosen on the test windows.",
                              .corner = "pooling",
                              .columns = {"AUROC", "best at"},
                              .rows = {}};
            for (const Best& best : ranked) table.rows.push_back({best.pooling, {shown(best.auroc), best.where}});
            out.push_back(std::move(table));
        }
    }
    return out;
}

}  // namespace cmr::study::tables
