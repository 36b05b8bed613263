#include "study/join.h"

#include <fmt/format.h>

#include "base/error.h"

namespace cmr::study {

Runs::Runs(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) folders_.emplace_back(folder);
}

Outcome Runs::read() const {
    std::vector<Outcome> outcomes;
    std::vector<std::string> names;
    for (const RunFolder& folder : folders_) {
        outcomes.push_back(Outcome::read(folder));
        names.push_back(folder.path().string());
    }
    return join(outcomes, names);
}

fs::path Runs::scores(const Cell& cell) const {
    for (const RunFolder& folder : folders_)
        if (fs::exists(folder.scores(cell))) return folder.scores(cell);
    return folders_.front().scores(cell);
}

std::optional<recipe::Recipe> Runs::recipe(const Cell& cell) const {
    for (const RunFolder& folder : folders_)
        if (fs::exists(folder.recipe(cell))) return recipe::read_recipe(folder.recipe(cell));
    return std::nullopt;
}

Outcome join(const std::vector<Outcome>& outcomes, const std::vector<std::string>& names) {
    CMR_ASSERT(!outcomes.empty() && outcomes.size() == names.size(), "a join is of some runs, each with a name");
    if (outcomes.size() == 1) return outcomes.front();
    Plan plan;
    std::map<std::string, Result> results;
    std::map<std::string, std::string> whose;  // experiment → run
    for (size_t i = 0; i < outcomes.size(); ++i) {
        const Plan& own = outcomes[i].plan();
        plan.name += (i > 0 ? "+" : "") + own.name;
        plan.description += (i > 0 ? "; " : "") + own.description;
        plan.version = own.version;
        for (const Experiment& e : own.experiments) {
            const auto [known, is_new] = whose.emplace(e.name, names[i]);
            if (!is_new)
                throw InputError(
                    "{} and {} both have an experiment \"{}\"; a report is of runs of different ones, and "
                    "--compare holds two runs against each other",
                    known->second, names[i], e.name);
            plan.experiments.push_back(e);
        }
        plan.published.insert(plan.published.end(), own.published.begin(), own.published.end());
        const auto shift = std::ssize(plan.cells);
        plan.cells.insert(plan.cells.end(), own.cells.begin(), own.cells.end());
        for (Use use : own.uses) {
            use.cell += shift;
            plan.uses.push_back(std::move(use));
        }
        // A cell's name begins with its experiment, so that no two runs have the same.
        results.insert(outcomes[i].results().begin(), outcomes[i].results().end());
    }
    return {std::move(plan), std::move(results)};
}

}  // namespace cmr::study
