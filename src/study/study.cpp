#include "study/study.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "io/file.h"
#include "io/toml/toml.h"
#include "model/methods/method.h"
#include "score/features/pooling.h"
#include "score/scorers/knn_bank.h"

namespace cmr::study {
namespace {

// A fit that counts twice makes means and tests look surer than they are.
template <typename T>
void refuse_twice(const std::vector<T>& values, const char* what, const std::string& where) {
    for (auto at = values.begin(); at != values.end(); ++at)
        if (std::find(values.begin(), at, *at) != at) throw InputError("{}: {}: {} is there twice", where, what, *at);
}

// What throws is told with the place.
template <typename Check>
void at(const std::string& where, const Check& check) {
    try {
        check();
    } catch (const InputError& error) {
        throw InputError("{}: {}", where, error.what());
    }
}

void check_methods(const std::vector<std::string>& methods, const std::string& where) {
    if (methods.empty()) throw InputError("{}: no methods", where);
    refuse_twice(methods, "methods", where);
    for (const std::string& method : methods) at(where, [&] { model::method_named(method); });
}

void check_grid(const Experiment& e, const std::string& where) {
    const bool any = !e.poolings.empty() || !e.ks.empty() || !e.metrics.empty();
    if (any && (e.poolings.empty() || e.ks.empty() || e.metrics.empty()))
        throw InputError("{}: poolings, ks and metrics belong together; one of them is empty", where);
    for (const int64_t k : e.ks)
        if (k < 1) throw InputError("{}: k = {}: expected 1 or more", where, k);
    for (const std::string& pooling : e.poolings) at(where, [&] { score::pooling_named(pooling); });
    for (const std::string& metric : e.metrics) at(where, [&] { score::metric_named(metric); });
    refuse_twice(e.poolings, "poolings", where);
    refuse_twice(e.ks, "ks", where);
    refuse_twice(e.metrics, "metrics", where);
}

void check_axis(const Axis& axis, const Experiment& e, const std::string& where) {
    if (axis.key.empty() || axis.values.empty()) throw InputError("{}: an axis needs a key and values", where);
    if (axis.key == "model.method") throw InputError("{}: axis model.method: that is what `methods` is for", where);
    if (axis.key.starts_with("score."))
        throw InputError("{}: axis {}: scoring is swept by poolings, ks and metrics, which train nothing again", where,
                         axis.key);
    check_methods(axis.methods, where);
    const std::string here = fmt::format("{}: axis {}", where, axis.key);
    refuse_twice(axis.values, "values", here);
    refuse_twice(axis.seeds, "seeds", here);
    refuse_twice(axis.folds, "folds", here);
    for (const std::string& method : axis.methods)
        if (std::ranges::find(e.methods, method) == e.methods.end())
            throw InputError("{}: method {} is not among the experiment's", here, method);
}

void check(const Study& study, const std::string& source) {
    if (study.name.empty()) throw InputError("{}: name is missing", source);
    // It names folders and jobs.
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
    if (!std::ranges::all_of(study.name, is_plain))
        throw InputError("{}: name \"{}\": expected letters, digits, - and _ only", source, study.name);
    if (study.experiment.empty()) throw InputError("{}: no [[experiment]]", source);
    for (const Simulation& s : study.simulate) {
        if (s.kind != "bearing" && s.kind != "hydraulic" && s.kind != "water")
            throw InputError("{}: simulate.kind \"{}\": expected bearing, hydraulic or water", source, s.kind);
        if (s.folder.empty() || s.folder.find('/') != std::string::npos || s.folder.front() == '.')
            throw InputError("{}: simulate.folder \"{}\": expected the name of one folder", source, s.folder);
    }
    std::set<std::string> names;
    for (const Experiment& e : study.experiment) {
        const std::string where = fmt::format("{}: experiment \"{}\"", source, e.name);
        if (e.name.empty() || e.name.find('/') != std::string::npos)
            throw InputError("{}: a name is needed, without '/'", where);
        if (!names.insert(e.name).second) throw InputError("{}: is there twice", where);
        if (e.recipe.empty()) throw InputError("{}: recipe is missing", where);
        if (e.simulated && study.simulate.empty())
            throw InputError("{}: simulated, but there is no [[simulate]]", where);
        if (e.spread != "seeds" && e.spread != "folds")
            throw InputError("{}: spread \"{}\": expected seeds or folds", where, e.spread);
        if (!e.protocol.empty() && e.protocol != "strict" && e.protocol != "paper")
            throw InputError("{}: protocol \"{}\": expected strict or paper", where, e.protocol);
        for (const double percent : e.stealthy)
            if (!(percent > 0 && percent < 100))
                throw InputError("{}: stealthy {}: expected a percentile between 0 and 100", where, percent);
        check_methods(e.methods, where);
        refuse_twice(e.seeds, "seeds", where);
        refuse_twice(e.folds, "folds", where);
        check_grid(e, where);
        std::vector<std::string> keys;
        for (const Axis& axis : e.axis) {
            check_axis(axis, e, where);
            keys.push_back(axis.key);
        }
        refuse_twice(keys, "axis", where);
    }
    for (const Published& p : study.published)
        for (const auto& row : p.rows)
            if (row.size() != p.columns.size() + 1)
                throw InputError("{}: published table {}: a row of {} cells, but {} columns and a name were expected",
                                 source, p.table, row.size(), p.columns.size());
}

}  // namespace

std::vector<std::string> Experiment::over_recipe() const {
    std::vector<std::string> out = settings;
    if (!protocol.empty()) out.insert(out.begin(), "split.protocol=" + protocol);
    return out;
}

Study read_study(const fs::path& file) {
    const io::TomlNode tree = io::parse_toml(io::read_file(file), file.string());
    Study study;
    io::read_settings(tree, "", study);
    study.file = file;
    check(study, file.string());
    return study;
}

Study with_methods(Study study, const std::vector<std::string>& methods) {
    const auto keep = [&](std::vector<std::string>& some) {
        std::erase_if(some, [&](const std::string& method) { return std::ranges::count(methods, method) == 0; });
        return !some.empty();
    };
    for (const std::string& method : methods) {
        const auto has = [&](const Experiment& e) { return std::ranges::count(e.methods, method) > 0; };
        if (std::ranges::none_of(study.experiment, has))
            throw InputError("{}: no experiment has the method \"{}\"", study.file.string(), method);
    }
    for (Experiment& e : study.experiment) std::erase_if(e.axis, [&](Axis& axis) { return !keep(axis.methods); });
    std::erase_if(study.experiment, [&](Experiment& e) { return !keep(e.methods); });
    return study;
}

}  // namespace cmr::study
