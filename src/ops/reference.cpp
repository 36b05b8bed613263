#include "ops/reference.h"

#include <ATen/ATen.h>

#include "kernels/kernels.h"

namespace cmr::ops::reference {
namespace {

// h[t] = exp(Δ[t] A) h[t-1] + Δ[t] u[t] B[t],  y[t] = Σ_n C[t] h[t] + D u[t].
// u, delta [windows, tokens, inner]; a [inner, state]; b, c [windows, tokens, state]; skip [inner].
Tensor selective_scan(const Tensor& u, const Tensor& delta, const Tensor& a, const Tensor& b, const Tensor& c,
                      const Tensor& skip) {
    Tensor h = at::zeros({u.size(0), u.size(2), a.size(1)}, u.options());
    std::vector<Tensor> rows;
    for (int64_t t = 0; t < u.size(1); ++t) {
        const Tensor step = delta.select(1, t).unsqueeze(2);
        h = at::exp(step * a) * h + step * u.select(1, t).unsqueeze(2) * b.select(1, t).unsqueeze(1);
        rows.push_back((h * c.select(1, t).unsqueeze(1)).sum(2));
    }
    return at::stack(rows, 1) + skip * u;
}

Tensor mamba_block(const MambaShape& s, const Tensor& h, const Tensor* w) {
    const Tensor normed = layer_norm(h, w[0], w[1], false);
    const auto xz = at::matmul(normed, w[2].t()).chunk(2, 2);
    const Tensor padded = at::constant_pad_nd(xz[0].transpose(1, 2), {s.conv - 1, 0});
    const Tensor taps = w[3].view({s.inner, 1, s.conv});
    const Tensor u = at::silu(at::conv1d(padded, taps, w[4], {1}, at::IntArrayRef{0}, {1}, s.inner)).transpose(1, 2);
    const auto projected = at::matmul(u, w[5].t()).split_with_sizes({s.rank, s.state, s.state}, 2);
    const Tensor delta = at::softplus(at::matmul(projected[0], w[6].t()) + w[7]);
    const Tensor y = selective_scan(u, delta, -at::exp(w[8]), projected[1], projected[2], w[9]);
    return at::matmul(y * at::silu(xz[1]), w[10].t());
}

}  // namespace

Tensor conv1d(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const Tensor padded = at::constant_pad_nd(x.transpose(1, 2), {s.pad_left, s.pad_right});
    return at::conv1d(padded, weight, bias, s.stride).transpose(1, 2);
}

Tensor conv_transpose1d(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const Tensor full = at::conv_transpose1d(x.transpose(1, 2), weight, bias, s.stride);
    return full.slice(2, s.pad_left, full.size(2) - s.pad_right).transpose(1, 2);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const Tensor y = at::matmul(x, weight.t());
    return bias.defined() ? y + bias : y;
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, bool gelu) {
    const Tensor y = at::layer_norm(x, {x.size(-1)}, weight, bias, kernels::kNormEpsilon);
    return gelu ? at::gelu(y) : y;
}

Tensor batch_norm_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, RunningMoments& running,
                       bool training) {
    const Tensor rows = x.reshape({-1, x.size(-1)});
    const Tensor y = at::batch_norm(rows, weight, bias, running.mean, running.variance, training, running.momentum,
                                    kernels::kNormEpsilon, false);
    return at::gelu(y).view(x.sizes());
}

Tensor mamba_stack(const MambaShape& s, const Tensor& h, const std::vector<Tensor>& layers) {
    Tensor out = h;
    for (size_t i = 0; i < layers.size(); i += kTensorsPerMambaLayer) out = out + mamba_block(s, out, &layers[i]);
    return out;
}

Attention attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& sigma) {
    const int64_t windows = q.size(0), tokens = q.size(1), heads = sigma.size(2), width = q.size(2) / heads;
    const auto split = [&](const Tensor& x) { return x.view({windows, tokens, heads, width}).transpose(1, 2); };
    const Tensor series =
        (at::matmul(split(q), split(k).transpose(2, 3)) / std::sqrt(static_cast<double>(width))).softmax(-1);
    const Tensor at = at::arange(tokens, q.options());
    const Tensor distance = (at.unsqueeze(1) - at.unsqueeze(0)).square();
    const Tensor wide = sigma.transpose(1, 2).unsqueeze(3);  // [windows, heads, tokens, 1]
    const Tensor prior = (-distance / (2 * wide.square())).softmax(-1);
    const auto discrepancy = [](const Tensor& p, const Tensor& s) {
        constexpr double kLeast = 1e-4;
        return ((p - s) * ((p + kLeast).log() - (s + kLeast).log())).sum(-1).transpose(1, 2).contiguous();
    };
    return {at::matmul(series, split(v)).transpose(1, 2).reshape(q.sizes()), discrepancy(prior.detach(), series),
            discrepancy(prior, series.detach())};
}

Tensor mean_square(const Tensor& prediction, const Tensor& target) { return (prediction - target).square().mean(); }

}  // namespace cmr::ops::reference
