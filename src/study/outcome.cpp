#include "study/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "eval/summary.h"
#include "model/methods/method.h"
#include "score/scorers/scorer.h"
#include "study/run_folder.h"

namespace cmr::study {
namespace {

// Means over one thing of each value of the other.
template <typename Key>
std::vector<double> means_by(const std::vector<std::pair<Key, double>>& values) {
    std::map<Key, std::vector<double>> groups;
    for (const auto& [key, value] : values) groups[key].push_back(value);
    std::vector<double> out;
    for (const auto& [key, group] : groups) out.push_back(eval::summarise(group).mean);
    return out;
}

}  // namespace

Outcome::Outcome(Plan plan, std::map<std::string, Result> results)
    : plan_(std::move(plan)), results_(std::move(results)) {}

Outcome Outcome::read(const RunFolder& folder) {
    Plan plan = folder.plan();
    std::map<std::string, Result> results;
    for (const Cell& cell : plan.cells)
        if (std::optional<Result> result = folder.result(cell)) results.emplace(cell.id, std::move(*result));
    return {std::move(plan), std::move(results)};
}

std::string Outcome::protocol_of(const Experiment& e) const {
    for (const auto& [id, result] : results_)
        if (result.experiment == e.name && !result.protocol.empty()) return result.protocol;
    return "";
}

std::vector<std::string> Outcome::protocols() const {
    std::vector<std::string> out;
    for (const Experiment& e : plan_.experiments)
        if (const std::string protocol = protocol_of(e);
            !protocol.empty() && std::ranges::find(out, protocol) == out.end())
            out.push_back(protocol);
    return out;
}

Outcome Outcome::by_protocol(const std::string& protocol) const {
    Outcome out = *this;
    std::erase_if(out.plan_.experiments, [&](const Experiment& e) { return protocol_of(e) != protocol; });
    return out;
}

std::vector<const Result*> Outcome::of(const Experiment& e, const std::string& method, const Setting& setting) const {
    std::vector<const Result*> out;
    for (const Use& use : plan_.uses) {
        if (use.experiment != e.name || use.method != method || use.axis != setting.axis || use.value != setting.value)
            continue;
        const auto found = results_.find(plan_.cells[use.cell].id);
        if (found != results_.end() && found->second.status == "done") out.push_back(&found->second);
    }
    return out;
}

std::vector<const Result*> Outcome::of_fold(const Experiment& e, const std::string& method, int64_t fold) const {
    std::vector<const Result*> out = of(e, method);
    std::erase_if(out, [&](const Result* r) { return r->fold != fold; });
    return out;
}

const Cell& Outcome::cell_of(const Result& result) const {
    const auto found = std::ranges::find(plan_.cells, result.id, &Cell::id);
    CMR_ASSERT(found != plan_.cells.end(), "results are of cells");
    return *found;
}

std::vector<const Result*> Outcome::failed(const Experiment& e, const std::string& method) const {
    std::vector<const Result*> out;
    for (const Use& use : plan_.uses) {
        if (use.experiment != e.name || use.method != method || !use.axis.empty()) continue;
        const auto found = results_.find(plan_.cells[use.cell].id);
        if (found != results_.end() && found->second.status != "done") out.push_back(&found->second);
    }
    return out;
}

std::vector<Line> Outcome::lines(const Experiment& e) const {
    std::vector<Line> own, controls;
    const bool controls_of_cmr = std::ranges::find(e.methods, "cmr") != e.methods.end();
    for (const std::string& method : e.methods) {
        const auto results = of(e, method);
        if (results.empty()) continue;
        for (const ScoreResult& score : results.front()->scores) {
            const bool made_of_all = cmr::score::is_joined(score.name);
            if (!score.learned) {
                if (method == (controls_of_cmr ? "cmr" : e.methods.front()))
                    controls.push_back({method, score.name, true});
            } else if (!made_of_all || method == "cmr") {
                own.push_back({method, score.name, false});
            }
        }
    }
    own.insert(own.end(), controls.begin(), controls.end());
    return own;
}

std::vector<Line> Outcome::main_lines(const Experiment& e) const {
    std::vector<Line> out;
    for (const Line& line : lines(e)) {
        const auto results = of(e, line.method);
        const bool published = model::method_named(line.method).native != model::Native::kNone;
        const bool spoken = line.control           ? line.score == "marginal" || line.score == "lagged"
                            : published            ? line.score == "knn"
                            : line.method == "cmr" ? line.score == results.front()->main_score || line.score == "knn" ||
                                                         line.score == "mechanism" || line.score == "combined"
                                                   : line.score == results.front()->main_score;
        if (spoken) out.push_back(line);
    }
    return out;
}

std::optional<Spread> Outcome::spread(const Experiment& e, const std::vector<const Result*>& results,
                                      const Number& number) const {
    std::vector<std::pair<int64_t, double>> by_seed, by_fold;
    for (const Result* r : results)
        if (const std::optional<double> value = number(*r); value && std::isfinite(*value)) {
            by_seed.emplace_back(r->seed, *value);
            by_fold.emplace_back(r->fold, *value);
        }
    if (by_seed.empty()) return std::nullopt;
    const std::vector<double> seeds = means_by(by_seed), folds = means_by(by_fold);
    const bool over_folds = (e.spread == "folds" && folds.size() > 1) || seeds.size() == 1;
    const eval::Summary s = eval::summarise(over_folds ? folds : seeds);
    // As the paper has it, whose values may stand beside ours.
    const auto deviation = protocol_of(e) == "paper" ? s.population_deviation() : s.deviation;
    return Spread{s.mean, deviation, std::ssize(by_seed)};
}

std::string Outcome::spread_over(const Experiment& e, const Setting& setting) const {
    std::set<int64_t> seeds, folds;
    for (const std::string& method : e.methods)
        for (const Result* r : of(e, method, setting)) {
            seeds.insert(r->seed);
            folds.insert(r->fold);
        }
    if (seeds.size() <= 1 && folds.size() <= 1) return "";
    return folds.size() > 1 && (e.spread == "folds" || seeds.size() == 1) ? "folds" : "seeds";
}

std::optional<Spread> Outcome::auroc(const Experiment& e, const Line& line, const Setting& setting) const {
    return spread(e, of(e, line.method, setting), auroc_of(line.score, e.stratum));
}

std::vector<std::string> Outcome::strata(const Experiment& e) const {
    std::vector<std::string> out;
    for (const std::string& method : e.methods)
        for (const Result* r : of(e, method))
            for (const ScoreResult& score : r->scores)
                for (const StratumResult& stratum : score.strata)
                    if (std::ranges::find(out, stratum.name) == out.end()) out.push_back(stratum.name);
    return out;
}

std::string fold_title(const Result& result) {
    return result.fold_name.empty() ? std::to_string(result.fold)
                                    : fmt::format("{} ({})", result.fold, result.fold_name);
}

std::string shown(const std::optional<Spread>& spread, int digits) {
    if (!spread) return "–";
    return spread->deviation ? fmt::format("{:.{}f} ± {:.{}f}", spread->mean, digits, *spread->deviation, digits)
                             : fmt::format("{:.{}f}", spread->mean, digits);
}

}  // namespace cmr::study
