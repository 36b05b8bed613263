// bench_report [--quick | --plants]: the engine's figures as one JSON object from one run. See docs/performance.md.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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
#include "kernels/precision.h"
#include "model/encoder.h"
#include "model/methods/method.h"
#include "model/parameters.h"
#include "products.h"
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

class EncoderBench {
  public:
    EncoderBench() {
        config_.groups = {{"power", false, 1}, {"pressure", true, 1}};
        encoder_ = std::make_unique<model::Encoder>(
            model::Model{"bench", config_, model::initial_parameters(config_, Rng(1))}, "power");
    }
    double seconds(int64_t length, double budget, int64_t windows = 1) const {
        Rng rng(2);
        std::vector<float> x(windows * length), z(windows * encoder_->tokens(length) * encoder_->width());
        for (float& v : x) v = static_cast<float>(rng.normal());
        return best_seconds([&] { encoder_->embed(windows, length, x.data(), z.data()); }, budget);
    }
    double gemm_flops(int64_t length) const {
        return products_of(config_, length).blocks / static_cast<double>(config_.channels());
    }
    int64_t tokens(int64_t length) const { return config_.tokens(length); }

  private:
    model::Config config_;
    std::unique_ptr<model::Encoder> encoder_;
};

// What torch_baseline.py or torch_tuned.py prints.
Json torch_times(const std::string& script, int64_t length, int threads, double budget) {
    return from_python(fmt::format("{} --length {} --threads {} --max-seconds {}", script, length, threads, budget));
}

// Steps in a process of their own, so that their peak memory is nobody else's.
struct Child {
    double first_seconds;
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
    char* rest = nullptr;
    const double first = std::strtod(text, &rest);
    return {first, std::strtod(rest, nullptr), static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0)};
}

// A whole training step, and scoring of the same windows, over the bound of all their products on all threads.
Json step_of(const Shape& shape, double peak, double budget, int least) {
    const StepReport step = best_step(shape.config, shape.batch, shape.length, budget, least);
    const auto share = [&](double seconds) { return seconds / step.total; };
    const Products products = products_of(shape.config, shape.length);
    return {{"batch", shape.batch},
            {"seconds", step.total},
            {"windows_per_second", static_cast<double>(shape.batch) / step.total},
            {"ratio_train", step.total * peak / (products.training() * static_cast<double>(shape.batch))},
            {"share",
             {{"encoders_forward", share(step.encoders_forward)},
              {"predictor", share(step.predictor)},
              {"decoders", share(step.decoders)},
              {"encoders_backward", share(step.encoders_backward)},
              {"optimiser", share(step.optimiser)}}}};
}

double scoring_ratio(const Shape& shape, double peak, double budget) {
    const model::Model model{"bench", shape.config, model::initial_parameters(shape.config, Rng(1))};
    const auto network = model::load_network(model);
    std::vector<float> x(shape.batch * shape.config.channels() * shape.length);
    Rng rng(2);
    for (float& v : x) v = static_cast<float>(rng.normal());
    const double seconds = best_seconds([&] { network->embed(shape.batch, shape.length, x.data()); }, budget);
    return seconds * peak / (products_of(shape.config, shape.length).inference() * static_cast<double>(shape.batch));
}

// The part of a step's work that one thread does while the others wait, told on one thread.
double serial_share(const Shape& shape) {
    const int threads = thread_count();
    set_thread_count(1);
    const SerialStep step = serial_step(shape);
    set_thread_count(threads);
    return 1.0 - step.in_parallel / step.total;
}

// Many channels of short windows: whole steps, and scoring.
Json plants(double peak, double budget) {
    Json out;
    for (const Shape& shape : {tep(), batadal(), swat()}) {
        const Json step = step_of(shape, peak, budget, 1);
        out["plant_ratio_train"][shape.name] = step["ratio_train"];
        out["plant_ratio_infer"][shape.name] = scoring_ratio(shape, peak, budget / 3);
        out["plant_steps"][shape.name] = step;
        out["plant_steps"][shape.name]["serial_share"] = serial_share(shape);
    }
    return out;
}

Json torch_plants(int threads, double budget, bool quick) {
    constexpr int64_t kWindows = 96;
    const EncoderBench encoder;
    EncoderTraining training;
    Json out;
    for (const Shape& shape : {tep(), batadal()}) {
        if (quick && out.contains("tep")) break;
        const Json times = torch_times(fmt::format("torch_baseline.py --repeat 2 --windows {}", kWindows), shape.length,
                                       threads, budget);
        if (!times.is_object()) return nullptr;
        const auto ratio = [&](const char* key, double ours) { return times[key].get<double>() / (ours * 1e3); };
        out[shape.name] = {{"infer", ratio("infer_best_ms", encoder.seconds(shape.length, 0.2, kWindows))},
                           {"train", ratio("train_best_ms", training.seconds(shape.length, 0.2, kWindows))}};
    }
    return out;
}

// One thread on every instruction set of this CPU: the encoder over the bound of its products.
Json by_isa(double budget) {
    const kernels::Isa before = kernels::current_isa();
    const int threads = thread_count();
    set_thread_count(1);
    Json out = Json::array();
    for (const kernels::Isa isa : kernels::available_isas()) {
        kernels::use_isa(isa);
        const EncoderBench encoder;
        EncoderTraining training;
        double peak = 0.0;
        Best infer, train, shorts;
        for (int turn = 0; turn < 2; ++turn) {
            peak = std::max(peak, peak_flops(budget / 4));
            infer.take(encoder.seconds(kLength, budget));
            shorts.take(encoder.seconds(tep().length, budget, 96));
            train.take(training.seconds(kLength, budget));
        }
        const double bound = encoder.gemm_flops(kLength) / peak;
        out.push_back(
            {{"isa", kernels::name(isa)},
             {"peak_gflops", peak / 1e9},
             {"gemm_bound_ratio_infer", infer.seconds / bound},
             {"gemm_bound_ratio_infer_short_windows", shorts.seconds * peak / (96 * encoder.gemm_flops(tep().length))},
             {"gemm_bound_ratio_train", train.seconds / (3.0 * bound)}});
    }
    kernels::use_isa(before);
    set_thread_count(threads);
    return out;
}

// The encoder in every precision of the products that this CPU has beside float32 (AMX; with CMR_ISA=twin the slow
// twins). Training in bf16 is training in float32.
Json precisions(int turns, double budget) {
    Json out = Json::object();
    for (const kernels::Precision precision : kernels::available_precisions()) {
        if (precision == kernels::Precision::float32) continue;
        say(kernels::name(precision));
        setenv("CMR_PRECISION", kernels::name(precision), 1);
        const EncoderBench encoder;
        EncoderTraining training;
        unsetenv("CMR_PRECISION");
        const int threads = thread_count();
        Best infer, infer_long, train, train_all;
        for (int turn = 0; turn < turns; ++turn) {
            set_thread_count(1);
            infer.take(encoder.seconds(kLength, budget));
            infer_long.take(encoder.seconds(kLongLength, budget));
            train.take(training.seconds(kLength, budget));
            set_thread_count(threads);
            train_all.take(training.seconds(kLength, budget));
        }
        out[kernels::name(precision)] = {{"infer_ms", infer.seconds * 1e3},
                                         {"infer_long_ms", infer_long.seconds * 1e3},
                                         {"train_ms", train.seconds * 1e3},
                                         {"train_all_threads_ms", train_all.seconds * 1e3}};
    }
    return out;
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

    out["precisions"] = precisions(turns, budget);

    for (const auto& [name, script, budget_seconds] : {std::tuple{"torch", "torch_baseline.py", quick ? 9.0 : 60.0},
                                                       {"torch_tuned", "torch_tuned.py", quick ? 5.0 : 30.0}}) {
        say(script);
        const Json times = torch_times(script, kLength, threads, budget_seconds);
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
    const double peak_of_all = peak * threads;
    out["zema_step"] = step_of(zema(), peak_of_all, quick ? 0.0 : 20.0, 1);

    say("plants");
    out.update(plants(peak_of_all, quick ? 1.0 : 10.0));
    out["torch_plant_ratio"] = torch_plants(threads, quick ? 3.0 : 20.0, quick);

    say("every instruction set");
    out["isas"] = by_isa(budget);

    say("a Paderborn-shaped training step");
    const Child pu = pu_step_in_child(program);
    out["pu_first_step_seconds"] = pu.first_seconds;
    out["pu_step_seconds"] = pu.seconds;
    const Shape shape = paderborn();
    out["pu_ratio_train"] = pu.seconds * peak_of_all /
                            (products_of(shape.config, shape.length).training() * static_cast<double>(shape.batch));
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
            const auto [first, second] = cmr::bench::pu_steps();
            std::cout << first << ' ' << second << std::endl;
            return 0;
        }
        if (std::strcmp(arguments[i], "--plants") == 0) {
            double peak = 0.0;
            for (int turn = 0; turn < 5; ++turn) peak = std::max(peak, cmr::bench::peak_flops(0.1));
            std::cout << cmr::bench::plants(peak * cmr::thread_count(), 2.0).dump(2) << std::endl;
            return 0;
        }
        if (std::strcmp(arguments[i], "--quick") == 0) {
            quick = true;
        } else {
            std::cerr << "usage: bench_report [--quick | --plants]\n"
                         "Measures the engine and prints one JSON object; --quick takes less than 90 s,\n"
                         "--plants only what plants have.\n";
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
