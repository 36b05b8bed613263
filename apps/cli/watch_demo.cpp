#include "watch_demo.h"

#include <fmt/format.h>

#include <chrono>

#include "base/error.h"
#include "base/version.h"
#include "data/fingerprint.h"
#include "data/load.h"
#include "data/split.h"
#include "demo_recipe.h"
#include "io/file.h"
#include "model/preprocessing.h"
#include "recipe/recipe.h"
#include "score/calibrate/calibrate.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"
#include "simulate/water.h"

namespace cmr::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMachines = 4;
constexpr int64_t kBefore = 900;  // rows from a machine's beginning to an attack
constexpr double kFalseAlarmsPerDay = 4;

constexpr const char* kPlant =
    R"toml(# Written by `cmr watch --demo`, which plays the readings itself: there is no [[source]].
name = "Simulated water plants"

[[asset]]
names = ["water-(1..{})"]
model = "demo.cmr"

[rules]
silent_s = 20

[ledger]
level_s = 60
)toml";

score::Detector learn(const recipe::Recipe& recipe, const data::Dataset& dataset) {
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    const score::Provenance origin{recipe::to_toml(recipe), fold.name, 0, 1, data::fingerprint(dataset),
                                   std::string(version())};
    score::Detector detector =
        score::fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {}, origin);
    const score::AlarmRule rule{.on_delay_s = 0, .off_delay_s = 300, .release = 0.9};
    detector.alarm = {score::calibrate(detector.healthy.trace, rule, kFalseAlarmsPerDay), rule};
    return detector;
}

}  // namespace

WatchDemo make_watch_demo(const fs::path& out) {
    fs::create_directories(out);
    fs::remove_all(out / "state");
    fmt::print(stderr, "1/3 simulating a water plant: two healthy days, and one under attack\n");
    simulate::WaterOptions plant;
    plant.scale = 0.16;
    plant.normal_rows = 1'000'000;
    plant.format = "csv";
    plant.faults = "mechanism";
    simulate::simulate_water(out / "data" / "plant", plant, [](double) {});

    fmt::print(stderr, "2/3 learning how its sensors answer its actuators, from healthy data only\n");
    const recipe::Recipe recipe = recipe::parse_recipe(kDemoRecipe, "demo.toml");
    const data::Dataset dataset = data::load(recipe, out / "data");
    score::save_detector(learn(recipe, dataset), out / "demo.cmr");
    io::write_file_atomically(out / "plant.toml", fmt::format(fmt::runtime(kPlant), kMachines));

    WatchDemo demo;
    demo.plant = out / "plant.toml";
    const auto attacked = std::ranges::find_if(
        dataset.recordings, [&](const data::Recording& r) { return dataset.parts[r.part].role == "test"; });
    CMR_ASSERT(attacked != dataset.recordings.end(), "the plant was attacked");
    demo.record.start_s = data::time_of(*attacked, 0, dataset.rate_hz);
    for (const data::Channel& channel : dataset.channels) demo.record.channels.push_back(channel.name);
    demo.record.rows.assign(attacked->length(), std::vector<float>(dataset.channels.size()));
    for (size_t c = 0; c < dataset.channels.size(); ++c) {
        const auto values = attacked->channels[c].values();
        for (size_t t = 0; t < values.size(); ++t) demo.record.rows[t][c] = values[t];
    }
    for (int i = 0; i < kMachines; ++i) {
        // The first is attacked soon, the others later.
        const data::Event& event = dataset.events[static_cast<size_t>(i) % dataset.events.size()];
        const auto attack = static_cast<int64_t>(event.start_s - demo.record.start_s);
        demo.machines.push_back({fmt::format("water-{}", i + 1), std::max<int64_t>(0, attack - kBefore * (1 + 2 * i))});
    }
    return demo;
}

DemoPlayer::DemoPlayer(Record record, std::vector<Machine> machines, double speed, live::Sink& sink)
    : record_(std::move(record)), machines_(std::move(machines)), speed_(speed), sink_(sink), thread_([this] {
          play();
      }) {}

DemoPlayer::~DemoPlayer() {
    stopping_ = true;
    thread_.join();
}

void DemoPlayer::play() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto length = std::ssize(record_.rows);
    std::vector<live::Reading> readings;
    for (int64_t row = 0; !stopping_;) {
        const double due = std::chrono::duration<double>(Clock::now() - start).count() * speed_;
        readings.clear();
        for (; static_cast<double>(row) < due && readings.size() < 20'000; ++row)
            for (const Machine& machine : machines_) {
                const auto& values = record_.rows[(machine.first + row) % length];
                // All at the same time of day, whatever part of the record they play.
                const double time_s = record_.start_s + static_cast<double>(row);
                for (size_t c = 0; c < values.size(); ++c)
                    readings.push_back({machine.name, record_.channels[c], time_s, values[c]});
            }
        try {
            if (!readings.empty()) sink_.take(readings);
        } catch (const SystemError&) {  // the monitor stops
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

}  // namespace cmr::cli
