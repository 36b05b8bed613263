// How fast streams are, and how large. Prints one JSON object.
//
//   bench_stream pu [MACHINES [ROWS]]      3 channels at 64 kHz, windows of 32,768 every 16,384, the full network
//   bench_stream water [PLANTS [ROWS]]     plants of 51 channels at 1 Hz that share ten models, the full network
//   bench_stream memory [ROWS]             one stream of 3 channels, no network: what the process takes as it goes on

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "kernels/isa.h"
#include "monitor/shape.h"
#include "timing.h"

namespace {

using namespace cmr;
using Json = nlohmann::ordered_json;

int64_t resident_bytes() {
    int64_t pages = 0;
    std::ifstream file("/proc/self/statm");
    file >> pages >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

// What was allocated and not freed; what was freed is still resident.
int64_t heap_bytes() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// The shipped recipe's channels and windows, and its network unless `network` is small.
recipe::Recipe recipe_called(const std::string& name) {
    const recipe::Recipe shipped = recipe::read_recipe(std::string(CMR_RECIPES) + "/" + name + ".toml");
    recipe::Recipe out = test::shape_of(shipped);
    out.model = shipped.model;
    return out;
}

struct Times {
    int64_t rows = 0;
    double all_s = 0;               // of all rows
    std::vector<double> window_ms;  // of rows that complete a window

    Json to_json(double rate_hz, int64_t machines) const {
        std::vector<double> sorted = window_ms;
        std::ranges::sort(sorted);
        const auto at = [&](double share) {
            return sorted.empty() ? 0.0 : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
        };
        double windows_s = 0;
        for (const double ms : window_ms) windows_s += ms / 1000;
        const auto count = static_cast<double>(rows);
        return {{"rows", rows},
                {"rows_per_s", count / all_s},
                {"us_per_row", 1e6 * all_s / count},
                {"us_per_row_without_windows", 1e6 * (all_s - windows_s) / count},
                {"windows", sorted.size()},
                {"window_ms_p50", at(0.5)},
                {"window_ms_p99", at(0.99)},
                {"window_ms_max", at(1)},
                {"times_real_time", count / rate_hz / static_cast<double>(machines) / all_s}};
    }
};

// `rows` rows to each stream, in turns, after as many as the first window has more than a stride: then every stride
// completes one.
Times run(std::vector<monitor::Stream>& streams, const recipe::Recipe& recipe, int64_t rows) {
    const int64_t period = 4 * recipe.window.length;
    const auto samples = test::plant_samples(recipe, period, 9, period);
    Times out;
    const int64_t warm = recipe.window.length - recipe.window.stride;
    bench::Clock::time_point start;
    for (int64_t t = 0; t < warm + rows; ++t) {
        if (t == warm) start = bench::Clock::now();
        for (monitor::Stream& stream : streams) {
            const auto begin = bench::Clock::now();
            stream.push(static_cast<double>(t) / recipe.data.rate_hz, samples[t % period]);
            bool complete = false;
            while (stream.next()) complete = true;
            if (complete) out.window_ms.push_back(1000 * bench::seconds_since(begin));
        }
    }
    out.all_s = bench::seconds_since(start);
    out.rows = rows * std::ssize(streams);
    return out;
}

Json many(const std::string& name, const std::vector<std::shared_ptr<score::Detector>>& models, int64_t machines,
          int64_t rows) {
    const int64_t before = heap_bytes();
    std::vector<monitor::Stream> streams;
    for (int64_t i = 0; i < machines; ++i) streams.emplace_back(models[i % models.size()]);
    const recipe::Recipe& recipe = models.front()->recipe;
    Json out = run(streams, recipe, rows).to_json(recipe.data.rate_hz, machines);
    out["case"] = name;
    out["machines"] = machines;
    out["models"] = models.size();
    out["bytes_per_machine"] = (heap_bytes() - before) / machines;
    out["bytes_of_a_saved_state"] = streams.front().save().size();
    return out;
}

Json memory(int64_t rows) {
    recipe::Recipe recipe = recipe_called("pu");
    const auto model = test::fit_shape(test::shape_of(recipe), /*network=*/false);
    monitor::Stream stream(model);
    const auto samples = test::plant_samples(recipe, 4 * recipe.window.length, 9, 1);
    Json out = {{"case", "memory"}, {"rows", rows}, {"resident_bytes", Json::array()}};
    for (int64_t t = 0; t < rows; ++t) {
        stream.push(static_cast<double>(t) / recipe.data.rate_hz, samples[t % std::ssize(samples)]);
        while (stream.next()) {
        }
        if ((t + 1) % std::max<int64_t>(rows / 10, 1) == 0) out["resident_bytes"].push_back(resident_bytes());
    }
    return out;
}

int64_t argument(int argc, char** argv, int index, int64_t otherwise) {
    return argc > index ? std::atoll(argv[index]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    Json out;
    if (what == "pu") {
        const recipe::Recipe recipe = recipe_called("pu");
        out = many("pu", {test::fit_shape(recipe, true)}, argument(argc, argv, 2, 2),
                   argument(argc, argv, 3, 5 * recipe.window.stride));
    } else if (what == "water") {
        const recipe::Recipe recipe = recipe_called("swat");
        std::vector<std::shared_ptr<score::Detector>> models;
        for (int i = 0; i < 10; ++i) models.push_back(test::fit_shape(recipe, true));
        out = many("water", models, argument(argc, argv, 2, 1000), argument(argc, argv, 3, 2 * recipe.window.stride));
    } else if (what == "memory") {
        out = memory(argument(argc, argv, 2, 10'000'000));
    } else {
        std::cerr << "bench_stream pu [MACHINES [ROWS]] | water [PLANTS [ROWS]] | memory [ROWS]\n";
        return 2;
    }
    out["threads"] = thread_count();
    out["isa"] = std::string(kernels::name(kernels::current_isa()));
    std::cout << out.dump(2) << "\n";
}
