#pragma once
// What the kernels compute, once more and plainly: one number at a time, without blocks, vectors or threads. Written on
// any number type: double for the values, Var (differentiate.h) for the gradients.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "kernels/conv.h"
#include "kernels/differentiate.h"
#include "kernels/kernels.h"

namespace cmr::naive {

using kernels::ConvShape;
using kernels::MambaShape;
using kernels::Strided;

template <typename T>
using Values = std::vector<T>;

inline Values<float> random(int64_t count, Rng& rng, double scale = 1.0) {
    Values<float> values(static_cast<size_t>(count));
    for (float& v : values) v = static_cast<float>(scale * rng.normal());
    return values;
}

// The largest difference relative to the largest wanted number: what float promises of a sum of many terms. Results
// that are zero but for rounding are measured against 1e-3, with inputs of the order of one.
template <typename Wanted>
double difference(std::span<const float> found, std::span<const Wanted> wanted) {
    if (found.size() != wanted.size()) return INFINITY;
    double largest = 1e-3, worst = 0.0;
    for (size_t i = 0; i < found.size(); ++i) {
        const double off = std::abs(static_cast<double>(found[i]) - wanted[i]);
        if (!(off <= worst)) worst = std::isnan(off) ? INFINITY : off;
        largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
    }
    return worst / largest;
}
inline double difference(const Values<float>& found, const Values<double>& wanted) {
    return difference<double>(std::span(found), std::span(wanted));
}

// a[m, k] · b[k, n]
inline Values<double> product(int64_t m, int64_t n, int64_t k, Strided a, Strided b) {
    Values<double> c(m * n, 0.0);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t p = 0; p < k; ++p)
                c[i * n + j] +=
                    static_cast<double>(a.data[i * a.row + p * a.column]) * b.data[p * b.row + j * b.column];
    return c;
}

template <typename T>
T sigmoid(T x) {
    using std::exp;
    return T(1.0) / (T(1.0) + exp(-x));
}
template <typename T>
T silu(T x) {
    return x * sigmoid(x);
}
template <typename T>
T softplus(T x) {
    using std::exp, std::log1p;
    return log1p(exp(x));
}
template <typename T>
T gelu(T x) {
    using std::erf;
    return x * T(0.5) * (T(1.0) + erf(x * T(0.70710678118654752)));
}

// One row of a layer normalisation, or one column of a batch normalisation: both normalise n numbers `step` apart.
template <typename T>
void normalise(int64_t n, int64_t step, T* x) {
    using std::sqrt;
    T mean(0.0), variance(0.0);
    for (int64_t i = 0; i < n; ++i) mean += x[i * step];
    mean = mean / T(static_cast<double>(n));
    for (int64_t i = 0; i < n; ++i) variance += (x[i * step] - mean) * (x[i * step] - mean);
    variance = variance / T(static_cast<double>(n));
    const T deviation = sqrt(variance + T(static_cast<double>(kernels::kNormEpsilon)));
    for (int64_t i = 0; i < n; ++i) x[i * step] = (x[i * step] - mean) / deviation;
}

template <typename T>
void scale_and_shift(int64_t rows, int64_t n, const Values<T>& weight, const Values<T>& bias, bool with_gelu,
                     Values<T>& x) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const T v = x[i * n + j] * weight[j] + bias[j];
            x[i * n + j] = with_gelu ? gelu(v) : v;
        }
}

template <typename T>
Values<T> layer_norm(int64_t rows, int64_t n, Values<T> x, const Values<T>& weight, const Values<T>& bias,
                     bool with_gelu) {
    for (int64_t i = 0; i < rows; ++i) normalise(n, 1, &x[i * n]);
    scale_and_shift(rows, n, weight, bias, with_gelu, x);
    return x;
}

template <typename T>
Values<T> batch_norm_gelu(int64_t rows, int64_t n, Values<T> x, const Values<T>& weight, const Values<T>& bias) {
    for (int64_t j = 0; j < n; ++j) normalise(rows, n, &x[j]);
    scale_and_shift(rows, n, weight, bias, true, x);
    return x;
}

// --- Mamba ----------------------------------------------------------------------------------------------------------

// The tensors of one block in the order of kernels::MambaTensors.
inline constexpr int kTensors = 11;
template <typename T>
using Layer = std::array<Values<T>, kTensors>;
inline constexpr const char* kTensorNames[kTensors] = {"norm_weight", "norm_bias", "in_proj",   "conv_weight",
                                                       "conv_bias",   "x_proj",    "dt_weight", "dt_bias",
                                                       "a_log",       "skip",      "out_proj"};

inline std::array<int64_t, kTensors> tensor_sizes(const MambaShape& s) {
    return {
        s.model,          s.model, 2 * s.inner * s.model, s.inner * s.conv, s.inner,          s.projected() * s.inner,
        s.inner * s.rank, s.inner, s.inner * s.state,     s.inner,          s.model * s.inner};
}

inline kernels::MambaTensors<const float> weights_of(const Layer<float>& l) {
    return {l[0].data(), l[1].data(), l[2].data(), l[3].data(), l[4].data(), l[5].data(),
            l[6].data(), l[7].data(), l[8].data(), l[9].data(), l[10].data()};
}
inline kernels::MambaTensors<float> tensors_of(Layer<float>& l) {
    return {l[0].data(), l[1].data(), l[2].data(), l[3].data(), l[4].data(), l[5].data(),
            l[6].data(), l[7].data(), l[8].data(), l[9].data(), l[10].data()};
}

// Weights as the original implementation draws them, for any sizes, with every tensor moved a little off its start and
// channels from slow ones to some that forget within a token, in no order.
inline Layer<float> random_layer(const MambaShape& s, Rng& rng) {
    Layer<float> layer;
    const auto sizes = tensor_sizes(s);
    const auto bound = [](int64_t inputs) { return 1.0 / std::sqrt(static_cast<double>(inputs)); };
    const double bounds[kTensors] = {
        0.1, 0.1, bound(s.model), bound(s.conv), bound(s.conv), bound(s.inner), bound(s.rank), 0.0,
        0.1, 0.1, bound(s.inner)};
    for (int i = 0; i < kTensors; ++i) {
        layer[i].resize(sizes[i]);
        for (float& v : layer[i]) v = static_cast<float>(rng.uniform(-bounds[i], bounds[i]));
    }
    for (float& v : layer[0]) v += 1.0f;
    for (float& v : layer[7])
        v = static_cast<float>(std::log(std::expm1(std::exp(rng.uniform(std::log(1e-3), std::log(2.0))))));
    for (int64_t i = 0; i < sizes[8]; ++i) layer[8][i] += std::log(static_cast<float>(i % s.state + 1));
    for (float& v : layer[9]) v += 1.0f;
    return layer;
}

// y[i] = Σ_j w[i, j] x[j]
template <typename T>
Values<T> times(const Values<T>& w, const Values<T>& x, int64_t rows) {
    const int64_t columns = std::ssize(x);
    Values<T> y(rows, T(0.0));
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) y[i] += w[i * columns + j] * x[j];
    return y;
}

// h[windows, tokens, model] ← h + Mamba(norm(h))
template <typename T>
void mamba_block(const MambaShape& s, const Layer<T>& layer, int64_t windows, int64_t tokens, Values<T>& h) {
    using std::exp;
    const auto& [norm_weight, norm_bias, in_proj, conv_weight, conv_bias, x_proj, dt_weight, dt_bias, a_log, skip,
                 out_proj] = layer;
    Values<T> a;
    for (const T& v : a_log) a.push_back(-exp(v));
    for (int64_t window = 0; window < windows; ++window) {
        Values<Values<T>> past(s.conv, Values<T>(s.inner, T(0.0)));  // the last rows of x, newest last
        Values<T> state(s.inner * s.state, T(0.0));
        for (int64_t token = 0; token < tokens; ++token) {
            T* row = &h[(window * tokens + token) * s.model];
            const Values<T> normed =
                layer_norm(1, s.model, Values<T>(row, row + s.model), norm_weight, norm_bias, false);
            const Values<T> xz = times(in_proj, normed, 2 * s.inner);
            std::rotate(past.begin(), past.begin() + 1, past.end());
            past.back().assign(xz.begin(), xz.begin() + s.inner);
            Values<T> u = conv_bias;
            for (int64_t c = 0; c < s.inner; ++c) {
                for (int64_t j = 0; j < s.conv; ++j) u[c] += conv_weight[c * s.conv + j] * past[j][c];
                u[c] = silu(u[c]);
            }
            const Values<T> projected = times(x_proj, u, s.projected());
            const T *b = &projected[s.rank], *c_row = b + s.state;
            Values<T> delta = times(dt_weight, Values<T>(projected.begin(), projected.begin() + s.rank), s.inner);
            Values<T> y(s.inner);
            for (int64_t c = 0; c < s.inner; ++c) {
                delta[c] = softplus(delta[c] + dt_bias[c]);
                y[c] = skip[c] * u[c];
                for (int64_t n = 0; n < s.state; ++n) {
                    T& v = state[c * s.state + n];
                    v = exp(delta[c] * a[c * s.state + n]) * v + delta[c] * u[c] * b[n];
                    y[c] += c_row[n] * v;
                }
                y[c] = y[c] * silu(xz[s.inner + c]);
            }
            const Values<T> out = times(out_proj, y, s.model);
            for (int64_t j = 0; j < s.model; ++j) row[j] += out[j];
        }
    }
}

template <typename T>
Values<T> mamba_stack(const MambaShape& s, const std::vector<Layer<T>>& layers, int64_t windows, int64_t tokens,
                      Values<T> h) {
    for (const Layer<T>& layer : layers) mamba_block(s, layer, windows, tokens, h);
    return h;
}

// --- Gradients ------------------------------------------------------------------------------------------------------

inline Values<Var> variables(const Values<float>& values) {
    Values<Var> out;
    for (const float v : values) out.push_back(variable(v));
    return out;
}

inline Layer<Var> variables(const Layer<float>& layer) {
    Layer<Var> out;
    for (int i = 0; i < kTensors; ++i) out[i] = variables(layer[i]);
    return out;
}

inline Layer<double> exact(const Layer<float>& layer) {
    Layer<double> out;
    for (int i = 0; i < kTensors; ++i) out[i].assign(layer[i].begin(), layer[i].end());
    return out;
}

// Σ_i upstream[i] result[i]: what a backward pass that starts with `upstream` differentiates.
inline Var weighted_sum(const Values<Var>& result, const Values<float>& upstream) {
    Var total(0.0);
    for (size_t i = 0; i < result.size(); ++i) total += result[i] * Var(upstream[i]);
    return total;
}

inline Values<double> of(const Values<Var>& variables, const Values<double>& gradients) {
    Values<double> out;
    for (const Var& v : variables) out.push_back(gradients[static_cast<size_t>(v.note)]);
    return out;
}

}  // namespace cmr::naive
