#pragma once
// The convolutions of conv_layers.h in training.

#include <ATen/core/Tensor.h>

#include "model/methods/conv_layers.h"
#include "train/networks/network.h"

namespace cmr::train {

using model::bottleneck;
using model::ConvLayer;
using model::decoder_layers;
using model::encoder_layers;

class ConvNetwork : public Network {
  protected:
    using Network::Network;

    // [windows, channels, length] → [windows, length, channels]
    static Tensor token_rows_of(const Tensor& windows);

    // x [windows, length, in] → [windows, length', out]. `frozen`: gradients pass through, but none reach the layers.
    Tensor through(const std::vector<ConvLayer>& layers, Tensor x, bool training, bool frozen = false) const;
    // The same for a decoder, cut to the length of a window.
    Tensor decoded(const std::vector<ConvLayer>& layers, const Tensor& z, int64_t length, bool training,
                   bool frozen = false) const;
};

}  // namespace cmr::train
