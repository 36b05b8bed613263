#include "study/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "io/json_fields.h"

namespace cmr::study {
namespace {

template <typename T>
std::string as_json(const T& fields) {
    return io::to_json(fields).dump();
}

// Where both are the same experiment of different methods.
bool add_methods(Experiment& to, Experiment from) {
    for (const std::string& method : from.methods)
        if (std::ranges::count(to.methods, method) > 0) return false;
    Experiment same = to;
    same.methods = from.methods;
    same.axis = from.axis;  // of cmr, which one of the two does not have
    if (as_json(same) != as_json(from)) return false;
    to.methods.insert(to.methods.end(), from.methods.begin(), from.methods.end());
    to.axis.insert(to.axis.end(), from.axis.begin(), from.axis.end());
    return true;
}

}  // namespace

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
        if (i == 0 || own.name != outcomes[i - 1].plan().name) {
            plan.name += (i > 0 ? "+" : "") + own.name;
            plan.description += (i > 0 ? "; " : "") + own.description;
        }
        plan.version = own.version;
        for (const Experiment& e : own.experiments) {
            const auto [known, is_new] = whose.emplace(e.name, names[i]);
            if (is_new) {
                plan.experiments.push_back(e);
            } else if (!add_methods(*std::ranges::find(plan.experiments, e.name, &Experiment::name), e)) {
                throw InputError(
                    "{} and {} both have an experiment \"{}\", with a method in both or with other settings: which "
                    "fits belong together cannot be told; --compare holds two runs against each other",
                    known->second, names[i], e.name);
            }
        }
        for (const Published& each : own.published)
            if (std::ranges::none_of(plan.published, [&](const Published& p) { return as_json(p) == as_json(each); }))
                plan.published.push_back(each);
        const auto shift = std::ssize(plan.cells);
        plan.cells.insert(plan.cells.end(), own.cells.begin(), own.cells.end());
        for (Use use : own.uses) {
            use.cell += shift;
            plan.uses.push_back(std::move(use));
        }
        // A cell's name begins with its experiment and method, so that no two runs have the same.
        results.insert(outcomes[i].results().begin(), outcomes[i].results().end());
    }
    return {std::move(plan), std::move(results)};
}

}  // namespace cmr::study
