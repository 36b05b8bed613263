#include "selftest.h"

#include <unistd.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/parallel.h"
#include "kernels/isa.h"
#include "model/encoder.h"
#include "model/parameters.h"
#include "train/networks/cmr_network.h"
#include "train/networks/optimiser.h"

namespace cmr::train {
namespace {

constexpr int64_t kBatch = 4, kLength = 512, kSteps = 6;
constexpr double kTolerance = 1e-5;  // between the embeddings of training and scoring

model::Config small_config() {
    model::Config config;
    config.groups = {{"cause", false, 1}, {"effect", true, 1}};
    config.layers = 2;
    return config;
}

// A wave and its delayed, squared answer with a little noise: something to learn.
at::Tensor windows() {
    at::Tensor data = at::empty({kBatch, 2, kLength});
    Rng rng(3);
    for (int64_t w = 0; w < kBatch; ++w)
        for (int64_t t = 0; t < kLength; ++t) {
            const auto drive = [&](int64_t at) { return std::sin(0.05 * static_cast<double>(at) * (1.0 + 0.2 * w)); };
            float* to = data.data_ptr<float>() + w * 2 * kLength + t;
            to[0] = static_cast<float>(1.4 * drive(t));
            to[kLength] = static_cast<float>(2.0 * drive(t - 9) * drive(t - 9) - 1.0 + 0.05 * rng.normal());
        }
    return data;
}

struct Run {
    model::Model model;
    std::vector<double> losses;
    double windows_per_second = 0.0;
};

Run train(int threads) {
    set_thread_count(threads);
    const model::Config config = small_config();
    train::CmrNetwork network({"selftest", config, model::initial_parameters(config, Rng(1))});
    train::Optimiser optimiser(network.parameters(), {});
    const at::Tensor data = windows();
    Run run;
    const auto start = std::chrono::steady_clock::now();
    for (int64_t step = 0; step < kSteps; ++step) {
        run.losses.push_back(network.train_step(data, {Rng(2).split(static_cast<uint64_t>(step))}).total);
        optimiser.step();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.windows_per_second = static_cast<double>(kBatch * kSteps) / seconds;
    run.model = network.snapshot();
    return run;
}

bool same_bits(const Run& a, const Run& b) {
    if (a.losses != b.losses) return false;
    for (size_t i = 0; i < a.model.tensors.size(); ++i)
        if (a.model.tensors[i].values != b.model.tensors[i].values) return false;
    return true;
}

// Through a file, as a fitted model reaches the scorer.
double scoring_difference(const model::Model& trained) {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("cmr-selftest-{}.safetensors", getpid());
    model::save_model(path, trained);
    const model::Model loaded = model::load_model(path);
    std::filesystem::remove(path);

    const at::NoGradGuard no_gradients;
    train::CmrNetwork network(trained);
    const at::Tensor samples = windows().select(1, 1).contiguous();
    const at::Tensor want = network.encode(network.config().groups[1], samples, false);
    const model::Encoder encoder(loaded, "effect");
    std::vector<float> got(want.numel());
    encoder.embed(kBatch, kLength, samples.data_ptr<float>(), got.data());
    double largest = 0.0;
    for (int64_t i = 0; i < want.numel(); ++i)
        largest = std::max(largest, static_cast<double>(std::abs(got[i] - want.data_ptr<float>()[i])));
    return largest;
}

struct Row {
    std::string isa;
    bool repeatable, any_threads;
    double difference, first_loss, last_loss, windows_per_second;
    bool good() const { return repeatable && any_threads && difference <= kTolerance && last_loss < first_loss; }
};

Row check(kernels::Isa isa, int threads) {
    kernels::use_isa(isa);
    const Run run = train(threads);
    return {kernels::name(isa),
            same_bits(run, train(threads)),
            same_bits(run, train(threads == 1 ? 2 : 1)),
            scoring_difference(run.model),
            run.losses.front(),
            run.losses.back(),
            run.windows_per_second};
}

}  // namespace

int selftest(bool json) {
    const int threads = thread_count();
    std::vector<Row> rows;
    for (const kernels::Isa isa : kernels::available_isas()) {
        if (isatty(STDERR_FILENO)) fmt::print(stderr, "checking {} …\r", kernels::name(isa));
        rows.push_back(check(isa, threads));
    }
    bool good = true;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const auto yes = [](bool value) { return value ? "yes" : "NO"; };
    if (!json)
        fmt::print("{:<10}{:>12}{:>13}{:>22}{:>18}{:>11}\n", "ISA", "repeatable", "any threads", "scoring = training",
                   "loss", "windows/s");
    for (const Row& row : rows) {
        good = good && row.good();
        if (json)
            list.push_back({{"isa", row.isa},
                            {"repeatable", row.repeatable},
                            {"any_threads", row.any_threads},
                            {"scoring_difference", row.difference},
                            {"first_loss", row.first_loss},
                            {"last_loss", row.last_loss},
                            {"windows_per_second", row.windows_per_second}});
        else
            fmt::print("{:<10}{:>12}{:>13}{:>22}{:>18}{:>11.1f}\n", row.isa, yes(row.repeatable), yes(row.any_threads),
                       fmt::format("{} ({:.1e})", yes(row.difference <= kTolerance), row.difference),
                       fmt::format("{:.3f} to {:.3f}", row.first_loss, row.last_loss), row.windows_per_second);
    }
    if (json) {
        fmt::print("{}\n", nlohmann::ordered_json{{"good", good}, {"threads", threads}, {"isas", list}}.dump(2));
    } else {
        fmt::print("{}\n", good ? "All promises hold on this machine." : "A promise is broken: please report this.");
    }
    return good ? 0 : 1;
}

}  // namespace cmr::train
