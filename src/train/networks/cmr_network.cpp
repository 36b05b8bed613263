#include "train/networks/cmr_network.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "model/encoder.h"
#include "train/networks/networks.h"

namespace cmr::train {

// The embeddings of one channel group, twice: as the encoder made them, and cut from it to collect what comes back.
struct CmrNetwork::Embedded {
    const ChannelGroup* group;
    Tensor samples;  // [batch * channels, length], window-major
    Tensor whole;    // [batch * channels, tokens, width]
    Tensor cut;
};

// What one decoder does in a step. It starts from a copy of its tokens, so that decoders can run side by side.
struct CmrNetwork::Decoding {
    std::string decoder;
    bool effect;
    double weight;    // of its loss,
    double share;     // among all of its kind
    Embedded* of;     // whose tokens it decodes,
    int64_t channel;  // of which channel; -1: of all
    Tensor foretold;  // [batch, tokens, width], where it decodes what was foretold too
    Tensor to;        // where the gradient of `foretold` is added
    double rebuilt = 0.0;
    double told = 0.0;

    Tensor own(const Tensor& t) const {
        if (channel < 0 || of->group->channels == 1) return t;
        return t.slice(0, channel, t.size(0), of->group->channels);
    }
};

namespace {

// Tokens of a decoder up to which it is left to one thread, beside others.
constexpr int64_t kFewTokens = 4096;

// The gradient of a leaf, to be added to.
Tensor gradient_of(const Tensor& leaf) {
    Tensor& gradient = leaf.mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(leaf);
    return gradient;
}

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

CmrNetwork::CmrNetwork(const Model& model) : Network(model) {}

Tensor CmrNetwork::encode(const ChannelGroup& group, const Tensor& samples, bool training) {
    const std::string name = "encoders." + group.name;
    const Tensor x = samples.clamp(-model::kLargestSample, model::kLargestSample).unsqueeze(2).contiguous();
    Tensor h = ops::conv1d(config().stem(), x, at(name + ".stem.conv.weight"), at(name + ".stem.conv.bias"));
    ops::RunningMoments moments = running(name + ".stem.norm");
    h = ops::batch_norm_gelu(h, at(name + ".stem.norm.weight"), at(name + ".stem.norm.bias"), moments, training);
    std::vector<Tensor> layers;
    for (int64_t i = 0; i < config().layers; ++i)
        for (const char* part : {"norm.weight", "norm.bias", "in_proj.weight", "conv.weight", "conv.bias",
                                 "x_proj.weight", "dt_proj.weight", "dt_proj.bias", "a_log", "skip", "out_proj.weight"})
            layers.push_back(at(fmt::format("{}.layers.{}.{}", name, i, part)));
    h = ops::mamba_stack(config().block(precision_), h, layers, tapes_);
    return ops::layer_norm(h, at(name + ".norm.weight"), at(name + ".norm.bias"), false);
}

Tensor CmrNetwork::predict(const Tensor& causes, double dropout, Rng rng) {
    Tensor h = ops::linear(causes, at("predictor.fusion.weight"), {}, precision_);
    h = ops::layer_norm(h, at("predictor.norm.weight"), at("predictor.norm.bias"), true);
    h = ops::dropout(h, dropout, rng.next());
    const int64_t hidden = config().hidden(), kernel = config().predictor_kernel;
    const ops::ConvShape causal{
        .in = hidden, .out = hidden, .kernel = kernel, .pad_left = kernel - 1, .precision = precision_};
    for (int64_t i = 0; i < config().predictor_blocks; ++i) {
        const std::string block = fmt::format("predictor.blocks.{}.", i);
        const Tensor y = ops::conv1d(causal, h, at(block + "conv.weight"), at(block + "conv.bias"));
        h = h + ops::layer_norm(y, at(block + "norm.weight"), at(block + "norm.bias"), true);
    }
    return ops::linear(h, at("predictor.output.weight"), at("predictor.output.bias"), precision_);
}

Tensor CmrNetwork::decode(const std::string& decoder, const Tensor& tokens, int64_t length, bool training) {
    const std::string name = "decoders." + decoder;
    const int64_t w = config().width;
    const auto normed = [&](const Tensor& x, const char* norm) {
        ops::RunningMoments moments = running(name + norm);
        return ops::batch_norm_gelu(x, at(name + norm + ".weight"), at(name + norm + ".bias"), moments, training);
    };
    const auto up = [&](const Tensor& x, const char* layer, int64_t features) {
        const ops::ConvShape s{.in = features / 2,
                               .out = features,
                               .kernel = 4,
                               .stride = 2,
                               .pad_left = 1,
                               .pad_right = 1,
                               .precision = precision_};
        return ops::conv_transpose1d(s, x, at(name + layer + ".weight"), at(name + layer + ".bias"));
    };
    Tensor h = ops::conv1d({.in = w, .out = w, .kernel = 3, .pad_left = 1, .pad_right = 1, .precision = precision_},
                           tokens, at(name + ".mix.weight"), at(name + ".mix.bias"));
    h = normed(h, ".mix_norm");
    h = normed(up(h, ".up1", w), ".up1_norm");
    h = normed(up(h, ".up2", w / 2), ".up2_norm");
    h = ops::conv1d({.in = w / 4, .out = 1, .kernel = 7, .pad_left = 3, .pad_right = 3}, h, at(name + ".output.weight"),
                    at(name + ".output.bias"));
    return h.squeeze(2).slice(1, 0, length).contiguous();
}

std::vector<CmrNetwork::Decoding> CmrNetwork::all_decodings(std::vector<Embedded>& embedded,
                                                            const Tensor& foretold) const {
    std::vector<Decoding> out;
    const auto share = [](int64_t part, int64_t all) { return static_cast<double>(part) / static_cast<double>(all); };
    int64_t effect = 0;
    for (Embedded& e : embedded) {
        const ChannelGroup& group = *e.group;
        if (group.effect && config().effect_weight > 0)
            for (int64_t c = 0; c < group.channels; ++c) {  // a decoder per effect channel
                Decoding d{fmt::format("{}.{}", group.name, c),
                           true,
                           config().effect_weight,
                           share(1, config().effect_channels()),
                           &e,
                           c,
                           {},
                           {}};
                if (foretold.defined()) {
                    const auto part = [&, at = config().width * effect](const Tensor& t) {
                        return t.slice(2, at, at + config().width);
                    };
                    d.foretold = part(foretold.detach());
                    if (foretold.requires_grad()) d.to = part(gradient_of(foretold));
                }
                ++effect;
                out.push_back(std::move(d));
            }
        if (!group.effect && config().cause_weight > 0)
            out.push_back({group.name,
                           false,
                           config().cause_weight,
                           share(group.channels, config().cause_channels()),
                           &e,
                           -1,
                           {},
                           {}});
    }
    return out;
}

void CmrNetwork::decode_all(std::vector<Decoding>& decodings, int64_t length, bool training) {
    if (training)
        for (const Decoding& d : decodings) gradient_of(d.of->cut);
    const auto run_one = [&](int64_t i) {
        Decoding& d = decodings[i];
        const at::AutoGradMode mode(training);  // a thread of its own has a mode of its own
        const Tensor own = d.own(d.of->cut.detach()), samples = d.own(d.of->samples).contiguous();
        const int64_t batch = own.size(0);
        // Tokens as they are and as they were foretold, in one batch: they share the decoder's moments.
        const Tensor tokens = (d.foretold.defined() ? at::cat({own, d.foretold}) : own.contiguous()).detach();
        tokens.requires_grad_(training);
        const Tensor decoded = decode(d.decoder, tokens, length, training);
        const Tensor rebuilt = ops::mean_square(decoded.slice(0, 0, batch), samples);
        Tensor loss = d.weight * d.share * rebuilt;
        d.rebuilt = rebuilt.item<double>();
        if (d.foretold.defined()) {
            const Tensor told = ops::mean_square(decoded.slice(0, batch, 2 * batch), samples);
            d.told = told.item<double>();
            loss = loss + config().waveform_weight * d.share * told;
        }
        if (!training) return;
        loss.backward();
        const at::NoGradGuard no_gradients;
        d.own(d.of->cut.grad()).add_(tokens.grad().slice(0, 0, batch));
        if (d.to.defined()) d.to.add_(tokens.grad().slice(0, batch, 2 * batch));
    };
    // Small decoders run beside each other, each on one thread; large ones one after the other, each on all.
    const bool small = !decodings.empty() && decodings.front().of->samples.size(0) /
                                                     decodings.front().of->group->channels * config().tokens(length) <=
                                                 kFewTokens;
    const FlushDenormals flush;
    if (small)
        parallel_for(std::ssize(decodings), run_one);
    else
        for (int64_t i = 0; i < std::ssize(decodings); ++i) run_one(i);
}

Losses CmrNetwork::run(const Tensor& windows, const Step& step, bool training) {
    TORCH_CHECK(windows.dim() == 3 && windows.size(1) == config().channels(), "windows must be [batch, ",
                config().channels(), ", length], got ", windows.sizes());
    const int64_t length = windows.size(2);
    Losses losses;

    std::vector<Embedded> embedded;
    int64_t first = 0;
    for (const ChannelGroup& group : config().groups) {
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

    const bool foretells = config().waveform_weight > 0 && config().effect_weight > 0;
    Tensor predicted, foretold;  // the latter cut from the former
    if (config().mechanism_weight > 0 || foretells || !training) {
        const Timer timer(losses.seconds.mechanism);
        std::vector<Tensor> causes, effects;
        for (const Embedded& e : embedded) {
            const bool stop = e.group->effect && config().stop_gradient;
            (e.group->effect ? effects : causes)
                .push_back(side_by_side(stop ? e.cut.detach() : e.cut, e.group->channels));
        }
        const auto join = [](const std::vector<Tensor>& parts) {
            return parts.size() == 1 ? parts[0] : at::cat(parts, 2);
        };
        predicted = predict(join(causes), training ? config().dropout : 0.0, step.rng.split("dropout"));
        foretold = foretells ? predicted.detach().requires_grad_(training) : predicted;
        add(ops::mean_square(foretold, join(effects)), config().mechanism_weight, 1.0, losses.mechanism);
    }
    {
        const Timer timer(losses.seconds.decode);
        std::vector<Decoding> decodings = all_decodings(embedded, foretells ? foretold : Tensor());
        decode_all(decodings, length, training);
        for (const Decoding& d : decodings) {
            (d.effect ? losses.effect : losses.cause) += d.share * d.rebuilt;
            losses.waveform += d.share * d.told;
            losses.total += d.share * (d.weight * d.rebuilt + config().waveform_weight * d.told);
        }
    }
    if (training && foretells) {
        const Timer timer(losses.seconds.mechanism);
        torch::autograd::backward({predicted}, {foretold.grad()});
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
    losses.judged = foretells ? losses.waveform : config().effect_weight > 0 ? losses.effect : losses.total;
    return losses;
}

std::unique_ptr<Network> train_cmr(const Model& model) { return std::make_unique<CmrNetwork>(model); }

}  // namespace cmr::train
