// The same encoder judged by the score of its publication and by k-NN on its embeddings.

#include "model/methods/method.h"
#include "study/caps.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> scoring(const Outcome& outcome) {
    ResultTable out{
        .name = "scoring",
        .title = "Native score against k-NN on the same embeddings, AUROC",
        .note =
            "Difference: k-NN less native, of the same fits. cmr has no native score; in its place stands what "
            "its decoders cannot rebuild, where that was asked for. " +
            capped_words(outcome, outcome.plan().experiments),
        .corner = "method",
        .columns = {},
        .rows = {}};
    for (const Experiment& e : outcome.plan().experiments)
        for (const char* what : {"native", "k-NN", "difference"}) out.columns.push_back(e.name + " " + what);
    std::vector<std::string> methods;
    for (const Experiment& e : outcome.plan().experiments)
        for (const std::string& method : e.methods)
            if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
    for (const std::string& method : methods) {
        const std::string native =
            model::method_named(method).native != model::Native::kNone ? "native" : "reconstruction";
        ResultTable::Row row{method, {}};
        bool any = false;
        for (const Experiment& e : outcome.plan().experiments) {
            const auto results = outcome.of(e, method);
            const Number by_native = auroc_of(native, e.stratum), by_knn = auroc_of("knn", e.stratum);
            const auto difference = outcome.spread(e, results, [&](const Result& r) -> std::optional<double> {
                const auto a = by_native(r), b = by_knn(r);
                return a && b ? std::optional(*b - *a) : std::nullopt;
            });
            any |= difference.has_value();
            row.cells.insert(row.cells.end(), {shown(outcome.spread(e, results, by_native)),
                                               shown(outcome.spread(e, results, by_knn)), shown(difference)});
        }
        if (any) out.rows.push_back(std::move(row));
    }
    return {out};
}

}  // namespace cmr::study::tables
