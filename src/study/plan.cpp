#include "study/plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/rng.h"
#include "data/files.h"
#include "data/fingerprint.h"
#include "data/load.h"
#include "data/split.h"
#include "io/file.h"
#include "model/methods/method.h"
#include "recipe/recipe.h"
#include "score/features/pooling.h"
#include "study/outcome.h"

namespace cmr::study {
namespace {

std::string digest(const std::string& text) { return fmt::format("{:08x}", Rng(1).split(text).next() & 0xffffffff); }

// A method that knows no causes is fitted with its own scores alone: the controls, which know no network, come with
// cmr.
std::vector<std::string> settings_of(const Experiment& e, const std::string& method, const Axis* axis,
                                     const std::string& value) {
    std::vector<std::string> out = e.over_recipe();
    const bool controls_elsewhere = std::ranges::find(e.methods, "cmr") != e.methods.end();
    out.push_back("model.method=" + method);
    if (controls_elsewhere && !model::method_named(method).knows_causes)
        out.emplace_back(R"(score.only=["native", "knn", "marginal"])");
    if (axis) out.push_back(axis->key + "=" + value);
    return out;
}

class Planner {
  public:
    Planner(const Study& study, fs::path run, fs::path data_root, std::string_view program)
        : study_(study), run_(std::move(run)), data_root_(std::move(data_root)), program_(program) {}

    Plan make() {
        plan_.name = study_.name;
        plan_.description = study_.description;
        plan_.version = program_;
        plan_.experiments = study_.experiment;
        plan_.published = study_.published;
        // Seeds outside: after the first of them every method has a result.
        std::vector<std::vector<int64_t>> folds;
        size_t most_seeds = 0;
        for (Experiment& e : plan_.experiments) {
            const recipe::Recipe recipe = recipe::read_recipe(recipe_of(e), e.over_recipe());
            if (e.seeds.empty()) e.seeds = recipe.train.seeds;
            const std::vector<int64_t> all = all_folds(e, recipe);
            folds.push_back(e.folds.empty() ? all : e.folds);
            check(e, all);
            most_seeds = std::max(most_seeds, e.seeds.size());
        }
        for (size_t s = 0; s < most_seeds; ++s)
            for (size_t i = 0; i < plan_.experiments.size(); ++i) {
                const Experiment& e = plan_.experiments[i];
                if (s >= e.seeds.size()) continue;
                for (const std::string& method : e.methods)
                    for (const int64_t fold : folds[i]) add(e, method, nullptr, "", e.seeds[s], fold);
                for (const Axis& axis : e.axis) {
                    if (!axis.seeds.empty() && std::ranges::find(axis.seeds, e.seeds[s]) == axis.seeds.end()) continue;
                    for (const std::string& value : axis.values)
                        for (const std::string& method : axis.methods)
                            for (const int64_t fold : axis.folds.empty() ? folds[i] : axis.folds)
                                add(e, method, &axis, value, e.seeds[s], fold);
                }
            }
        return std::move(plan_);
    }

  private:
    fs::path recipe_of(const Experiment& e) const { return study_.file.parent_path() / e.recipe; }

    fs::path root_of(const Experiment& e, const recipe::Recipe& recipe) const {
        return fs::absolute(e.simulated ? run_ / "data" : data::find_data_root(recipe, data_root_));
    }

    // What a fit would refuse, or nobody would notice.
    static void check(const Experiment& e, const std::vector<int64_t>& all) {
        const auto check_folds = [&](const std::vector<int64_t>& folds) {
            for (const int64_t fold : folds)
                if (fold < 0 || fold >= std::ssize(all))
                    throw InputError("experiment \"{}\": fold {}: there are folds 0 to {}", e.name, fold,
                                     all.size() - 1);
        };
        check_folds(e.folds);
        for (const Axis& axis : e.axis) {
            check_folds(axis.folds);
            for (const int64_t seed : axis.seeds)
                if (std::ranges::find(e.seeds, seed) == e.seeds.end())
                    throw InputError("experiment \"{}\": axis {}: seed {} is not among the experiment's: {}", e.name,
                                     axis.key, seed, fmt::join(e.seeds, ", "));
        }
    }

    // Reads the data, too.
    std::vector<int64_t> all_folds(const Experiment& e, const recipe::Recipe& recipe) {
        const data::Dataset dataset = data::load(recipe, root_of(e, recipe));
        fingerprints_[e.name] = data::fingerprint(dataset);
        std::vector<int64_t> out;
        const auto count = std::ssize(data::make_folds(dataset, recipe));
        for (int64_t fold = 0; fold < count; ++fold) out.push_back(fold);
        return out;
    }

    void add(const Experiment& e, const std::string& method, const Axis* axis, const std::string& value, int64_t seed,
             int64_t fold) {
        const recipe::Recipe recipe = recipe::read_recipe(recipe_of(e), settings_of(e, method, axis, value));
        score::check_pooling(recipe.score.pooling, method, recipe_of(e).string());
        const std::string text = recipe::to_toml(recipe);
        const std::string recipe_file = fmt::format("{}-{}-{}.toml", e.name, method, digest(text));
        // Other data or another program: another cell.
        const std::string fit = fmt::format("{}\n{}\n{}\n{}\n{}", text, seed, fold, fingerprints_.at(e.name), program_);
        const std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", fit, e.stratum, e.reconstruction,
                                            e.pointwise, e.stealthy, e.poolings, e.metrics, e.ks);
        const std::string name = fmt::format("{}-{}-s{}-f{}", e.name, method, seed, fold);
        const std::string id = fmt::format("{}-{}", name, digest(all));
        auto [known, is_new] = index_.try_emplace(id, std::ssize(plan_.cells));
        if (is_new) {
            io::write_file_atomically(run_ / "recipes" / recipe_file, text);
            plan_.cells.push_back({.id = id,
                                   .model = fmt::format("{}-{}.cmr", name, digest(fit)),
                                   .recipe = recipe_file,
                                   .data_root = root_of(e, recipe).string(),
                                   .experiment = e.name,
                                   .method = method,
                                   .seed = seed,
                                   .fold = fold,
                                   .stratum = e.stratum,
                                   .reconstruction = e.reconstruction,
                                   .pointwise = e.pointwise,
                                   .stealthy = e.stealthy,
                                   .poolings = e.poolings,
                                   .metrics = e.metrics,
                                   .ks = e.ks});
        }
        plan_.uses.push_back({e.name, axis ? axis->key : "", axis ? value : "", method, seed, fold, known->second});
    }

    const Study& study_;
    fs::path run_, data_root_;
    std::string program_;
    std::map<std::string, std::string> fingerprints_;  // of each experiment's data
    Plan plan_;
    std::map<std::string, int64_t> index_;
};

}  // namespace

Plan make_plan(const Study& study, const fs::path& run, const fs::path& data_root, std::string_view program) {
    return Planner(study, run, data_root, program).make();
}

}  // namespace cmr::study
