#include "study/tables.h"

namespace cmr::study {
namespace {

using Build = std::vector<Table> (*)(const Outcome&);
constexpr Build kTables[] = {
    tables::verdict,      tables::claims,   tables::leaderboard, tables::scoring,  tables::strata,     tables::stealth,
    tables::folds,        tables::seeds,    tables::f1,          tables::axes,     tables::neighbours, tables::poolings,
    tables::significance, tables::coverage, tables::cost,        tables::failures,
};

}  // namespace

std::vector<Table> make_tables(const Outcome& outcome) {
    std::vector<Table> out;
    for (const Build build : kTables)
        for (Table& table : build(outcome)) {
            if (table.rows.empty() || table.columns.empty()) continue;
            add_published(outcome.plan().published, table);
            out.push_back(std::move(table));
        }
    return out;
}

}  // namespace cmr::study
