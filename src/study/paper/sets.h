#pragma once
// The three datasets of the paper among the experiments of our runs.

#include <functional>
#include <optional>
#include <set>

#include "recipe/recipe.h"
#include "study/outcome.h"

namespace cmr::study::paper {

using Fits = std::vector<const Result*>;

inline Fits of_seed(Fits fits, int64_t seed) {
    std::erase_if(fits, [=](const Result* r) { return r->seed != seed; });
    return fits;
}
inline Fits of_fold(Fits fits, int64_t fold) {
    std::erase_if(fits, [=](const Result* r) { return r->fold != fold; });
    return fits;
}

// One of them; every question to one that is not there has no answer.
class Set {
  public:
    // `names`: of the recipes that have it, the paper's own first. `stop_gradient`: what the paper trains it with,
    // `metric`: what it measures distances by.
    Set(const Outcome& outcome, const std::vector<std::string>& names, bool stop_gradient, std::string metric,
        const std::function<std::optional<recipe::Recipe>(const Cell&)>& recipe_of);

    bool there() const { return e_ != nullptr; }
    const Experiment& experiment() const { return *e_; }
    const std::optional<recipe::Recipe>& recipe() const { return recipe_; }  // as resolved for cmr
    const std::string& metric() const { return metric_; }
    std::string caveat() const;  // in what it differs from the paper's; empty: in nothing that we know of

    Fits fits(const std::string& method) const { return e_ ? outcome_->of(*e_, method) : Fits(); }
    Fits swept(const std::string& key, const std::string& value) const;  // cmr with one setting at a value
    Fits with_gradient(bool stopped) const;                              // cmr trained so, whatever the recipe says
    Fits as_published() const { return with_gradient(stop_gradient_); }

    std::optional<Spread> spread(const Fits& fits, const Number& number) const;
    std::set<int64_t> folds() const;

    // Of k-NN on the std-pooled embeddings: the k that is best on the test windows, as the paper chooses it, and the
    // AUROC there. Where no k was tried: that of the recipe.
    std::optional<int64_t> best_k(const Fits& fits) const;
    Number knn(std::optional<int64_t> k, const std::string& stratum = "") const;
    std::optional<Spread> best_knn(const Fits& fits, const std::string& stratum = "") const {
        return spread(fits, knn(best_k(fits), stratum));
    }

  private:
    const Outcome* outcome_;
    const Experiment* e_ = nullptr;
    std::optional<recipe::Recipe> recipe_;
    bool stop_gradient_;
    std::string metric_;
};

struct Sets {
    Set pu, zema, swat;

    // `recipe_of`: the resolved recipe of a cell, none where it cannot be read. The outcome must outlive the sets.
    explicit Sets(
        const Outcome& outcome, const std::function<std::optional<recipe::Recipe>(const Cell&)>& recipe_of =
                                    [](const Cell&) { return std::nullopt; });
    bool any() const { return pu.there() || zema.there() || swat.there(); }
};

}  // namespace cmr::study::paper
