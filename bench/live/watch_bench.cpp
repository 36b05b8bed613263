// Many assets at one row a second each, as they come: what the monitor takes, and how long a row waits. Usage:
//   bench_watch MODEL.cmr [ASSETS] [SECONDS]      such as cmr-watch-demo/demo.cmr 1000 120
// Readings are noise around the middle of what the model knows, so every window is judged.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/rng.h"
#include "base/text.h"
#include "live/engine.h"

namespace {

using namespace cmr;
using namespace cmr::live;

constexpr int kModels = 10;

double cpu_s() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int64_t resident_bytes() {
    int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

// The limit of the bucket in which this share of all delays is.
double quantile(const Delays& delays, double share) {
    int64_t sum = 0;
    for (size_t i = 0; i < Delays::kLimits_s.size(); ++i)
        if (static_cast<double>(sum += delays.counts[i]) >= share * static_cast<double>(delays.total()))
            return Delays::kLimits_s[i];
    return INFINITY;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        fmt::print(stderr, "usage: bench_watch MODEL.cmr [ASSETS] [SECONDS]\n");
        return 2;
    }
    const int assets = count > 2 ? std::atoi(arguments[2]) : 1000, seconds = count > 3 ? std::atoi(arguments[3]) : 120;
    const fs::path folder = fs::temp_directory_path() / fmt::format("cmr-bench-watch-{}", getpid());
    fs::create_directories(folder);
    std::string text = "[web]\naddress = \"\"\n";
    for (int m = 0; m < kModels; ++m) {
        fs::copy_file(arguments[1], folder / fmt::format("{}.cmr", m));
        text += fmt::format("[[asset]]\nnames = [\"a{}-(1..{})\"]\nmodel = \"{}.cmr\"\n", m, assets / kModels, m);
    }
    {
        Engine engine(parse_plant(text, folder / "plant.toml"), [](const std::string&) {});
        engine.start();
        std::vector<std::string> names;
        for (const AssetView& view : engine.views()) names.push_back(view.name);
        Models models;
        const auto model = models.load(arguments[1]);
        const auto channels = monitor::Stream(model).channels();
        Rng rng(1);
        const double cpu_before = cpu_s();
        const auto start = std::chrono::steady_clock::now();
        int64_t at_ten = 0;
        std::vector<Reading> readings;
        for (int second = 0; second < seconds; ++second) {
            // Assets speak at different moments of the second.
            for (int part = 0; part < 10; ++part) {
                readings.clear();
                for (size_t a = static_cast<size_t>(part); a < names.size(); a += 10)
                    for (size_t c = 0; c < channels.size(); ++c)
                        readings.push_back({names[a], channels[c], 1.8e9 + second, static_cast<float>(rng.normal())});
                engine.sink().take(readings);
                std::this_thread::sleep_until(start + std::chrono::milliseconds(1000 * second + 100 * (part + 1)));
            }
            if (second == seconds / 2) at_ten = resident_bytes();
        }
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const EngineStatus status = engine.status();
        int64_t windows = 0;
        for (const AssetView& view : engine.views()) windows += view.counts.windows;
        fmt::print("{} assets, {} channels, {} models, {:.0f} s for {} s of rows\n", names.size(), channels.size(),
                   kModels, wall, seconds);
        fmt::print("cores {:.2f}\nwindows per second {:.0f}\n", (cpu_s() - cpu_before) / wall,
                   static_cast<double>(windows) / wall);
        fmt::print("resident {} at the middle, {} at the end\n", bytes_text(at_ten), bytes_text(resident_bytes()));
        fmt::print("row to level: half within {} s, 99 % within {} s\n", quantile(status.delays, 0.5),
                   quantile(status.delays, 0.99));
        fmt::print("journal {}\n", bytes_text(status.journal_bytes));
        engine.stop();
        fmt::print("ledger {} per asset and day\n",
                   bytes_text(static_cast<int64_t>(static_cast<double>(fs::file_size(folder / "state" / "ledger.db")) /
                                                   static_cast<double>(names.size()) * 86400 / seconds)));
    }
    fs::remove_all(folder);
    return 0;
}
