// The kernels of one instruction set against the plain formulas, as a program of its own: it needs no test library, so
// it can be built for another processor or run under an emulator. CMR_ISA chooses the set. Exit code 0 when all agree.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "base/parallel.h"
#include "kernels/isa.h"
#include "kernels/mamba_stack.h"
#include "kernels/naive.h"
#include "kernels/norm.h"

namespace cmr {
namespace {

using kernels::MambaGradients;
using kernels::MambaShape;
using kernels::MambaStack;
using kernels::MambaTape;
using kernels::MambaWeights;
using naive::Layer;
using naive::Values;
using naive::Var;

int failures = 0;

void compare(const std::string& what, const Values<float>& found, const Values<double>& wanted, double allowed) {
    const double off = naive::difference(found, wanted);
    const bool good = off <= allowed;
    failures += good ? 0 : 1;
    fmt::print("{:4} {:52} {:.1e}, allowed {:.0e}\n", good ? "ok" : "FAIL", what, off, allowed);
    std::fflush(stdout);
}

void check_gemm(int64_t m, int64_t n, int64_t k, bool accumulate) {
    Rng rng(1);
    const Values<float> a = naive::random(m * k, rng), b = naive::random(k * n, rng);
    const kernels::Strided left{a.data(), k, 1}, right{b.data(), n, 1};
    Values<double> wanted = naive::product(m, n, k, left, right);
    for (double& v : wanted) v += accumulate ? 2.0 : 0.0;
    wanted.push_back(2.0);  // one more, to see that nothing is written past the end

    const FlushDenormals flush;
    const kernels::Kernels& table = kernels::kernels();
    Buffer packed(table.packed_size(k, n));
    table.pack(k, n, right, packed.data());
    Values<float> c(m * n + 1, 2.0f), unpacked = c;
    table.gemm(m, n, k, left, packed.data(), c.data(), n, accumulate);
    table.gemm_unpacked(m, n, k, left, right, unpacked.data(), n, accumulate);
    const std::string size = fmt::format("{} x {} x {}{}", m, n, k, accumulate ? ", added" : "");
    compare("product " + size, c, wanted, 1e-6);
    compare("product, unpacked " + size, unpacked, wanted, 1e-6);
}

void check_norms(int64_t rows, int64_t n) {
    Rng rng(2);
    const Values<float> x = naive::random(rows * n, rng), weight = naive::random(n, rng), bias = naive::random(n, rng);
    const Values<double> x2(x.begin(), x.end()), weight2(weight.begin(), weight.end()), bias2(bias.begin(), bias.end());
    Values<float> y(rows * n);
    kernels::layer_norm_forward(rows, n, x.data(), weight.data(), bias.data(), true, y.data());
    compare(fmt::format("layer norm and GELU {} x {}", rows, n), y,
            naive::layer_norm(rows, n, x2, weight2, bias2, true), 1e-6);
    kernels::batch_norm_gelu_forward(rows, n, x.data(), kernels::batch_moments(rows, n, x.data()), weight.data(),
                                     bias.data(), y.data());
    compare(fmt::format("batch norm and GELU {} x {}", rows, n), y, naive::batch_norm_gelu(rows, n, x2, weight2, bias2),
            1e-6);
}

void check_convolution(const kernels::ConvShape& s, int64_t length) {
    Rng rng(3);
    const int64_t outputs = s.out_length(length);
    const Values<float> x = naive::random(length * s.in, rng), weight = naive::random(s.out * s.in * s.kernel, rng);
    Values<double> wanted(outputs * s.out, 0.0);
    for (int64_t t = 0; t < outputs; ++t)
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t j = 0; j < s.kernel; ++j)
                for (int64_t i = 0; i < s.in; ++i) {
                    const int64_t from = t * s.stride - s.pad_left + j;
                    if (from >= 0 && from < length)
                        wanted[t * s.out + o] += double{x[from * s.in + i]} * weight[(o * s.in + i) * s.kernel + j];
                }
    Values<float> y(outputs * s.out);
    const kernels::ConvWeights weights(s, weight.data(), kernels::ConvWeights::For::forward);
    kernels::conv_forward(s, weights, 1, length, x.data(), nullptr, y.data());
    compare(fmt::format("convolution {} to {}, kernel {}, stride {}", s.in, s.out, s.kernel, s.stride), y, wanted,
            1e-6);
}

void check_mamba(const MambaShape& s, int layer_count, int64_t windows, int64_t tokens, bool with_gradients) {
    Rng rng(4);
    std::vector<Layer<float>> layers, gradients;
    for (int i = 0; i < layer_count; ++i) layers.push_back(naive::random_layer(s, rng));
    gradients = layers;
    std::vector<MambaWeights> weights;
    for (const auto& layer : layers) weights.push_back(naive::weights_of(layer));
    std::vector<MambaGradients> views;
    for (auto& layer : gradients) views.push_back(naive::tensors_of(layer));
    const Values<float> h = naive::random(windows * tokens * s.model, rng);
    const std::string size = fmt::format("{} layers, width {}, {} x {} tokens", layer_count, s.model, windows, tokens);

    const MambaStack stack(s, weights);
    Values<float> out = h;
    stack.forward(windows, tokens, out.data());
    std::vector<Layer<double>> exact;
    for (const auto& layer : layers) exact.push_back(naive::exact(layer));
    compare("Mamba, " + size, out, naive::mamba_stack(s, exact, windows, tokens, Values<double>(h.begin(), h.end())),
            1e-6);
    if (!with_gradients) return;

    MambaTape tape;
    Values<float> again = h, d_h = naive::random(std::ssize(h), rng);
    const Values<float> upstream = d_h;
    stack.forward(windows, tokens, again.data(), tape);
    stack.backward(tape, d_h.data(), weights, views);
    const Values<Var> input = naive::variables(h);
    std::vector<Layer<Var>> variables;
    for (const auto& layer : layers) variables.push_back(naive::variables(layer));
    const Values<double> slopes =
        naive::gradients(naive::weighted_sum(naive::mamba_stack(s, variables, windows, tokens, input), upstream));
    compare("its gradient by the input", d_h, naive::of(input, slopes), 1.5e-5);
    for (int i = 0; i < naive::kTensors; ++i)
        for (int layer = 0; layer < layer_count; ++layer)
            compare(fmt::format("its gradient by {} of layer {}", naive::kTensorNames[i], layer), gradients[layer][i],
                    naive::of(variables[layer][i], slopes), 1.5e-5);
}

int check_all() {
    fmt::print("{} kernels, {} lanes, {} threads\n", kernels::name(kernels::current_isa()), kernels::kernels().lanes,
               thread_count());
    for (const bool accumulate : {false, true}) {
        check_gemm(1, 1, 1, accumulate);
        for (const int64_t n : {15, 16, 17, 33, 49, 64, 65}) check_gemm(7, n, 40, accumulate);
        check_gemm(13, 35, 513, accumulate);
    }
    for (const int64_t n : {3, 16, 17, 128}) check_norms(20, n);
    check_convolution({.in = 1, .out = 24, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3}, 101);
    check_convolution({.in = 12, .out = 20, .kernel = 5, .pad_left = 4}, 30);
    check_mamba({.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2}, 2, 1, 100, true);  // past a chunk
    check_mamba({.model = 5, .inner = 7, .state = 3, .conv = 2, .rank = 1}, 1, 2, 35, true);    // every width is odd
    check_mamba({}, 1, 1, 12, false);                                                           // the usual widths
    fmt::print("{}\n", failures == 0 ? "all agree" : fmt::format("{} do not agree", failures));
    return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cmr

int main() {
    try {
        return cmr::check_all();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isa_check: %s\n", error.what());
        return 2;
    }
}
