#include "study/paper/sets.h"

#include <fmt/format.h>

#include <algorithm>

namespace cmr::study::paper {
namespace {

constexpr const char* kStopGradient = "model.stop_gradient";

// Of those with a recipe of that name, the first by the paper's protocol; else the first.
const Experiment* find(const Outcome& outcome, const std::string& recipe) {
    const Experiment* out = nullptr;
    for (const Experiment& e : outcome.plan().experiments) {
        bool is_it = false;
        for (const std::string& method : e.methods)
            for (const Result* r : outcome.of(e, method)) is_it |= r->recipe == recipe;
        if (is_it && (!out || (outcome.protocol_of(*out) != "paper" && outcome.protocol_of(e) == "paper"))) out = &e;
    }
    return out;
}

}  // namespace

Set::Set(const Outcome& outcome, const std::vector<std::string>& names, bool stop_gradient, std::string metric,
         const std::function<std::optional<recipe::Recipe>(const Cell&)>& recipe_of)
    : outcome_(&outcome), stop_gradient_(stop_gradient), metric_(std::move(metric)) {
    for (const std::string& name : names)
        if (!e_) e_ = find(outcome, name);
    if (const Fits own = fits("cmr"); !own.empty()) recipe_ = recipe_of(outcome.cell_of(*own.front()));
}

std::string Set::caveat() const {
    if (!e_) return "";
    std::string out;
    const auto add = [&](const std::string& what) { out += (out.empty() ? "" : ", ") + what; };
    if (e_->simulated) add("simulated data");
    if (outcome_->protocol_of(*e_) != "paper") add("protocol " + outcome_->protocol_of(*e_));
    if (!e_->settings.empty()) add("settings of its own");
    if (recipe_ && recipe_->name == "zema-1hz") add("1 Hz instead of 100 Hz");
    if (recipe_ && recipe_->model.stop_gradient != stop_gradient_)
        add(stop_gradient_ ? "stop-gradient off" : "stop-gradient on");
    return out.empty() ? "" : fmt::format("{}: {}", e_->name, out);
}

Fits Set::swept(const std::string& key, const std::string& value) const {
    return e_ ? outcome_->of(*e_, "cmr", {key, value}) : Fits();
}

Fits Set::with_gradient(bool stopped) const {
    if (Fits out = swept(kStopGradient, stopped ? "true" : "false"); !out.empty()) return out;
    return stopped == (recipe_ ? recipe_->model.stop_gradient : stop_gradient_) ? fits("cmr") : Fits();
}

std::optional<Spread> Set::spread(const Fits& fits, const Number& number) const {
    return e_ ? outcome_->spread(*e_, fits, number) : std::nullopt;
}

std::set<int64_t> Set::folds() const {
    std::set<int64_t> out;
    for (const Result* r : fits("cmr")) out.insert(r->fold);
    return out;
}

std::optional<int64_t> Set::best_k(const Fits& fits) const {
    if (!e_) return std::nullopt;
    std::optional<int64_t> out;
    double best = 0;
    for (const int64_t k : e_->ks)
        if (const auto found = spread(fits, knn(k)); found && (!out || found->mean > best)) {
            out = k;
            best = found->mean;
        }
    return out;
}

Number Set::knn(std::optional<int64_t> k, const std::string& stratum) const {
    return k ? grid_auroc("std", metric_, *k, stratum) : auroc_of("knn", stratum);
}

Sets::Sets(const Outcome& outcome, const std::function<std::optional<recipe::Recipe>(const Cell&)>& recipe_of)
    : pu(outcome, {"pu"}, true, "cosine", recipe_of),
      zema(outcome, {"zema", "zema-1hz"}, false, "l2", recipe_of),
      swat(outcome, {"swat"}, true, "l2", recipe_of) {}

}  // namespace cmr::study::paper
