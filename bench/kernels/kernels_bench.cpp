// Every kernel by itself, on every instruction set of this CPU and in every precision it has, one thread. Run with
// --benchmark_filter=… ; the counter ns_per_token compares the parts of a training step, gflops the products with the
// machine's peak.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "kernels/conv.h"
#include "kernels/elementwise.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/mamba_stack.h"
#include "kernels/norm.h"
#include "kernels/precision.h"
#include "model/encoder.h"
#include "model/parameters.h"

namespace cmr {
namespace {

using kernels::kernels;

constexpr int64_t kTokens = 1500;  // a ZeMA cycle
kernels::Precision precision;      // of the bench that runs

const kernels::Kernels& products() { return kernels(precision); }

// Aligned as everything in the engine is.
Buffer random_floats(int64_t n) {
    Rng rng(1);
    Buffer values(n);
    for (int64_t i = 0; i < n; ++i) values.data()[i] = static_cast<float>(rng.normal());
    return values;
}

void per_token(benchmark::State& state, int64_t tokens) {
    state.counters["per_token"] = benchmark::Counter(
        static_cast<double>(tokens), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void flops(benchmark::State& state, double count) {
    state.counters["gflops"] = benchmark::Counter(count * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void peak(benchmark::State& state) {
    float sink = 0.0f;
    double done = 0.0;
    for (auto _ : state) done = static_cast<double>(kernels().multiply_add_loop(10'000, &sink));
    benchmark::DoNotOptimize(sink);
    flops(state, done);
}

// m tokens, as the block calls them: in_proj, x_proj, dt_proj, out_proj.
void gemm(benchmark::State& state, int64_t n, int64_t k) {
    const int64_t m = kernels::kChunk;
    const Buffer a = random_floats(m * k), b = random_floats(k * n);
    Buffer packed(products().packed_size(k, n)), c(m * n);
    products().pack(k, n, {b.data(), n, 1}, packed.data());
    for (auto _ : state) products().gemm(m, n, k, {a.data(), k, 1}, packed.data(), c.data(), n, false);
    flops(state, 2.0 * static_cast<double>(m * n * k));
    per_token(state, m);
}

// A weight gradient: k runs over tokens.
void gemm_weight_gradient(benchmark::State& state, int64_t m, int64_t n) {
    const int64_t k = kernels::kChunk;
    const Buffer a = random_floats(k * m), b = random_floats(k * n);
    Buffer c = random_floats(m * n);
    for (auto _ : state) products().gemm_unpacked(m, n, k, {a.data(), 1, m}, {b.data(), n, 1}, c.data(), n, true);
    flops(state, 2.0 * static_cast<double>(m * n * k));
    per_token(state, k);
}

model::Model new_model(int64_t layers) {
    model::Config config;
    config.groups = {{"cause", false, 1}, {"effect", true, 1}};
    config.layers = layers;
    config.precision = kernels::name(precision);
    return {"bench", config, model::initial_parameters(config, Rng(1))};
}

std::vector<kernels::MambaWeights> one_layer(const model::Model& m) {
    const auto at = [&](const char* name) { return m.at(std::string("encoders.cause.layers.0.") + name); };
    return {{at("norm.weight"), at("norm.bias"), at("in_proj.weight"), at("conv.weight"), at("conv.bias"),
             at("x_proj.weight"), at("dt_proj.weight"), at("dt_proj.bias"), at("a_log"), at("skip"),
             at("out_proj.weight")}};
}

void mamba_forward(benchmark::State& state) {
    const model::Model m = new_model(1);
    const kernels::MambaStack stack(m.config.block(precision), one_layer(m));
    const Buffer input = random_floats(kTokens * m.config.width);
    Buffer h(input.size());
    for (auto _ : state) {  // in place, so each round starts from the input again
        std::copy_n(input.data(), input.size(), h.data());
        stack.forward(1, kTokens, h.data());
    }
    per_token(state, kTokens);
}

void mamba_backward(benchmark::State& state) {
    const model::Model m = new_model(1);
    const auto weights = one_layer(m);
    const kernels::MambaStack stack(m.config.block(precision), weights);
    Buffer h = random_floats(kTokens * m.config.width), d = random_floats(kTokens * m.config.width);
    kernels::MambaTape tape;
    stack.forward(1, kTokens, h.data(), tape);
    std::vector<std::vector<float>> room(11, std::vector<float>(2 * 256 * 128));
    const std::vector<kernels::MambaGradients> gradients{
        {room[0].data(), room[1].data(), room[2].data(), room[3].data(), room[4].data(), room[5].data(), room[6].data(),
         room[7].data(), room[8].data(), room[9].data(), room[10].data()}};
    Buffer gradient(d.size());
    for (auto _ : state) {
        std::copy_n(d.data(), d.size(), gradient.data());
        stack.backward(tape, gradient.data(), weights, gradients);
    }
    per_token(state, kTokens);
}

void layer_norm(benchmark::State& state, bool gelu, bool backward) {
    const int64_t n = 128;
    const Buffer x = random_floats(kTokens * n), w = random_floats(n), b = random_floats(n);
    Buffer y(kTokens * n), dw(n), db(n);
    for (auto _ : state)
        if (backward)
            kernels::layer_norm_backward(kTokens, n, x.data(), w.data(), b.data(), gelu, x.data(), y.data(), dw.data(),
                                         db.data());
        else
            kernels::layer_norm_forward(kTokens, n, x.data(), w.data(), b.data(), gelu, y.data());
    per_token(state, kTokens);
}

void batch_norm_gelu(benchmark::State& state, bool backward) {
    const int64_t n = 128;
    const Buffer x = random_floats(kTokens * n), w = random_floats(n), b = random_floats(n);
    Buffer y(kTokens * n), dw(n), db(n);
    const kernels::BatchMoments moments = kernels::batch_moments(kTokens, n, x.data());
    for (auto _ : state)
        if (backward)
            kernels::batch_norm_gelu_backward(kTokens, n, x.data(), moments, w.data(), b.data(), x.data(), y.data(),
                                              dw.data(), db.data());
        else
            kernels::batch_norm_gelu_forward(kTokens, n, x.data(), moments, w.data(), b.data(), y.data());
    per_token(state, kTokens);
}

enum class Pass { forward, data, weight };

void conv(benchmark::State& state, kernels::ConvShape s, Pass pass) {
    s.precision = precision;
    const int64_t length = kTokens * s.stride, outputs = s.out_length(length);
    const Buffer x = random_floats(length * s.in), y = random_floats(outputs * s.out),
                 w = random_floats(s.out * s.in * s.kernel);
    Buffer to(std::max({length * s.in, outputs * s.out, s.out * s.in * s.kernel}));
    using For = kernels::ConvWeights::For;
    const kernels::ConvWeights weights(s, w.data(), pass == Pass::data ? For::backward_data : For::forward);
    for (auto _ : state) {
        if (pass == Pass::forward) kernels::conv_forward(s, weights, 1, length, x.data(), nullptr, to.data());
        if (pass == Pass::data) kernels::conv_backward_data(s, weights, 1, length, y.data(), nullptr, to.data());
        if (pass == Pass::weight) kernels::conv_backward_weight(s, 1, length, x.data(), y.data(), to.data());
    }
    flops(state, 2.0 * static_cast<double>(outputs * s.out * s.in * s.kernel));
    per_token(state, outputs);
}

void encoder(benchmark::State& state, int64_t length) {
    const model::Encoder one(new_model(4), "cause");
    const Buffer x = random_floats(length);
    Buffer z(one.tokens(length) * one.width());
    for (auto _ : state) one.embed(1, length, x.data(), z.data());
    per_token(state, one.tokens(length));
}

void adamw(benchmark::State& state) {
    const int64_t n = 1 << 20;
    const Buffer g = random_floats(n);
    Buffer w = random_floats(n), mean(n), square(n);
    std::fill_n(mean.data(), n, 0.0f);
    std::fill_n(square.data(), n, 0.0f);  // a square is never negative
    for (auto _ : state) kernels::adamw({}, n, g.data(), w.data(), mean.data(), square.data());
}

// An instruction set in float32, or the products of a precision on the best set.
struct Way {
    kernels::Isa isa;
    kernels::Precision precision = kernels::Precision::float32;

    std::string name() const {
        return precision == kernels::Precision::float32 ? kernels::name(isa) : kernels::name(precision);
    }
};

template <typename... Args>
void add(const std::string& name, Way way, void (*body)(benchmark::State&, Args...), Args... args) {
    benchmark::RegisterBenchmark((name + "/" + way.name()).c_str(), [=](benchmark::State& state) {
        kernels::use_isa(way.isa);
        precision = way.precision;
        const FlushDenormals flush;
        body(state, args...);
    });
}

void add_products(Way isa) {
    add<int64_t, int64_t>("gemm/in_proj", isa, gemm, 512, 128);
    add<int64_t, int64_t>("gemm/x_proj", isa, gemm, 40, 256);
    add<int64_t, int64_t>("gemm/dt_proj", isa, gemm, 256, 8);
    add<int64_t, int64_t>("gemm/out_proj", isa, gemm, 128, 256);
    add<int64_t, int64_t>("gemm_weight_gradient/in_proj", isa, gemm_weight_gradient, 512, 128);
    add<int64_t, int64_t>("gemm_weight_gradient/out_proj", isa, gemm_weight_gradient, 128, 256);
    add("mamba_forward", isa, mamba_forward);
    add("mamba_backward", isa, mamba_backward);
    const kernels::ConvShape causal{.in = 128, .out = 128, .kernel = 5, .pad_left = 4};
    const kernels::ConvShape up{.in = 64, .out = 128, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1};
    for (const auto& [name, shape] : {std::pair{"conv/predictor/", causal}, {"conv/decoder/", up}}) {
        add(std::string(name) + "forward", isa, conv, shape, Pass::forward);
        add(std::string(name) + "data", isa, conv, shape, Pass::data);
        add(std::string(name) + "weight", isa, conv, shape, Pass::weight);
    }
    add<int64_t>("encoder/6000", isa, encoder, 6000);
    add<int64_t>("encoder/32768", isa, encoder, 32768);
}

void add_all(Way isa) {
    add("peak", isa, peak);
    add_products(isa);
    add("layer_norm/forward", isa, layer_norm, false, false);
    add("layer_norm/backward", isa, layer_norm, false, true);
    add("layer_norm_gelu/forward", isa, layer_norm, true, false);
    add("layer_norm_gelu/backward", isa, layer_norm, true, true);
    add("batch_norm_gelu/forward", isa, batch_norm_gelu, false);
    add("batch_norm_gelu/backward", isa, batch_norm_gelu, true);
    const kernels::ConvShape stem{.in = 1, .out = 128, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3};
    add("conv/stem/forward", isa, conv, stem, Pass::forward);
    add("conv/stem/weight", isa, conv, stem, Pass::weight);
    add("adamw", isa, adamw);
}

}  // namespace
}  // namespace cmr

int main(int argc, char** argv) {
    cmr::set_thread_count(1);
    for (const auto isa : cmr::kernels::available_isas()) cmr::add_all({isa});
    for (const auto precision : cmr::kernels::available_precisions())  // where AMX is, or with CMR_ISA=twin
        if (precision != cmr::kernels::Precision::float32)
            cmr::add_products({cmr::kernels::available_isas().back(), precision});
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
