// Variational autoencoder: minimises ½ ‖x - decoder(z)‖² + KL(q(z|x) ‖ N(0, 1)) with z drawn from q, per sample of the
// window.
#include <ATen/ATen.h>

#include "train/networks/conv_training.h"
#include "train/networks/networks.h"

namespace cmr::train {
namespace {

// Normal draws that depend on the step alone.
Tensor normal_like(const Tensor& like, Rng rng) {
    Tensor out = at::empty_like(like);
    float* values = out.data_ptr<float>();
    for (int64_t i = 0; i < out.numel(); ++i) values[i] = static_cast<float>(rng.normal());
    return out;
}

class VaeNetwork : public ConvNetwork {
  public:
    explicit VaeNetwork(const Model& model) : ConvNetwork(model) {}

  protected:
    Losses run(const Tensor& windows, const Step& step, bool training) override {
        const Tensor x = token_rows_of(windows);
        const int64_t latent = bottleneck(config());
        const Tensor both = through(encoder_layers(config(), "encoder", 2 * latent), x, training);
        const Tensor mean = both.slice(2, 0, latent).contiguous();
        const Tensor log_variance = both.slice(2, latent, 2 * latent).clamp(-20, 20);
        const Tensor z =
            training ? mean + (0.5 * log_variance).exp() * normal_like(mean, step.rng.split("latent")) : mean;
        const Tensor error = ops::mean_square(
            decoded(decoder_layers(config(), "decoder", latent), z.contiguous(), x.size(1), training), x);
        const Tensor divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum();
        const Tensor loss = 0.5 * error + divergence / static_cast<double>(x.numel());
        if (training) loss.backward();
        Losses losses;
        losses.effect = error.item<double>();
        losses.mechanism = divergence.item<double>() / static_cast<double>(x.numel());
        losses.total = losses.judged = loss.item<double>();
        return losses;
    }
};

}  // namespace

std::unique_ptr<Network> train_vae(const Model& model) { return std::make_unique<VaeNetwork>(model); }

}  // namespace cmr::train
