#include "model/network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <chrono>
#include <cmath>

#include "base/error.h"
#include "model/encoder.h"
#include "model/parameters.h"

namespace cmr::model {

// The embeddings of one channel group, twice: as the encoder made them, and cut from it to collect what comes back.
struct Network::Embedded {
    const ChannelGroup* group;
    Tensor samples;  // [batch * channels, length], window-major
    Tensor whole;    // [batch * channels, tokens, width]
    Tensor cut;
};

namespace {

// Adds the time from its making to its end.
class Timer {
  public:
    explicit Timer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
    ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point start_;
};

// [batch * channels, tokens, width] → [batch, tokens, channels * width]
Tensor side_by_side(const Tensor& z, int64_t channels) {
    if (channels == 1) return z;
    const int64_t batch = z.size(0) / channels, tokens = z.size(1), width = z.size(2);
    return z.view({batch, channels, tokens, width}).permute({0, 2, 1, 3}).reshape({batch, tokens, channels * width});
}

}  // namespace

Network::Network(const Model& model) : config_(model.config) {
    at::set_num_threads(1);  // what takes time has threads of its own; torch's would only spin beside them
    for (const ParameterSpec& spec : parameter_specs(config_)) {
        Tensor tensor = at::empty(spec.shape, at::kFloat);
        if (spec.trained)
            parameters_.push_back({spec.name, tensor.requires_grad_(true)});
        else
            moments_.push_back(tensor);
        tensors_.emplace(spec.name, tensor);
    }
    restore(model);
}

void Network::restore(const Model& model) {
    for (const ParameterSpec& spec : parameter_specs(config_)) {
        const float* from = model.at(spec.name);
        std::copy(from, from + spec.size(), at(spec.name).data_ptr<float>());
    }
}

Model Network::snapshot() const {
    Model model{.source = "network", .config = config_, .tensors = {}};
    for (const ParameterSpec& spec : parameter_specs(config_)) {
        const float* from = at(spec.name).data_ptr<float>();
        model.tensors.push_back({spec.name, spec.shape, {from, from + spec.size()}});
    }
    return model;
}

const Tensor& Network::at(const std::string& name) const {
    const auto found = tensors_.find(name);
    CMR_ASSERT(found != tensors_.end(), "every tensor of the network is in parameter_specs");
    return found->second;
}

ops::RunningMoments Network::running(const std::string& norm) const {
    return {at(norm + ".running_mean"), at(norm + ".running_variance")};
}

Tensor Network::encode(const ChannelGroup& group, const Tensor& samples, bool training) {
    const std::string name = "encoders." + group.name;
    const Tensor x = samples.clamp(-kLargestSample, kLargestSample).unsqueeze(2).contiguous();
    Tensor h = ops::conv1d(config_.stem(), x, at(name + ".stem.conv.weight"), at(name + ".stem.conv.bias"));
    ops::RunningMoments moments = running(name + ".stem.norm");
    h = ops::batch_norm_gelu(h, at(name + ".stem.norm.weight"), at(name + ".stem.norm.bias"), moments, training);
    std::vector<Tensor> layers;
    for (int64_t i = 0; i < config_.layers; ++i)
        for (const char* part : {"norm.weight", "norm.bias", "in_proj.weight", "conv.weight", "conv.bias",
                                 "x_proj.weight", "dt_proj.weight", "dt_proj.bias", "a_log", "skip", "out_proj.weight"})
            layers.push_back(at(fmt::format("{}.layers.{}.{}", name, i, part)));
    h = ops::mamba_stack(config_.block(), h, layers, tapes_);
    return ops::layer_norm(h, at(name + ".norm.weight"), at(name + ".norm.bias"), false);
}

Tensor Network::predict(const Tensor& causes, double dropout, Rng rng) {
    Tensor h = ops::linear(causes, at("predictor.fusion.weight"), {});
    h = ops::layer_norm(h, at("predictor.norm.weight"), at("predictor.norm.bias"), true);
    h = ops::dropout(h, dropout, rng.next());
    const int64_t hidden = config_.hidden(), kernel = config_.predictor_kernel;
    const ops::ConvShape causal{.in = hidden, .out = hidden, .kernel = kernel, .pad_left = kernel - 1};
    for (int64_t i = 0; i < config_.predictor_blocks; ++i) {
        const std::string block = fmt::format("predictor.blocks.{}.", i);
        const Tensor y = ops::conv1d(causal, h, at(block + "conv.weight"), at(block + "conv.bias"));
        h = h + ops::layer_norm(y, at(block + "norm.weight"), at(block + "norm.bias"), true);
    }
    return ops::linear(h, at("predictor.output.weight"), at("predictor.output.bias"));
}

Tensor Network::decode(const std::string& decoder, const Tensor& tokens, int64_t length, bool training) {
    const std::string name = "decoders." + decoder;
    const int64_t w = config_.width;
    const auto normed = [&](const Tensor& x, const char* norm) {
        ops::RunningMoments moments = running(name + norm);
        return ops::batch_norm_gelu(x, at(name + norm + ".weight"), at(name + norm + ".bias"), moments, training);
    };
    const auto up = [&](const Tensor& x, const char* layer, int64_t features) {
        const ops::ConvShape s{
            .in = features / 2, .out = features, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1};
        return ops::conv_transpose1d(s, x, at(name + layer + ".weight"), at(name + layer + ".bias"));
    };
    Tensor h = ops::conv1d({.in = w, .out = w, .kernel = 3, .pad_left = 1, .pad_right = 1}, tokens,
                           at(name + ".mix.weight"), at(name + ".mix.bias"));
    h = normed(h, ".mix_norm");
    h = normed(up(h, ".up1", w), ".up1_norm");
    h = normed(up(h, ".up2", w / 2), ".up2_norm");
    h = ops::conv1d({.in = w / 4, .out = 1, .kernel = 7, .pad_left = 3, .pad_right = 3}, h, at(name + ".output.weight"),
                    at(name + ".output.bias"));
    return h.squeeze(2).slice(1, 0, length).contiguous();
}

Losses Network::train_step(const Tensor& windows, Rng rng) {
    std::vector<Tensor> before;
    for (const Tensor& moments : moments_) before.push_back(moments.clone());
    const Losses losses = run(windows, rng, true);
    if (!std::isfinite(losses.total))
        for (size_t i = 0; i < moments_.size(); ++i) moments_[i].copy_(before[i]);
    return losses;
}

Losses Network::evaluate(const Tensor& windows) {
    const at::NoGradGuard no_gradients;
    return run(windows, Rng(0), false);
}

Losses Network::run(const Tensor& given, Rng rng, bool training) {
    TORCH_CHECK(given.dim() == 3 && given.size(1) == config_.channels(), "windows must be [batch, ", config_.channels(),
                ", length], got ", given.sizes());
    const Tensor windows = given.clamp(-kLargestSample, kLargestSample);
    const int64_t length = windows.size(2);
    Losses losses;

    std::vector<Embedded> embedded;
    int64_t first = 0;
    for (const ChannelGroup& group : config_.groups) {
        const Timer timer(losses.seconds.encode);
        Embedded e{&group, windows.slice(1, first, first + group.channels).contiguous().view({-1, length}), {}, {}};
        e.whole = encode(group, e.samples, training);
        e.cut = e.whole.detach().requires_grad_(training);
        embedded.push_back(std::move(e));
        first += group.channels;
    }
    const auto add = [&](const Tensor& loss, double weight, double share, double& part) {
        const double value = loss.item<double>();
        part += share * value;
        losses.total += weight * share * value;
        if (training && weight > 0) (loss * (weight * share)).backward();
    };

    if (config_.mechanism_weight > 0 || !training) {
        const Timer timer(losses.seconds.mechanism);
        std::vector<Tensor> causes, effects;
        for (const Embedded& e : embedded) {
            const bool stop = e.group->effect && config_.stop_gradient;
            (e.group->effect ? effects : causes)
                .push_back(side_by_side(stop ? e.cut.detach() : e.cut, e.group->channels));
        }
        const auto join = [](const std::vector<Tensor>& parts) {
            return parts.size() == 1 ? parts[0] : at::cat(parts, 2);
        };
        const Tensor predicted = predict(join(causes), training ? config_.dropout : 0.0, rng.split("dropout"));
        add(ops::mean_square(predicted, join(effects)), config_.mechanism_weight, 1.0, losses.mechanism);
    }
    for (const Embedded& e : embedded) {
        const Timer timer(losses.seconds.decode);
        const ChannelGroup& group = *e.group;
        if (group.effect && config_.effect_weight > 0) {
            for (int64_t c = 0; c < group.channels; ++c) {  // a decoder per effect channel
                const auto of_channel = [&](const Tensor& t) {
                    return group.channels == 1 ? t : t.slice(0, c, t.size(0), group.channels).contiguous();
                };
                const Tensor decoded = decode(fmt::format("{}.{}", group.name, c), of_channel(e.cut), length, training);
                add(ops::mean_square(decoded, of_channel(e.samples)), config_.effect_weight,
                    1.0 / static_cast<double>(config_.effect_channels()), losses.effect);
            }
        }
        if (!group.effect && config_.cause_weight > 0) {
            const Tensor decoded = decode(group.name, e.cut, length, training);
            add(ops::mean_square(decoded, e.samples), config_.cause_weight,
                static_cast<double>(group.channels) / static_cast<double>(config_.cause_channels()), losses.cause);
        }
    }
    if (training)
        for (Embedded& e : embedded) {
            const Timer timer(losses.seconds.encode_backward);
            if (!e.cut.grad().defined()) continue;  // nothing depends on this group
            const Tensor gradient = e.cut.grad();
            e.cut.reset();
            torch::autograd::backward({e.whole}, {gradient});
            e.whole.reset();
        }
    return losses;
}

}  // namespace cmr::model
