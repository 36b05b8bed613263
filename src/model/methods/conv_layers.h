#pragma once
// The convolutions that autoencoder, variational autoencoder, USAD and Deep SVDD share: three layers that each halve
// the number of tokens, and three that double it again.
//
//   encoder  channels → 64 → 128 → out     kernel 4, stride 2; batch norm and GELU between
//   decoder  in → 128 → 64 → channels      the same, transposed

#include "base/matrix.h"
#include "kernels/conv.h"
#include "kernels/norm.h"
#include "model/methods/method.h"
#include "model/model_file.h"

namespace cmr::model {

struct ConvLayer {
    std::string name;
    int64_t in = 1, out = 1;
    bool up = false;      // transposed
    bool normed = true;   // batch norm and GELU behind it
    bool learned = true;  // bias, and scale and shift of the norm

    // An odd length is padded, so that half of it is rounded up.
    kernels::ConvShape shape(int64_t length) const;
    int64_t out_length(int64_t length) const { return up ? 2 * length : (length + 1) / 2; }
};

// Features of a token between encoder and decoder: about a quarter of the samples that it stands for.
int64_t bottleneck(const Config& config);
inline FeatureCounts bottleneck_features(const Config& config) { return {.effects = bottleneck(config)}; }
inline int64_t conv_tokens(int64_t length) { return (length + 7) / 8; }

std::vector<ConvLayer> encoder_layers(const Config& config, const std::string& name, int64_t out, bool learned = true);
std::vector<ConvLayer> decoder_layers(const Config& config, const std::string& name, int64_t in);
void add_parameters(Specs& specs, const std::vector<ConvLayer>& layers);
// Floats that training keeps of these layers for one window.
int64_t kept_floats(const std::vector<ConvLayer>& layers, int64_t length);

// [windows, channels, length] → [windows, length, channels], wild samples clamped: a sample is a token.
Tokens token_rows(int64_t windows, int64_t channels, int64_t length, const float* x);

// Layers of a trained model.
class ConvStack {
  public:
    ConvStack(const Model& model, std::vector<ConvLayer> layers);
    Tokens operator()(int64_t windows, Tokens x) const;

  private:
    struct Loaded {
        ConvLayer layer;
        kernels::ConvWeights weights;
        std::vector<float> bias, scale, shift;
        kernels::BatchMoments moments;
    };
    std::vector<Loaded> layers_;
};

// Mean square of what a decoder made of some windows, whose first tokens are the samples, per channel [windows,
// channels].
Matrix errors_by_channel(int64_t windows, const Tokens& samples, const Tokens& decoded);
// What an autoencoder says of some windows: the latent tokens, and how badly they are decoded.
Embedding rebuilt(int64_t windows, const Tokens& samples, Tokens latent, const ConvStack& decoder);

}  // namespace cmr::model
