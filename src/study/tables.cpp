#include "study/tables.h"

#include "study/voices.h"

namespace cmr::study {
namespace {

using Build = std::vector<ResultTable> (*)(const Outcome&);
// Of several experiments, but never of two protocols.
constexpr Build kSummaries[] = {tables::left_out, tables::promises,    tables::verdict,
                                tables::claims,   tables::leaderboard, tables::scoring};
// Of one experiment each, and of cells that failed.
constexpr Build kTables[] = {
    tables::strata,   tables::hardest,      tables::severity, tables::stealth, tables::marginals,
    tables::folds,    tables::seeds,        tables::f1,       tables::axes,    tables::neighbours,
    tables::poolings, tables::significance, tables::coverage, tables::cost,    tables::failures,
};

}  // namespace

std::vector<ResultTable> make_tables(const Outcome& outcome) {
    std::vector<ResultTable> out;
    // `of`: the experiments that a summary is of.
    const auto add = [&](ResultTable table, const Outcome& of) -> ResultTable* {
        if (table.rows.empty() || table.columns.empty()) return nullptr;
        add_published(outcome.plan().published, table);
        say_what_is_combined(of, table);
        return &out.emplace_back(std::move(table));
    };
    const std::vector<std::string> protocols = outcome.protocols();
    for (const Build build : kSummaries)
        for (const std::string& protocol : protocols) {
            const Outcome some = outcome.by_protocol(protocol);
            for (ResultTable& table : build(some)) {
                table.summary = true;
                if (ResultTable* added = add(std::move(table), some)) {
                    added->title += ", protocol " + protocol;
                    if (protocols.size() > 1) added->name += "-" + protocol;
                }
            }
        }
    for (const Build build : kTables)
        for (ResultTable& table : build(outcome)) add(std::move(table), outcome);
    return out;
}

}  // namespace cmr::study
