// The latent mechanism read-out: ridge regression from pooled cause embeddings to pooled effect embeddings, both scaled
// to the deviation of healthy windows.

#include <algorithm>

#include "linear/mechanism.h"
#include "score/ridge_archive.h"
#include "score/scorers/scorers.h"
#include "score/standard.h"

namespace cmr::score {
namespace {

// Directions of the cause embeddings that are looked at. They have far fewer than features.
constexpr int64_t kInputs = 128;

// [windows, channels · 2 width]: mean and std of the first channel, then of the second, …
Matrix interleaved(const MatrixView& mean, const MatrixView& std, int64_t width) {
    Matrix out(mean.rows, 2 * mean.columns);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t first = 0; first < mean.columns; first += width) {
            std::ranges::copy(mean.row(i).subspan(first, width), out.row(i).begin() + 2 * first);
            std::ranges::copy(std.row(i).subspan(first, width), out.row(i).begin() + 2 * first + width);
        }
    return out;
}

Matrix causes_of(const Features& windows) { return beside(windows.cause_mean, windows.cause_std); }
Matrix effects_of(const Features& windows, int64_t channels) {
    return interleaved(windows.mean, windows.std, windows.mean.columns / channels);
}

class ReadoutScorer : public Scorer {
  public:
    ReadoutScorer(Standard causes, Standard effects, linear::WindowRidge ridge, int64_t channels, int64_t shown)
        : causes_(std::move(causes)),
          effects_(std::move(effects)),
          ridge_(std::move(ridge)),
          channels_(channels),
          shown_(shown) {}

    Matrix by_channel(const Features& windows) const override {
        const Matrix parts = ridge_.score(causes_(causes_of(windows)), effects_(effects_of(windows, channels_)));
        if (channels_ == shown_) return parts;
        Matrix out(parts.rows, shown_);  // signal and innovation of the same effect
        for (int64_t i = 0; i < parts.rows; ++i)
            for (int64_t c = 0; c < channels_; ++c) out.row(i)[c % shown_] += parts.row(i)[c] / 2;
        return out;
    }
    std::vector<float> score(const Features& windows) const override { return mean_of_rows(by_channel(windows)); }
    void save(Archive& to) const override {
        Archive causes = to.below("causes"), effects = to.below("effects");
        causes_.save(causes);
        effects_.save(effects);
        put_ridge(to, ridge_.ridge());
        to.put("channels", static_cast<double>(channels_));
        to.put("shown", static_cast<double>(shown_));
        if (ridge_.origin().size() == 0) return;
        to.put("origin", ridge_.origin());
        to.put("basis", ridge_.basis());
    }

  private:
    Standard causes_, effects_;
    linear::WindowRidge ridge_;
    int64_t channels_, shown_;
};

}  // namespace

std::unique_ptr<Scorer> fit_readout(const Healthy& healthy) {
    const auto channels = std::ssize(healthy.prepared.inputs.shown_effects());
    const Matrix causes = causes_of(healthy.features), effects = effects_of(healthy.features, channels);
    Standard cause_scale(causes), effect_scale(effects);
    linear::WindowRidge ridge(cause_scale(causes), effect_scale(effects), channels, kInputs);
    return std::make_unique<ReadoutScorer>(std::move(cause_scale), std::move(effect_scale), std::move(ridge), channels,
                                           std::ssize(healthy.prepared.effects));
}

std::unique_ptr<Scorer> load_readout(const Archive& from) {
    const auto channels = static_cast<int64_t>(from.number("channels"));
    const bool rotated = from.has("origin");
    linear::WindowRidge ridge(ridge_of(from), rotated ? from.vector("origin") : Eigen::VectorXd(),
                              rotated ? from.doubles("basis") : Eigen::MatrixXd(), channels);
    return std::make_unique<ReadoutScorer>(Standard(from.below("causes")), Standard(from.below("effects")),
                                           std::move(ridge), channels, static_cast<int64_t>(from.number("shown")));
}

}  // namespace cmr::score
