#include "base/text.h"
#include "study/caps.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> cost(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        ResultTable table{
            .name = e.name + "-cost",
            .title = e.name + ": what each method takes",
            .note = "Wall-clock on a machine that may have had other work; memory is the peak of the fit. " +
                    capped_words(outcome, {e}),
            .corner = "method",
            .columns = {"parameters", "training windows", "epochs", "fit, s", "peak, MB", "scored windows/s",
                        "threads"},
            .rows = {}};
        for (const std::string& method : e.methods) {
            const auto results = outcome.of(e, method);
            if (results.empty()) continue;
            const auto mean = [&](const std::function<double(const Result&)>& of) {
                return outcome.spread(e, results, [&](const Result& r) { return std::optional(of(r)); })->mean;
            };
            const Result& first = *results.front();
            table.rows.push_back({method,
                                  {with_commas(first.parameters), with_commas(first.train_windows),
                                   fmt::format("{:.0f}", mean([](const Result& r) { return double(r.epochs); })),
                                   fmt::format("{:.1f}", mean([](const Result& r) { return r.fit_seconds; })),
                                   fmt::format("{:.0f}", mean([](const Result& r) { return r.peak_mb; })),
                                   fmt::format("{:.0f}", mean([](const Result& r) { return r.windows_per_second; })),
                                   std::to_string(first.threads)}});
        }
        out.push_back(std::move(table));
    }
    return out;
}

std::vector<ResultTable> failures(const Outcome& outcome) {
    ResultTable table{.name = "failures",
                      .title = "Cells that gave no detector",
                      .note = "A model that learned nothing or does not fit into memory is refused, not reported.",
                      .corner = "cell",
                      .columns = {"reason"},
                      .rows = {}};
    for (const auto& [id, r] : outcome.results())
        if (r.status != "done") table.rows.push_back({id, {r.reason}});
    return {table};
}

}  // namespace cmr::study::tables
