#include "train/networks/conv_training.h"

#include <ATen/ATen.h>

namespace cmr::train {

Tensor ConvNetwork::token_rows_of(const Tensor& windows) { return windows.transpose(1, 2).contiguous(); }

Tensor ConvNetwork::through(const std::vector<ConvLayer>& layers, Tensor x, bool training, bool frozen) const {
    const auto parameter = [&](const std::string& name) { return frozen ? at(name).detach() : at(name); };
    for (const ConvLayer& layer : layers) {
        const Tensor weight = parameter(layer.name + ".weight");
        const Tensor bias = layer.learned ? parameter(layer.name + ".bias") : Tensor();
        const kernels::ConvShape shape = layer.shape(x.size(1));
        x = layer.up ? ops::conv_transpose1d(shape, x, weight, bias) : ops::conv1d(shape, x, weight, bias);
        if (!layer.normed) continue;
        const std::string norm = layer.name + ".norm";
        ops::RunningMoments moments = running(norm);
        const Tensor scale = layer.learned ? parameter(norm + ".weight") : at::ones({layer.out});
        const Tensor shift = layer.learned ? parameter(norm + ".bias") : at::zeros({layer.out});
        x = ops::batch_norm_gelu(x, scale, shift, moments, training);
    }
    return x;
}

Tensor ConvNetwork::decoded(const std::vector<ConvLayer>& layers, const Tensor& z, int64_t length, bool training,
                            bool frozen) const {
    return through(layers, z, training, frozen).slice(1, 0, length).contiguous();
}

}  // namespace cmr::train
