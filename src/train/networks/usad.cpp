// USAD: two phases on each batch, each with an optimiser of its own. In epoch n
//
//   phase 0, encoder and decoder 1:  1/n ‖x - AE1(x)‖² + (1 - 1/n) ‖x - AE2(AE1(x))‖²
//   phase 1, encoder and decoder 2:  1/n ‖x - AE2(x)‖² - (1 - 1/n) ‖x - AE2(AE1(x))‖²
#include "model/methods/usad.h"

#include <ATen/ATen.h>

#include "train/networks/conv_training.h"
#include "train/networks/networks.h"

namespace cmr::train {
namespace {

class UsadNetwork : public ConvNetwork {
  public:
    explicit UsadNetwork(const Model& model) : ConvNetwork(model) {}

    int64_t phases() const override { return 2; }

  protected:
    Losses run(const Tensor& windows, const Step& step, bool training) override {
        const Tensor x = token_rows_of(windows) * model::kUsadScale + model::kUsadShift;
        const int64_t latent = bottleneck(config()), length = x.size(1);
        const auto encoder = encoder_layers(config(), "encoder", latent);
        const auto decode = [&](int64_t decoder, const Tensor& z) {
            const auto layers = decoder_layers(config(), decoder == 0 ? "decoder1" : "decoder2", latent);
            return decoded(layers, z, length, training, training && decoder != step.phase).sigmoid();
        };
        const Tensor z = through(encoder, x, training);
        const Tensor first = decode(0, z);
        const Tensor second = decode(1, through(encoder, first, training));
        const double share = 1.0 / static_cast<double>(step.epoch);
        const Tensor own = ops::mean_square(step.phase == 0 ? first : decode(1, z), x);
        const Tensor adversarial = ops::mean_square(second, x);
        const Tensor loss = share * own + (step.phase == 0 ? 1 - share : share - 1) * adversarial;
        if (training) loss.backward();
        Losses losses;
        losses.total = loss.item<double>();
        losses.effect = losses.judged = own.item<double>();  // the adversarial part grows as decoder 2 learns
        return losses;
    }
};

}  // namespace

std::unique_ptr<Network> train_usad(const Model& model) { return std::make_unique<UsadNetwork>(model); }

}  // namespace cmr::train
