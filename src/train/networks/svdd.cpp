// Deep SVDD: minimises the mean squared distance of windows to a centre, which the untrained network's embeddings of
// the training windows decide.
#include <ATen/ATen.h>

#include "model/encoder.h"
#include "model/methods/svdd.h"
#include "train/networks/conv_training.h"
#include "train/networks/networks.h"

namespace cmr::train {
namespace {

constexpr double kLeastOffset = 0.1;  // of the centre from zero, where it would be easily reached

class SvddNetwork : public ConvNetwork {
  public:
    explicit SvddNetwork(const Model& model) : ConvNetwork(model) {}

    void begin(const Batches& for_each_batch) override {
        const at::NoGradGuard no_gradients;
        Tensor sum = at::zeros({model::kSvddFeatures}, at::kDouble);
        int64_t windows = 0;
        for_each_batch([&](const Tensor& batch) {
            if (!batch.isfinite().all().item<bool>()) return;  // one bad window must not spoil the centre
            sum += embed(batch.clamp(-model::kLargestSample, model::kLargestSample), true).to(at::kDouble).sum(0);
            windows += batch.size(0);
        });
        const Tensor mean = sum / static_cast<double>(windows);
        const Tensor away = at::where(mean < 0, at::full_like(mean, -kLeastOffset), at::full_like(mean, kLeastOffset));
        at("centre").copy_(at::where(mean.abs() < kLeastOffset, away, mean));
    }

  protected:
    Losses run(const Tensor& windows, const Step&, bool training) override {
        const Tensor loss = (embed(windows, training) - at("centre")).square().sum(1).mean();
        if (training) loss.backward();
        Losses losses;
        losses.total = losses.effect = losses.judged = loss.item<double>();
        return losses;
    }

  private:
    Tensor embed(const Tensor& windows, bool training) {
        return through(encoder_layers(config(), "encoder", model::kSvddFeatures, false), token_rows_of(windows),
                       training)
            .mean(1);
    }
};

}  // namespace

std::unique_ptr<Network> train_svdd(const Model& model) { return std::make_unique<SvddNetwork>(model); }

}  // namespace cmr::train
