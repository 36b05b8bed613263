// Many assets at one row a second each, as they come: what the monitor takes, and how long a row waits. Usage:
//   bench_watch MODEL.cmr [ASSETS] [SECONDS]      such as cmr-watch-demo/demo.cmr 1000 120
// Rows are those of the model's golden windows, one after the other. Every asset has a full window behind it when time
// begins, so that windows come as they do in the long run. Where one golden window follows another, machines seem
// broken, and later one in ten is: a receiver on this machine is told.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "base/memory.h"
#include "base/text.h"
#include "io/json_fields.h"
#include "io/text/time.h"
#include "live/engine.h"
#include "live/service.h"

#include <httplib.h>  // last: its headers define a macro that Eigen has as a name

namespace {

using namespace cmr;
using namespace cmr::live;

constexpr int kModels = 10, kParts = 10;  // assets speak at ten moments of a second
constexpr double kStart_s = 1.8e9;

double steady_s() { return system_clock().steady_s(); }

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

// The limit of the bucket in which this share of all delays is, of those that came since `before`.
double quantile(const Delays& delays, const Delays& before, double share) {
    int64_t sum = 0;
    const int64_t total = delays.total() - before.total();
    for (size_t i = 0; i < Delays::kLimits_s.size(); ++i)
        if (static_cast<double>(sum += delays.counts[i] - before.counts[i]) >= share * static_cast<double>(total))
            return Delays::kLimits_s[i];
    return INFINITY;
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return NAN;
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

// Notes when it was told that an alarm began: asset and event time → steady time. An alert's `startsAt` is no event
// time here, as the data are ahead of the clock.
class Receiver {
  public:
    Receiver() {
        server_.Post("/", [this](const httplib::Request& request, httplib::Response&) {
            const double now_s = steady_s();
            const io::Json message = io::Json::parse(request.body);
            const std::lock_guard lock(mutex_);
            for (const io::Json& alert : message["alerts"])
                if (alert["annotations"]["event"] == "raise")
                    told_.try_emplace(
                        {alert["labels"]["asset"].get<std::string>(),
                         io::parse_time(alert["annotations"]["at"].get<std::string>(), io::DateOrder::kUnknown)
                             .value_or(0)},
                        now_s);
        });
        port_ = server_.bind_to_any_port("127.0.0.1");
        thread_ = std::thread([this] { server_.listen_after_bind(); });
    }
    ~Receiver() {
        server_.stop();
        thread_.join();
    }

    int port() const { return port_; }
    std::map<std::pair<std::string, double>, double> told() const {
        const std::lock_guard lock(mutex_);
        return told_;
    }

  private:
    httplib::Server server_;
    int port_ = 0;
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, double>, double> told_;
    std::thread thread_;
};

// A day of levels of some assets in a ledger of its own.
double ledger_bytes_per_day(const fs::path& file, size_t effects) {
    constexpr int kAssets = 20;
    Ledger ledger({"sqlite:" + file.string(), ""});
    for (int a = 0; a < kAssets; ++a) {
        std::vector<AssetLevels> day;
        for (const int64_t resolution_s : {60, 3600})
            for (int64_t t = 0; t < 86400; t += resolution_s)
                day.push_back({fmt::format("a{}", a),
                               resolution_s,
                               {kStart_s + static_cast<double>(t), 0.5, 1, 0, false, std::vector<float>(effects, 1)}});
        ledger.keep(day);
    }
    return static_cast<double>(ledger.bytes()) / kAssets;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        fmt::print(stderr, "usage: bench_watch MODEL.cmr [ASSETS] [SECONDS]\n");
        return 2;
    }
    return_freed_memory();  // as the program does
    const int assets = count > 2 ? std::atoi(arguments[2]) : 1000, seconds = count > 3 ? std::atoi(arguments[3]) : 120;
    const fs::path folder = fs::temp_directory_path() / fmt::format("cmr-bench-watch-{}", getpid());
    fs::create_directories(folder);
    const Receiver receiver;
    std::string text = fmt::format(
        "[web]\naddress = \"\"\n[[notify]]\nname = \"room\"\nkind = \"webhook\"\naddress = \"http://127.0.0.1:{}/\"\n",
        receiver.port());
    for (int m = 0; m < kModels; ++m) {
        fs::copy_file(arguments[1], folder / fmt::format("{}.cmr", m));
        text += fmt::format("[[asset]]\nnames = [\"a{}-(1..{})\"]\nmodel = \"{}.cmr\"\n", m, assets / kModels, m);
    }
    const Plant plant = parse_plant(text, folder / "plant.toml");
    fmt::print("{}\n", live::plan(plant));
    {
        Engine engine(plant, [](const std::string&) {});
        engine.start();
        std::vector<std::string> names;
        for (const AssetView& view : engine.views()) names.push_back(view.name);
        Models models;
        const auto model = models.load(arguments[1]);
        const auto channels = monitor::Stream(model).channels();
        const int64_t length = model->recipe.window.length, stride = model->recipe.window.stride;
        // Its first window is a healthy one; windows of different assets end at different seconds.
        const auto first_of = [&](size_t a) { return -length - static_cast<int64_t>(a) % stride; };
        const auto value = [&](size_t a, size_t c, int64_t t) {
            const int64_t at = t - first_of(a);
            const auto row = model->golden.samples.row((at / length) % model->golden.samples.rows);
            const bool broken = a % 10 == 3 && t > seconds / 4 && model->channels[c].effect;
            return static_cast<float>(row[static_cast<int64_t>(c) * length + at % length] +
                                      (broken ? 10 * model->pipeline.preprocessing().scaler.deviation[c] : 0));
        };
        std::vector<Reading> readings;
        const auto add_row = [&](size_t a, int64_t t) {
            for (size_t c = 0; c < channels.size(); ++c)
                readings.push_back({names[a], channels[c], kStart_s + static_cast<double>(t), value(a, c, t)});
        };
        for (size_t a = 0; a < names.size(); ++a) {
            readings.clear();
            for (int64_t t = first_of(a); t < 0; ++t) add_row(a, t);
            engine.sink().take(readings);
        }
        while (engine.status().intake.queued > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const Delays before = engine.status().delays;
        int64_t windows = 0;
        for (const AssetView& view : engine.views()) windows -= view.counts.windows;
        const double cpu_before = cpu_s();
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::array<double, kParts>> handed(seconds);  // steady time
        int64_t at_middle = 0;
        for (int second = 0; second < seconds; ++second) {
            for (int part = 0; part < kParts; ++part) {
                readings.clear();
                for (size_t a = static_cast<size_t>(part); a < names.size(); a += kParts) add_row(a, second);
                handed[second][part] = steady_s();
                engine.sink().take(readings);
                std::this_thread::sleep_until(start + std::chrono::milliseconds(1000 * second + 100 * (part + 1)));
            }
            if (second == seconds / 2) at_middle = resident_bytes();
        }
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double cpu = cpu_s() - cpu_before;
        std::this_thread::sleep_for(std::chrono::seconds(2));
        const EngineStatus status = engine.status();
        for (const AssetView& view : engine.views()) windows += view.counts.windows;
        std::vector<double> told;
        for (const auto& [alarm, at_s] : receiver.told()) {
            // The last row of a window has the time of the sample before its end.
            const auto row = std::lround(alarm.second - kStart_s) - 1;
            const auto asset = std::ranges::find(names, alarm.first) - names.begin();
            if (row >= 0 && row < seconds) told.push_back(at_s - handed[row][asset % kParts]);
        }
        fmt::print("{} assets, {} channels, {} models, {:.0f} s for {} s of rows\n", names.size(), channels.size(),
                   kModels, wall, seconds);
        fmt::print("cores {:.2f}\nwindows per second {:.1f}\n", cpu / wall, static_cast<double>(windows) / wall);
        fmt::print("resident {} at the middle, {} at the end\n", bytes_text(at_middle), bytes_text(resident_bytes()));
        fmt::print("row to level: half within {} s, 99 % within {} s\n", quantile(status.delays, before, 0.5),
                   quantile(status.delays, before, 0.99));
        fmt::print("row to alarm message: {} messages, half within {:.3f} s, 99 % within {:.3f} s\n", told.size(),
                   quantile(told, 0.5), quantile(told, 0.99));
        fmt::print("journal {}, snapshot {}\n", bytes_text(status.journal_bytes), bytes_text(status.snapshot_bytes));
        fmt::print("ledger {:.0f} kB per asset and day\n",
                   ledger_bytes_per_day(folder / "day.db", monitor::Stream(model).effects().size()) / 1000);
        engine.stop();
    }
    fs::remove_all(folder);
    return 0;
}
