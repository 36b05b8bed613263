// bench_report [--quick]: the engine's figures as one JSON object from one run. See docs/performance.md.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "model/encoder.h"
#include "model/parameters.h"
#include "python.h"
#include "timing.h"
#include "training.h"

namespace cmr::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kLength = 6000;       // a ZeMA cycle
constexpr int64_t kLongLength = 32768;  // a Paderborn window

void say(const char* what) { fmt::print(stderr, "bench_report: {} …\n", what); }

struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    void take(double other) { seconds = std::min(seconds, other); }
};

double peak_flops(double budget) {
    const FlushDenormals flush;
    float sink = 0.0f;
    double flops = 0.0;
    const double seconds = best_seconds(
        [&] { flops = static_cast<double>(kernels::kernels().multiply_add_loop(200'000, &sink)); }, budget, 10);
    return flops / seconds;
}

// Matrix products of one encoder, per token.
double gemm_flops_per_token(const model::Config& c) {
    const auto s = c.block();
    const double weights =
        static_cast<double>(2 * s.inner * s.model + s.projected() * s.inner + s.inner * s.rank + s.model * s.inner);
    return 2.0 * weights * static_cast<double>(c.layers);
}

class EncoderBench {
  public:
    EncoderBench() {
        config_.groups = {{"power", false, 1}, {"pressure", true, 1}};
        encoder_ = std::make_unique<model::Encoder>(
            model::Model{"bench", config_, model::initial_parameters(config_, Rng(1))}, "power");
    }
    double seconds(int64_t length, double budget) const {
        Rng rng(2);
        std::vector<float> x(length), z(encoder_->tokens(length) * encoder_->width());
        for (float& v : x) v = static_cast<float>(rng.normal());
        return best_seconds([&] { encoder_->embed(1, length, x.data(), z.data()); }, budget);
    }
    double gemm_flops(int64_t length) const {
        return gemm_flops_per_token(config_) * static_cast<double>(config_.tokens(length));
    }
    int64_t tokens(int64_t length) const { return config_.tokens(length); }

  private:
    model::Config config_;
    std::unique_ptr<model::Encoder> encoder_;
};

// What torch_baseline.py or torch_tuned.py prints.
Json torch_times(const char* script, int threads, double budget) {
    return from_python(fmt::format("{} --length {} --threads {} --max-seconds {}", script, kLength, threads, budget));
}

// One step in a process of its own, so that its peak memory is nobody else's.
struct Child {
    double seconds;
    double peak_gb;
};
Child pu_step_in_child(const char* program) {
    int ends[2];
    if (pipe(ends) != 0) throw InternalError("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", program, "--pu-step", nullptr);
        _exit(127);
    }
    close(ends[1]);
    char text[64] = {};
    const ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0 || got <= 0) throw InternalError("the Paderborn-shaped step failed");
    return {std::stod(text), static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0)};
}

Json report(bool quick, const char* program) {
    const double budget = quick ? 0.15 : 0.5;  // of one measurement in one turn
    const int threads = thread_count();
    const EncoderBench encoder;
    EncoderTraining training;
    Json out;
    out["isa"] = kernels::name(kernels::current_isa());
    out["threads"] = threads;

    // In turns, so that a busy moment of the machine spoils a turn and not a figure.
    say("the encoder");
    double peak = 0.0;
    Best infer, infer_long, train, infer_all, train_all;
    const int turns = quick ? 5 : 12;
    for (int turn = 0; turn < turns; ++turn) {
        set_thread_count(1);
        peak = std::max(peak, peak_flops(budget / 4));
        infer.take(encoder.seconds(kLength, budget));
        infer_long.take(encoder.seconds(kLongLength, budget));
        train.take(training.seconds(kLength, budget));
        set_thread_count(threads);
        infer_all.take(encoder.seconds(kLength, budget));
        train_all.take(training.seconds(kLength, budget));
    }
    const double bound = encoder.gemm_flops(kLength) / peak;
    out["peak_gflops"] = peak / 1e9;
    out["gemm_bound_ms"] = bound * 1e3;
    out["infer_ms"] = infer.seconds * 1e3;
    out["infer_long_ms"] = infer_long.seconds * 1e3;
    out["train_ms"] = train.seconds * 1e3;
    out["gemm_bound_ratio_infer"] = infer.seconds / bound;
    out["gemm_bound_ratio_train"] = train.seconds / (3.0 * bound);
    out["token_cost_ratio"] = infer_long.seconds / static_cast<double>(encoder.tokens(kLongLength)) /
                              (infer.seconds / static_cast<double>(encoder.tokens(kLength)));
    out["infer_all_threads_ms"] = infer_all.seconds * 1e3;
    out["train_all_threads_ms"] = train_all.seconds * 1e3;
    out["infer_thread_speedup"] = infer.seconds / infer_all.seconds;
    out["train_thread_speedup"] = train.seconds / train_all.seconds;

    for (const auto& [name, script, budget_seconds] : {std::tuple{"torch", "torch_baseline.py", quick ? 9.0 : 60.0},
                                                       {"torch_tuned", "torch_tuned.py", quick ? 5.0 : 30.0}}) {
        say(script);
        const Json times = torch_times(script, threads, budget_seconds);
        const auto ratio = [&](const char* key, double ours) {
            return times.is_object() && times.contains(key) && times[key].is_number()
                       ? Json(times[key].get<double>() / (ours * 1e3))
                       : Json();
        };
        out[fmt::format("{}_ratio_infer", name)] = ratio("infer_best_ms", infer_all.seconds);
        out[fmt::format("{}_ratio_train", name)] = ratio("train_best_ms", train_all.seconds);
        out[name] = times;
    }

    say("a ZeMA-shaped training step");
    constexpr int64_t kBatch = 32;
    const StepReport step = zema_step(kBatch, quick ? 0.0 : 20.0);
    const auto share = [&](double seconds) { return seconds / step.total; };
    out["zema_step"] = {{"batch", kBatch},
                        {"seconds", step.total},
                        {"windows_per_second", kBatch / step.total},
                        {"share",
                         {{"encoders_forward", share(step.encoders_forward)},
                          {"predictor", share(step.predictor)},
                          {"decoders", share(step.decoders)},
                          {"encoders_backward", share(step.encoders_backward)},
                          {"optimiser", share(step.optimiser)}}}};

    say("a Paderborn-shaped training step");
    const Child pu = pu_step_in_child(program);
    out["pu_step_seconds"] = pu.seconds;
    out["train_rss_gb"] = pu.peak_gb;
    return out;
}

}  // namespace
}  // namespace cmr::bench

int main(int count, char** arguments) {
    cmr::keep_freed_memory();
    bool quick = false;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--pu-step") == 0) {
            std::cout << cmr::bench::pu_step(12) << std::endl;
            return 0;
        }
        if (std::strcmp(arguments[i], "--quick") == 0) {
            quick = true;
        } else {
            std::cerr << "usage: bench_report [--quick]\n"
                         "Measures the engine and prints one JSON object; --quick takes less than a minute.\n";
            return std::strcmp(arguments[i], "--help") == 0 ? 0 : 2;
        }
    }
    try {
        std::cout << cmr::bench::report(quick, arguments[0]).dump(2) << std::endl;
    } catch (const cmr::InputError& error) {
        std::cerr << "bench_report: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "bench_report: " << error.what() << '\n';
        return 1;
    }
}
