#include "study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/summary.h"
#include "eval/wilcoxon.h"

namespace cmr::study {
namespace {

constexpr size_t kEnoughForATest = 6;  // pairs: with fewer no p is below 0.05

std::string judge(const std::vector<double>& before, const std::vector<double>& after) {
    std::vector<double> differences;
    for (size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
    if (std::ranges::all_of(differences, [](double d) { return d == 0; })) return "the same";
    if (before.size() >= kEnoughForATest) {
        const double p = eval::wilcoxon_signed_rank(after, before).p_value;
        return fmt::format("{} (p = {:.2g})", p < 0.05 ? "more than noise" : "within noise", p);
    }
    if (before.size() < 2) return "one pair: cannot be told";
    const eval::Summary s = eval::summarise(differences);
    const double error = *s.deviation / std::sqrt(static_cast<double>(s.count));
    return std::abs(s.mean) > 2 * error ? fmt::format("more than two standard errors ({:.4f})", error) : "within noise";
}

}  // namespace

std::vector<Table> compare(const Outcome& before, const Outcome& after) {
    std::vector<Table> out;
    for (const Experiment& e : after.plan().experiments) {
        const auto& theirs = before.plan().experiments;
        const auto old = std::ranges::find(theirs, e.name, &Experiment::name);
        if (old == theirs.end()) continue;
        Table table{.name = e.name + "-change",
                    .title = e.name + ": AUROC of both runs, fits of the same seed and fold",
                    .note = fmt::format("Noise: Wilcoxon's signed-rank test from {} pairs on, else two standard errors "
                                        "of the mean difference.",
                                        kEnoughForATest),
                    .corner = "method and score",
                    .columns = {"pairs", "before", "after", "difference", "verdict"},
                    .rows = {}};
        for (const Line& line : after.lines(e)) {
            std::vector<double> a, b;
            for (const Result* x : before.of(*old, line.method))
                for (const Result* y : after.of(e, line.method)) {
                    if (x->seed != y->seed || x->fold != y->fold) continue;
                    const auto from = Outcome::headline(*old, *x, line.score),
                               to = Outcome::headline(e, *y, line.score);
                    if (!from || !to) continue;
                    a.push_back(*from);
                    b.push_back(*to);
                }
            if (a.empty()) continue;
            const double first = eval::summarise(a).mean, second = eval::summarise(b).mean;
            table.rows.push_back(
                {line.name(),
                 {std::to_string(a.size()), fmt::format("{:.4f}", first), fmt::format("{:.4f}", second),
                  fmt::format("{:+.4f}", second - first), judge(a, b)}});
        }
        if (!table.rows.empty()) out.push_back(std::move(table));
    }
    if (out.empty()) throw InputError("the two runs have no finished experiment, seed and fold in common");
    return out;
}

}  // namespace cmr::study
