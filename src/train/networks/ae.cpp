// Convolutional autoencoder: minimises the mean square of the reconstruction.
#include "train/networks/conv_training.h"
#include "train/networks/networks.h"

namespace cmr::train {
namespace {

class AeNetwork : public ConvNetwork {
  public:
    explicit AeNetwork(const Model& model) : ConvNetwork(model) {}

  protected:
    Losses run(const Tensor& windows, const Step&, bool training) override {
        const Tensor x = token_rows_of(windows);
        const Tensor z = through(encoder_layers(config(), "encoder", bottleneck(config())), x, training);
        const Tensor loss = ops::mean_square(
            decoded(decoder_layers(config(), "decoder", bottleneck(config())), z, x.size(1), training), x);
        if (training) loss.backward();
        Losses losses;
        losses.total = losses.effect = losses.judged = loss.item<double>();
        return losses;
    }
};

}  // namespace

std::unique_ptr<Network> train_ae(const Model& model) { return std::make_unique<AeNetwork>(model); }

}  // namespace cmr::train
