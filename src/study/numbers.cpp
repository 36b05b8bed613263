#include "study/numbers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "eval/metrics.h"
#include "eval/summary.h"

namespace cmr::study {
namespace {

// Of a score or a cell of the grid.
template <typename Judged>
std::optional<double> auroc_in(const Judged& judged, const std::string& stratum) {
    if (stratum.empty()) return judged.auroc;
    const auto found = std::ranges::find(judged.strata, stratum, &StratumResult::name);
    return found == judged.strata.end() ? std::nullopt : std::optional(found->auroc);
}

const MachineResult* machine_in(const ScoreResult* score, const std::string& machine) {
    if (!score) return nullptr;
    const auto found = std::ranges::find(score->machines, machine, &MachineResult::name);
    return found == score->machines.end() ? nullptr : &*found;
}

}  // namespace

Number score_number(const std::string& score, const std::function<double(const ScoreResult&)>& of) {
    return [=](const Result& r) -> std::optional<double> {
        const ScoreResult* found = r.score(score);
        return found ? std::optional(of(*found)) : std::nullopt;
    };
}

Number coverage_of(const std::string& score) {
    return score_number(
        score, [](const ScoreResult& found) { return eval::coverage_ratio(found.healthy_mean, found.faulty_mean); });
}

Number auroc_of(const std::string& score, const std::string& stratum) {
    return [=](const Result& r) -> std::optional<double> {
        const ScoreResult* found = r.score(score);
        return found ? auroc_in(*found, stratum) : std::nullopt;
    };
}

Number rule_auroc(const std::string& rule) {
    return [=](const Result& r) -> std::optional<double> {
        const auto found = std::ranges::find(r.rules, rule, &RuleResult::name);
        return found != r.rules.end() ? std::optional(found->auroc) : std::nullopt;
    };
}

Number stealth_auroc(const std::string& score, double percentile, double StealthResult::*side) {
    return [=](const Result& r) -> std::optional<double> {
        const ScoreResult* found = r.score(score);
        if (!found) return std::nullopt;
        const auto at = std::ranges::find(found->stealth, percentile, &StealthResult::percentile);
        return at == found->stealth.end() ? std::nullopt : std::optional((*at).*side);
    };
}

Number grid_auroc(const std::string& pooling, const std::string& metric, int64_t k, const std::string& stratum) {
    return [=](const Result& r) -> std::optional<double> {
        for (const GridResult& g : r.grid)
            if (g.pooling == pooling && g.metric == metric && g.k == k) return auroc_in(g, stratum);
        return std::nullopt;
    };
}

Number oracle_auroc(const std::string& stratum) {
    return [=](const Result& r) {
        std::optional<double> best;
        for (const GridResult& g : r.grid)
            if (const auto auroc = auroc_in(g, stratum); auroc && (!best || *auroc > *best)) best = auroc;
        return best;
    };
}

Number stratum_of_oracle(const std::string& stratum) {
    return [=](const Result& r) -> std::optional<double> {
        const auto best = std::ranges::max_element(r.grid, {}, &GridResult::auroc);
        return best == r.grid.end() ? std::nullopt : auroc_in(*best, stratum);
    };
}

Number machine_auroc(const std::string& score, const std::string& machine) {
    return [=](const Result& r) -> std::optional<double> {
        const MachineResult* found = machine_in(r.score(score), machine);
        return found ? std::optional(found->auroc) : std::nullopt;
    };
}

Number machine_ratio(const std::string& score, const std::string& machine) {
    return [=](const Result& r) -> std::optional<double> {
        const ScoreResult* judged = r.score(score);
        const MachineResult* found = machine_in(judged, machine);
        return found ? std::optional(eval::coverage_ratio(judged->healthy_mean, found->mean)) : std::nullopt;
    };
}

std::vector<double> Pairs::differences() const {
    std::vector<double> out;
    for (size_t i = 0; i < first.size(); ++i) out.push_back(first[i] - second[i]);
    return out;
}

std::optional<double> Pairs::standard_error() const {
    if (count() < 2) return std::nullopt;
    return *eval::summarise(differences()).deviation / std::sqrt(static_cast<double>(count()));
}

Pairs pair_up(const std::vector<const Result*>& first, const Number& first_number,
              const std::vector<const Result*>& second, const Number& second_number) {
    Pairs out;
    for (const Result* a : first)
        for (const Result* b : second) {
            if (a->seed != b->seed || a->fold != b->fold) continue;
            const auto x = first_number(*a), y = second_number(*b);
            if (!x || !y) continue;
            out.first.push_back(*x);
            out.second.push_back(*y);
        }
    return out;
}

Pairs pair_up_folds(const std::vector<const Result*>& first, const Number& first_number,
                    const std::vector<const Result*>& second, const Number& second_number) {
    std::map<int64_t, std::vector<const Result*>> by_fold;
    for (const Result* a : first) by_fold[a->fold].push_back(a);
    Pairs out;
    for (const auto& [fold, runs] : by_fold) {
        const Pairs own = pair_up(runs, first_number, second, second_number);
        if (own.count() == 0) continue;
        out.first.push_back(eval::summarise(own.first).mean);
        out.second.push_back(eval::summarise(own.second).mean);
    }
    return out;
}

}  // namespace cmr::study
