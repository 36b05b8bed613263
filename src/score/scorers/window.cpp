// Two scores on one ridge from the whole window of causes: what it leaves of the effects, and what is left of that when
// the network foretells as well. Gates say how much of the latter counts; with closed ones both are the same.

#include "linear/mechanism.h"
#include "score/file/ridge_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

using Ridge = std::shared_ptr<const linear::WindowRidge>;

constexpr const char* kRidge = "whole-window";  // beside both scores in a file, once

class MechanismScorer : public Scorer {
  public:
    MechanismScorer(Ridge ridge, Gates gates, int64_t from)
        : ridge_(std::move(ridge)), gates_(std::move(gates)), from_(from) {}

    Judged judge(const Features& windows) const override {
        // In the linear mechanism's deviations, gates open or not: in smaller ones an effect that the network knows
        // well would speak loudest, and with it the drift that nobody foretells.
        Matrix parts = ridge_->standardised(unexplained(windows));
        return {mean_of_rows(parts), std::move(parts)};
    }
    Matrix unexplained(const Features& windows) const override {
        const auto effects = std::ssize(gates_), length = windows.effects.columns / effects;
        Matrix left = ridge_->residuals(windows.causes, windows.effects);
        if (!any_open(gates_)) return left;
        const Matrix& unforetold = windows[kUnforetold];
        for (int64_t i = 0; i < left.rows; ++i)
            for (int64_t c = 0; c < effects; ++c)
                blend(gates_[c], unforetold.row(i).subspan(c * length, length), from_,
                      left.row(i).subspan(c * length, length));
        return left;
    }
    bool needs_foretelling() const override { return any_open(gates_); }
    const Gates* gates() const override { return &gates_; }
    void save(Archive& to) const override {
        Archive ridge = to.sibling(kRidge);
        if (!ridge.has("weights")) put_window_ridge(ridge, *ridge_);
        Eigen::VectorXd open(std::ssize(gates_)), left(std::ssize(gates_));
        for (int64_t c = 0; c < open.size(); ++c) {
            open(c) = gates_[c].open;
            left(c) = gates_[c].left;
        }
        to.put("open", open);
        to.put("left", left);
    }

  private:
    Ridge ridge_;
    Gates gates_;   // per effect
    int64_t from_;  // so many samples of a window are not foretold
};

std::unique_ptr<Scorer> fit(const Healthy& healthy, const Gates& gates) {
    const int64_t effects = std::ssize(healthy.preprocessing.effects);
    if (!healthy.ridge)
        healthy.ridge =
            std::make_shared<const linear::WindowRidge>(healthy.features.causes, healthy.features.effects, effects);
    return std::make_unique<MechanismScorer>(healthy.ridge, gates.empty() ? Gates(effects) : gates,
                                             healthy.preprocessing.inputs.foretold_from());
}

}  // namespace

std::unique_ptr<Scorer> fit_window(const Healthy& healthy) { return fit(healthy, {}); }
std::unique_ptr<Scorer> fit_mechanism(const Healthy& healthy) { return fit(healthy, healthy.gates); }

std::unique_ptr<Scorer> load_mechanism(const Archive& from, const Setting& setting) {
    const int64_t effects = setting.effects(), length = setting.length();
    auto ridge = std::make_shared<const linear::WindowRidge>(
        window_ridge_of(from.sibling(kRidge), setting.causes() * length, effects * length, effects));
    const Eigen::VectorXd open = from.vector("open"), left = from.vector("left");
    from.require(open.size() == effects && left.size() == effects && (open.array() >= 0).all() &&
                     (open.array() <= 1).all() && (left.array() > 0).all(),
                 "its gates do not fit its effects");
    Gates gates;
    for (int64_t c = 0; c < effects; ++c) gates.push_back({open(c), left(c)});
    from.require(!any_open(gates) || can_foretell(setting.preprocessing.config), "its network cannot foretell");
    return std::make_unique<MechanismScorer>(std::move(ridge), std::move(gates),
                                             setting.preprocessing.inputs.foretold_from());
}
std::unique_ptr<Scorer> load_window(const Archive& from, const Setting& setting) {
    return load_mechanism(from, setting);
}

}  // namespace cmr::score
