// Rules judged by datasets that they were not chosen with.

#include <algorithm>
#include <cmath>
#include <map>

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
    std::map<std::string, double> controls;
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
    Set out{&e, {}, 0, NAN, 0, {}, {}};
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
        if (!score.learned)
            if (const auto mean = mean_of(results, auroc_of(score.name, e.stratum))) out.controls[score.name] = *mean;
        // A mechanism without any of the network's is a voice as well.
        if (!(score.weight > 0) && score.name != "mechanism") continue;
        const auto mean = mean_of(results, auroc_of(score.name, e.stratum));
        if (!mean || *mean <= out.best) continue;
        out.best = *mean;
        out.whose = score.name;
    }
    return out;
}

// Of those of other recipes than this one's.
std::vector<const Set*> others_of(const std::vector<Set>& sets, const Set& left_out) {
    std::vector<const Set*> out;
    for (const Set& set : sets) {
        const Experiment &a = *set.experiment, &b = *left_out.experiment;
        if (a.recipe != b.recipe || a.simulated != b.simulated) out.push_back(&set);
    }
    return out;
}

// The rule with the highest mean over some datasets.
const Rule& best_rule(const std::vector<const Set*>& sets) {
    std::vector<double> sums(rules().size(), 0.0);
    for (const Set* set : sets)
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += set->rules[i];
    return rules()[std::ranges::max_element(sums) - sums.begin()];
}

// The control likewise, of those that all of them have; empty where there is none.
std::string best_control(const std::vector<const Set*>& sets) {
    std::string out;
    double most = -1;
    for (const auto& [name, unused] : sets.front()->controls) {
        if (!std::ranges::all_of(sets, [&](const Set* set) { return set->controls.contains(name); })) continue;
        double sum = 0;
        for (const Set* set : sets) sum += set->controls.at(name);
        if (sum > most) out = name;
        most = std::max(most, sum);
    }
    return out;
}

// A number, and what it is of.
struct Shown {
    double value = NAN;
    std::string of;
};

std::string text_of(const Shown& shown) {
    if (!std::isfinite(shown.value)) return "–";
    return fmt::format("{:.3f}{}", shown.value, shown.of.empty() ? "" : " (" + shown.of + ")");
}

// A row, in the order of the columns.
std::vector<Shown> row_of(const std::vector<Set>& sets, const Set& set) {
    const auto rule = [&](std::string_view name) {
        return set.rules[std::ranges::find(rules(), name, &Rule::name) - rules().begin()];
    };
    std::vector<Shown> out = {{rule(kFloor), ""}, {}, {}, {set.combined, ""}, {set.both, ""}, {set.best, set.whose}};
    if (const std::vector<const Set*> others = others_of(sets, set); !others.empty()) {
        const std::string control = best_control(others);
        if (const auto own = set.controls.find(control); own != set.controls.end()) out[1] = {own->second, control};
        const Rule& chosen = best_rule(others);
        out[2] = {rule(chosen.name), std::string(chosen.name)};
    }
    for (const Rule& each : rules())
        if (each.name != kFloor) out.push_back({rule(each.name), ""});
    return out;
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
            "Floor: the unweighted sum of the logarithms of p-values. Control and rule chosen without it: of all "
            "controls and of all rules the one with the highest mean over the other datasets. Both clocks: what raises "
            "alarms, the combined score of a window or its mean over the last ones. The best single voice is known to "
            "the labels alone.",
        .corner = "dataset",
        .columns = {"floor", "control chosen without it", "rule chosen without it", "combined", "both clocks",
                    "best single voice"},
        .rows = {}};
    if (sets.size() < 2) return {};
    for (const Rule& rule : rules())
        if (rule.name != kFloor) out.columns.emplace_back(rule.name);
    std::vector<double> sums(out.columns.size(), 0.0);
    for (const Set& set : sets) {
        const std::vector<Shown> row = row_of(sets, set);
        std::vector<std::string> cells;
        for (size_t i = 0; i < row.size(); ++i) {
            cells.push_back(text_of(row[i]));
            sums[i] += row[i].value;
        }
        out.rows.push_back({set.experiment->name, cells});
    }
    std::vector<std::string> means;
    for (const double sum : sums) means.push_back(text_of({sum / static_cast<double>(sets.size()), ""}));
    out.rows.push_back({"mean", means});
    return {out};
}

}  // namespace cmr::study::tables
