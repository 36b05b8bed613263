#include <algorithm>

#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

// Mean over features of the mean squares of each effect channel, perhaps in units of their healthy means, then over the
// coupled channels.
class ResidualScorer : public Scorer {
  public:
    // channels: which effect each channel of the network shows.
    ResidualScorer(std::vector<int64_t> channels, std::vector<int64_t> coupled, Eigen::VectorXd unit)
        : channels_(std::move(channels)), coupled_(std::move(coupled)), unit_(std::move(unit)) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = by_channel(windows);
        std::vector<float> out(parts.rows);
        for (int64_t i = 0; i < parts.rows; ++i) {
            double sum = 0;
            for (const int64_t c : coupled_) sum += parts.row(i)[c];
            out[i] = static_cast<float>(sum / static_cast<double>(coupled_.size()));
        }
        return {std::move(out), std::move(parts)};
    }

    void save(Archive& to) const override {
        to.put("channels", channels_);
        to.put("coupled", coupled_);
        if (unit_.size() > 0) to.put("unit", unit_);
    }

  private:
    Matrix by_channel(const Features& windows) const {
        const Matrix& squares = windows["residual.square"];
        const int64_t width = squares.columns / std::ssize(channels_);
        const int64_t effects = 1 + *std::ranges::max_element(channels_);
        const double shown_twice = static_cast<double>(std::ssize(channels_)) / static_cast<double>(effects);
        Matrix out(squares.rows, effects);
        for (int64_t i = 0; i < out.rows; ++i)
            for (size_t c = 0; c < channels_.size(); ++c) {
                double sum = 0;
                for (int64_t f = 0; f < width; ++f) {
                    const int64_t at = static_cast<int64_t>(c) * width + f;
                    sum += unit_.size() > 0 ? squares.row(i)[at] / unit_(at) : squares.row(i)[at];
                }
                out.row(i)[channels_[c]] += static_cast<float>(sum / static_cast<double>(width) / shown_twice);
            }
        return out;
    }

    std::vector<int64_t> channels_, coupled_;
    Eigen::VectorXd unit_;  // empty: 1
};

ResidualScorer checked(const Archive& from, const Setting& setting, Eigen::VectorXd unit) {
    std::vector<int64_t> channels = from.whole_numbers("channels", 0, setting.effects() - 1);
    std::vector<int64_t> coupled = from.whole_numbers("coupled", 0, setting.effects() - 1);
    from.require(channels == setting.preprocessing.inputs.shown_effects(), "its channels are not those of the network");
    from.require(!coupled.empty(), "no channel is coupled");
    return {std::move(channels), std::move(coupled), std::move(unit)};
}

}  // namespace

std::unique_ptr<Scorer> fit_residual(const Healthy& healthy) {
    return std::make_unique<ResidualScorer>(healthy.preprocessing.inputs.shown_effects(), healthy.coupled,
                                            Eigen::VectorXd());
}

std::unique_ptr<Scorer> fit_standard_residual(const Healthy& healthy) {
    const Matrix& squares = healthy.features["residual.square"];
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(squares.columns);
    for (int64_t i = 0; i < squares.rows; ++i)
        for (int64_t f = 0; f < squares.columns; ++f) unit(f) += squares.row(i)[f];
    unit /= static_cast<double>(squares.rows);
    // A feature that is always predicted is no reason to divide by nothing.
    unit = unit.cwiseMax(1e-6 * unit.maxCoeff() + 1e-30);
    return std::make_unique<ResidualScorer>(healthy.preprocessing.inputs.shown_effects(), healthy.coupled,
                                            unit.cast<float>().cast<double>());
}

std::unique_ptr<Scorer> load_residual(const Archive& from, const Setting& setting) {
    return std::make_unique<ResidualScorer>(checked(from, setting, {}));
}

std::unique_ptr<Scorer> load_standard_residual(const Archive& from, const Setting& setting) {
    Eigen::VectorXd unit = from.vector("unit");
    from.require(unit.size() == setting.features().effects && (unit.array() > 0).all(),
                 "its units do not fit the network");
    return std::make_unique<ResidualScorer>(checked(from, setting, std::move(unit)));
}

}  // namespace cmr::score
