#include "study/embedding_grid.h"

#include <algorithm>
#include <iterator>

#include "eval/ranking.h"
#include "score/features/pooling.h"
#include "score/scorers/kept_bank.h"
#include "study/named_strata.h"

namespace cmr::study {

std::vector<GridResult> embedding_grid(const Cell& cell, const std::vector<std::string>& poolings, int64_t most_numbers,
                                       const score::Features& bank, const score::Features& windows,
                                       const TestWindows& test, const data::Dataset& dataset) {
    std::vector<GridResult> out;
    for (const std::string& name : poolings) {
        const score::Pooling pooling(name, bank);
        const Matrix healthy = pooling(bank), queries = pooling(windows);
        for (const std::string& metric : cell.metrics) {
            const score::KeptBank kept(healthy, score::metric_named(metric), most_numbers);
            std::vector<int64_t> ks;
            std::ranges::copy_if(cell.ks, std::back_inserter(ks), [&](int64_t k) { return k <= kept.search().rows(); });
            const Matrix distances = kept.search().score_each(queries, ks);
            for (size_t i = 0; i < ks.size(); ++i) {
                std::vector<double> scores;
                for (int64_t row = 0; row < distances.rows; ++row) scores.push_back(distances.row(row)[i]);
                out.push_back({name, metric, ks[i], eval::auroc(scores, test.faulty),
                               named_strata(eval::auroc_per_stratum(scores, test.faulty, test.stratum), dataset)});
            }
        }
    }
    return out;
}

}  // namespace cmr::study
