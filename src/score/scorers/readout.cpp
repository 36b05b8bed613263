// The latent mechanism read-out: ridge regression from pooled cause embeddings to pooled effect embeddings, both scaled
// to the deviation of healthy windows. Embeddings have many directions in which healthy causes hardly move, and what is
// learned of them on some days does not hold on the next: the penalty is the one that foretells later blocks best.

#include <algorithm>

#include "linear/mechanism.h"
#include "score/features/standardizer.h"
#include "score/file/ridge_archive.h"
#include "score/scorers/scorers.h"

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

Matrix causes_of(const Features& windows) { return concat_columns(windows["causes.mean"], windows["causes.std"]); }
Matrix effects_of(const Features& windows, int64_t channels) {
    const Matrix& mean = windows["effects.mean"];
    return interleaved(mean, windows["effects.std"], mean.columns / channels);
}

class ReadoutScorer : public Scorer {
  public:
    // channels: which effect each channel of the network shows.
    ReadoutScorer(Standardizer causes, Standardizer effects, linear::WindowRidge ridge, std::vector<int64_t> channels)
        : causes_(std::move(causes)),
          effects_(std::move(effects)),
          ridge_(std::move(ridge)),
          channels_(std::move(channels)),
          shown_(1 + *std::ranges::max_element(channels_)) {}

    Judged judge(const Features& windows) const override {
        const int64_t channels = std::ssize(channels_);
        const Matrix parts = ridge_.score(causes_(causes_of(windows)), effects_(effects_of(windows, channels)));
        const int64_t times = channels / shown_;  // 2: as signal and as innovation
        const auto shown_twice = static_cast<float>(times);
        Matrix out(parts.rows, shown_);
        for (int64_t i = 0; i < parts.rows; ++i)
            for (int64_t c = 0; c < channels; ++c) out.row(i)[channels_[c]] += parts.row(i)[c] / shown_twice;
        return {mean_of_rows(out), std::move(out)};
    }
    void save(Archive& to) const override {
        Archive causes = to.below("causes"), effects = to.below("effects");
        causes_.save(causes);
        effects_.save(effects);
        put_window_ridge(to, ridge_);
        to.put("channels", static_cast<double>(channels_.size()));
        to.put("shown", static_cast<double>(shown_));
    }

  private:
    Standardizer causes_, effects_;
    linear::WindowRidge ridge_;
    std::vector<int64_t> channels_;
    int64_t shown_;
};

}  // namespace

std::unique_ptr<Scorer> fit_readout(const Healthy& healthy) {
    const std::vector<int64_t> shown = healthy.preprocessing.inputs.shown_effects();
    const auto channels = std::ssize(shown);
    const Matrix causes = causes_of(healthy.features), effects = effects_of(healthy.features, channels);
    Standardizer cause_scale(causes), effect_scale(effects);
    linear::WindowRidge ridge(cause_scale(causes), effect_scale(effects), channels, kInputs, linear::Penalty::kForward);
    return std::make_unique<ReadoutScorer>(std::move(cause_scale), std::move(effect_scale), std::move(ridge), shown);
}

std::unique_ptr<Scorer> load_readout(const Archive& from, const Setting& setting) {
    std::vector<int64_t> shown = setting.preprocessing.inputs.shown_effects();
    const int64_t channels = from.whole("channels", std::ssize(shown), std::ssize(shown));
    from.whole("shown", setting.effects(), setting.effects());
    const int64_t causes = 2 * setting.features().causes, effects = 2 * setting.features().effects;
    return std::make_unique<ReadoutScorer>(Standardizer(from.below("causes"), causes),
                                           Standardizer(from.below("effects"), effects),
                                           window_ridge_of(from, causes, effects, channels), std::move(shown));
}

}  // namespace cmr::score
