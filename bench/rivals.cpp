// How long a training step of each rival takes, over the same network in plain PyTorch with as many threads. Prints one
// JSON object: per shape and method our time and PyTorch's in ms, and ours over PyTorch's.

#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "model/methods/method.h"
#include "model/parameters.h"
#include "python.h"
#include "timing.h"
#include "train/networks/network.h"
#include "train/networks/optimiser.h"

namespace cmr::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Shape {
    const char* name;
    int64_t channels, length, batch;
    bool attention;  // else the transformer is left out: too many tokens
};

double step_ms(const std::string& method, const Shape& shape) {
    model::Config config;
    config.method = method;
    config.groups = {{"cause", false, 1}, {"effect", true, shape.channels - 1}};
    const auto network = train::make_network({"bench", config, model::initial_parameters(config, Rng(1))});
    std::vector<train::Optimiser> optimisers(network->phases(), train::Optimiser(network->parameters(), {}));
    const at::Tensor windows = at::randn({shape.batch, shape.channels, shape.length});
    return 1000 * best_seconds(
                      [&] {
                          for (int64_t phase = 0; phase < network->phases(); ++phase) {
                              network->train_step(windows, {Rng(1), 2, phase});
                              optimisers[phase].step();
                          }
                      },
                      2.0, 5);
}

int run() {
    keep_freed_memory();
    Json out = {{"threads", thread_count()}};
    for (const Shape& shape : {Shape{"zema-1hz", 17, 64, 32, true}, Shape{"tep", 52, 32, 32, true},
                               Shape{"swat", 51, 256, 32, true}, Shape{"pu", 3, 32768, 8, false}}) {
        std::string methods;
        for (const model::Method& kind : model::methods())
            if (!kind.knows_causes && (shape.attention || kind.name != "anomaly-transformer"))
                methods += fmt::format("{} ", kind.name);
        const Json torch = from_python(fmt::format("torch_rivals.py {} {} {} {} {}", shape.channels, shape.length,
                                                   shape.batch, thread_count(), methods));
        for (const model::Method& kind : model::methods()) {
            if (methods.find(fmt::format("{} ", kind.name)) == std::string::npos) continue;
            const double ours = step_ms(std::string(kind.name), shape);
            Json& row = out[shape.name][std::string(kind.name)];
            row = {{"ms", ours}};
            if (!torch.is_object()) continue;
            row["torch_ms"] = torch.at(std::string(kind.name));
            row["ratio"] = ours / torch.at(std::string(kind.name)).get<double>();
        }
    }
    fmt::print("{}\n", out.dump(2));
    return 0;
}

}  // namespace
}  // namespace cmr::bench

int main() { return cmr::bench::run(); }
