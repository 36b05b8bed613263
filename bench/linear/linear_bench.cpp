// What fitting a detector spends its time on beside the network: products in double, beside Eigen's own, and the
// decompositions built on them. All threads.

#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>

#include "base/rng.h"
#include "linear/leading.h"
#include "linear/products.h"
#include "linear/ridge.h"
#include "linear/symmetric.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;

// Rows whose variance falls off as that of windows and embeddings does.
MatrixXd random_rows(int64_t rows, int64_t columns) {
    Rng rng(1);
    MatrixXd out = MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
    for (int64_t c = 0; c < columns; ++c) out.col(c) /= 1.0 + 0.1 * static_cast<double>(c);
    return out;
}

void gflops(benchmark::State& state, double count) {
    state.counters["gflops"] = benchmark::Counter(count * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void product_of_eigen(benchmark::State& state) {
    const int64_t n = state.range(0);
    const MatrixXd a = random_rows(n, n), b = random_rows(n, n);
    for (auto _ : state) benchmark::DoNotOptimize(MatrixXd(a.transpose() * b).data());
    gflops(state, 2.0 * n * n * n);
}

void product_of_ours(benchmark::State& state) {
    const int64_t n = state.range(0);
    const MatrixXd a = random_rows(n, n), b = random_rows(n, n);
    for (auto _ : state) benchmark::DoNotOptimize(product(a.transpose(), b).data());
    gflops(state, 2.0 * n * n * n);
}

MatrixXd gram_of(int64_t side) {
    const MatrixXd x = random_rows(side + 100, side);
    return x.transpose() * x;
}

void eigenpairs_of_eigen(benchmark::State& state) {
    const MatrixXd gram = gram_of(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(Eigen::SelfAdjointEigenSolver<MatrixXd>(gram).eigenvectors().data());
}

void eigenpairs_of_ours(benchmark::State& state) {
    const MatrixXd gram = gram_of(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(symmetric_eigen(gram).vectors.data());
}

void leading_pairs(benchmark::State& state) {
    const MatrixXd gram = gram_of(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(leading_eigenpairs(gram.rows(), state.range(1), [&](const MatrixXd& y) {
                                     return product(gram, y);
                                 }).vectors.data());
}

void ridge(benchmark::State& state) {
    const int64_t inputs = state.range(0), outputs = state.range(1);
    std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(inputs, outputs));
    for (RidgeSums& block : blocks) block.add(random_rows(400, inputs), random_rows(400, outputs));
    for (auto _ : state) benchmark::DoNotOptimize(fit_ridge(blocks).penalty);
}

BENCHMARK(product_of_eigen)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product_of_ours)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eigenpairs_of_eigen)->Arg(352)->Arg(1032)->Arg(1739)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eigenpairs_of_ours)->Arg(352)->Arg(1032)->Arg(1739)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(leading_pairs)->Args({1032, 31})->Args({1739, 128})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(ridge)->Args({128, 7168})->Args({352, 1312})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cmr::linear

BENCHMARK_MAIN();
