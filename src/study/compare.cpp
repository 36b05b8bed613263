#include "study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/summary.h"
#include "eval/wilcoxon.h"

namespace cmr::study {
namespace {

constexpr int64_t kEnoughForATest = 6;  // pairs: with fewer no p is below 0.05

std::string judge(const Pairs& pairs) {
    if (pairs.first == pairs.second) return "the same";
    if (pairs.count() >= kEnoughForATest) {
        const double p = eval::wilcoxon_signed_rank(pairs.first, pairs.second).p_value;
        return fmt::format("{} (p = {:.2g})", p < 0.05 ? "more than noise" : "within noise", p);
    }
    const std::optional<double> error = pairs.standard_error();
    if (!error) return "one pair: cannot be told";
    return std::abs(eval::summarise(pairs.differences()).mean) > 2 * *error
               ? fmt::format("more than two standard errors ({:.4f})", *error)
               : "within noise";
}

}  // namespace

std::vector<ResultTable> compare(const Outcome& before, const Outcome& after) {
    std::vector<ResultTable> out;
    for (const Experiment& e : after.plan().experiments) {
        const auto& theirs = before.plan().experiments;
        const auto old = std::ranges::find(theirs, e.name, &Experiment::name);
        if (old == theirs.end()) continue;
        ResultTable table{
            .name = e.name + "-change",
            .title = e.name + ": AUROC of both runs, fits of the same seed and fold",
            .note = fmt::format("Noise: Wilcoxon's signed-rank test from {} pairs on, else two standard errors "
                                "of the mean difference.",
                                kEnoughForATest),
            .corner = "method and score",
            .columns = {"pairs", "before", "after", "difference", "verdict"},
            .rows = {}};
        for (const Line& line : after.lines(e)) {
            const Pairs pairs = pair_up(after.of(e, line.method), auroc_of(line.score, e.stratum),
                                        before.of(*old, line.method), auroc_of(line.score, old->stratum));
            if (pairs.count() == 0) continue;
            const double first = eval::summarise(pairs.second).mean, second = eval::summarise(pairs.first).mean;
            table.rows.push_back(
                {line.name(),
                 {std::to_string(pairs.count()), fmt::format("{:.4f}", first), fmt::format("{:.4f}", second),
                  fmt::format("{:+.4f}", second - first), judge(pairs)}});
        }
        if (!table.rows.empty()) out.push_back(std::move(table));
    }
    if (out.empty()) throw InputError("the two runs have no finished experiment, seed and fold in common");
    return out;
}

}  // namespace cmr::study
