// Rules judged by datasets that they were not chosen with.

#include <algorithm>
#include <cmath>

#include "study/rules.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

// One dataset: means over the fits of cmr, or of the first method where it is not there.
struct Set {
    const Experiment* experiment;
    std::vector<double> rules;  // in their order
    double combined = 0;
    double both = NAN;  // by both clocks; results of earlier versions do not have it
    double best = 0;    // of the single voices
    std::string whose;
};

std::optional<double> mean_of(const std::vector<const Result*>& results, const Number& number) {
    double sum = 0;
    for (const Result* r : results) {
        const std::optional<double> value = number(*r);
        if (!value || !std::isfinite(*value)) return std::nullopt;
        sum += *value;
    }
    if (results.empty()) return std::nullopt;
    return sum / static_cast<double>(results.size());
}

std::optional<Set> set_of(const Outcome& outcome, const Experiment& e) {
    const bool cmr = std::ranges::find(e.methods, "cmr") != e.methods.end();
    const std::vector<const Result*> results = outcome.of(e, cmr ? "cmr" : e.methods.front());
    Set out{&e, {}, 0, NAN, 0, {}};
    for (const Rule& rule : rules()) {
        const auto mean = mean_of(results, rule_auroc(std::string(rule.name)));
        if (!mean) return std::nullopt;
        out.rules.push_back(*mean);
    }
    const auto combined = mean_of(results, auroc_of("combined", e.stratum));
    if (!combined) return std::nullopt;
    out.combined = *combined;
    out.both = mean_of(results, auroc_of("both", e.stratum)).value_or(NAN);
    for (const ScoreResult& score : results.front()->scores) {
        // A mechanism without any of the network's is a voice as well.
        if (!(score.weight > 0) && score.name != "mechanism") continue;
        const auto mean = mean_of(results, auroc_of(score.name, e.stratum));
        if (!mean || *mean <= out.best) continue;
        out.best = *mean;
        out.whose = score.name;
    }
    return out;
}

// The rule with the highest mean over the datasets of other recipes; none where there is no other.
std::optional<size_t> chosen_without(const std::vector<Set>& sets, const Set& left_out) {
    std::vector<double> sums(rules().size(), 0.0);
    int64_t others = 0;
    for (const Set& set : sets) {
        const Experiment &a = *set.experiment, &b = *left_out.experiment;
        if (a.recipe == b.recipe && a.simulated == b.simulated) continue;
        ++others;
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += set.rules[i];
    }
    if (others == 0) return std::nullopt;
    return std::ranges::max_element(sums) - sums.begin();
}

}  // namespace

std::vector<ResultTable> left_out(const Outcome& outcome) {
    std::vector<Set> sets;
    for (const Experiment& e : outcome.plan().experiments)
        if (auto set = set_of(outcome, e)) sets.push_back(std::move(*set));
    ResultTable out{
        .name = "left-out",
        .title = "Rules chosen without the dataset that they are shown for, AUROC",
        .note =
            "Chosen without it: of all rules the one with the highest mean over the other datasets. Floor: the "
            "unweighted sum of the logarithms of p-values. The best single voice is known to the labels alone. Both "
            "clocks: what raises alarms, the combined score of a "
            "window or its mean over the last ones.",
        .corner = "dataset",
        .columns = {"floor", "best single voice", "chosen without it", "combined", "both clocks"},
        .rows = {}};
    if (sets.size() < 2) return {};
    for (const Rule& rule : rules())
        if (rule.name != kFloor) out.columns.emplace_back(rule.name);
    std::vector<double> sums(out.columns.size(), 0.0);
    for (const Set& set : sets) {
        const std::optional<size_t> chosen = chosen_without(sets, set);
        std::vector<double> numbers = {set.rules[0], set.best, chosen ? set.rules[*chosen] : NAN, set.combined,
                                       set.both};
        numbers.insert(numbers.end(), set.rules.begin() + 1, set.rules.end());
        std::vector<std::string> cells;
        for (size_t i = 0; i < numbers.size(); ++i) {
            cells.push_back(std::isfinite(numbers[i]) ? fmt::format("{:.3f}", numbers[i]) : "–");
            sums[i] += numbers[i];
        }
        cells[1] += fmt::format(" ({})", set.whose);
        if (chosen) cells[2] += fmt::format(" ({})", rules()[*chosen].name);
        out.rows.push_back({set.experiment->name, cells});
    }
    std::vector<std::string> means;
    for (const double sum : sums)
        means.push_back(std::isfinite(sum) ? fmt::format("{:.3f}", sum / static_cast<double>(sets.size())) : "–");
    out.rows.push_back({"mean", means});
    return {out};
}

}  // namespace cmr::study::tables
