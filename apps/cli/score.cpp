#include "score.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>

#include "base/duration.h"
#include "base/text.h"
#include "data/new_data.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "io/text/time.h"
#include "kernels/precision.h"
#include "load_data.h"
#include "say.h"
#include "score/file/detector_file.h"
#include "score/memory.h"
#include "score/score_run.h"
#include "score_summary.h"

namespace cmr::cli {
namespace {

std::string percent(double share) {
    return share > 0 && share < 0.0005 ? "less than 0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

std::string time_text(const data::Dataset& dataset, const score::VoidPromise& v) {
    const data::Recording& recording = dataset.recordings[v.since.recording];
    if (v.since.begin == 0) return "the beginning";
    const double seconds = data::time_of(recording, v.since.begin, dataset.rate_hz);
    return recording.dated ? io::format_time(seconds) : duration_text(seconds);
}

SickSensors sick_sensors(const score::ScoreRun& run, const data::Dataset& dataset) {
    SickSensors out;
    for (const score::ScoredWindow& w : run.windows) out.count(w.sensors, dataset.channels);
    return out;
}

Outside outside_of(const score::ScoreRun& run) {
    Outside out;
    const score::ScoredWindow* before = nullptr;
    for (const score::ScoredWindow& w : run.windows) {
        const bool goes_on = before && before->alarm && before->window.recording == w.window.recording;
        out.windows += w.outside_range;
        out.alarms += w.outside_range && w.alarm && !goes_on;
        before = &w;
    }
    return out;
}

// What was not judged, and which sensors were sick; empty where all is well.
std::string health_text(const score::ScoreRun& run, const data::Dataset& dataset) {
    std::string out;
    if (run.left_out > 0) out += fmt::format("{} windows left out: there are gaps.\n", with_commas(run.left_out));
    if (const auto unjudged = std::ranges::count(run.windows, false, &score::ScoredWindow::judged); unjudged > 0)
        out += fmt::format("{} windows not judged: a cause is absent, or every effect.\n", with_commas(unjudged));
    out += sick_sensors(run, dataset).text(std::ssize(run.windows));
    return out;
}

io::Json as_json(const data::Dataset& dataset, const std::vector<score::VoidPromise>& voids) {
    io::Json out = io::Json::array();
    for (const score::VoidPromise& v : voids)
        out.push_back({{"recording", dataset.recordings[v.since.recording].name},
                       {"since", time_text(dataset, v)},
                       {"channel", dataset.channels[v.channel].name},
                       {"reason", score::to_text(v, dataset.channels[v.channel].name)}});
    return out;
}

// Where the time of a run went, in seconds.
struct Parts {
    double reading, network, scorers, rest;
    double total() const { return reading + network + scorers + rest; }
};

std::string timing_text(const Parts& p) {
    const auto share = [&](double seconds) { return 100 * seconds / p.total(); };
    return fmt::format("Time: {}; reading {:.0f} %, network {:.0f} %, scorers {:.0f} %, the rest {:.0f} %.\n",
                       duration_text(p.total()), share(p.reading), share(p.network), share(p.scorers), share(p.rest));
}

}  // namespace

std::string score(const ScoreOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    refuse_to_overwrite_inputs(options.out, options.model, options.data);
    const score::Detector detector = score::load_detector(options.model);
    const auto [recipe, dataset] = load_data_to_score(detector.recipe, options.data);
    const double reading = elapsed();
    if (options.data.data.empty())
        io::refuse_to_overwrite(options.out, files_of(dataset, recipe, options.data.data_root));
    score::check_memory_to_score(dataset, detector.recipe, recipe.window.stride);
    std::error_code none;  // such as of a pipe
    const bool is_file = std::filesystem::is_regular_file(options.model, none);
    const auto model = is_file ? static_cast<int64_t>(std::filesystem::file_size(options.model)) : 0;
    const int64_t memory = score::memory_to_score(dataset, detector.recipe, model, recipe.window.stride).total();
    const score::ScoreRun run = score::run(detector, dataset, recipe.window.stride);
    const std::string rows = score::to_csv(run, dataset);
    const score::ScoreSeconds& seconds = run.scores.seconds;
    const Parts parts{reading, seconds.network, seconds.scorers,
                      elapsed() - reading - seconds.network - seconds.scorers};

    // Every window stands for the time to the next one.
    const auto windows = static_cast<double>(run.windows.size());
    const double scored_s = windows * static_cast<double>(recipe.window.stride) / dataset.rate_hz;
    const auto in_alarm = std::ranges::count(run.windows, true, &score::ScoredWindow::alarm);
    const double share = static_cast<double>(in_alarm) / windows, per_second = windows / run.seconds;
    std::string summary = fmt::format(
        "{} windows, {} alarm{}, alarm on in {} of {}; {:.0f} windows/s, about {} of memory{}\n",
        with_commas(std::ssize(run.windows)), run.alarms.size(), run.alarms.size() == 1 ? "" : "s", percent(share),
        duration_text(scored_s), per_second, bytes_text(memory),
        detector.alarm.calibration ? "" : "; not calibrated: level 1 is the highest healthy score (`cmr calibrate`)");
    const score::FeatureExtractor& features = detector.pipeline.features();
    if (const auto precision = features.network().config.scoring_precision();
        features.has_network() && precision != kernels::Precision::float32)
        summary += fmt::format("The network's products are of precision {}.\n", kernels::name(precision));
    summary += health_text(run, dataset);
    const Outside outside = outside_of(run);
    summary += outside.text(std::ssize(run.windows));
    if (options.timing) summary += timing_text(parts);
    constexpr size_t kShown = 3;
    for (const score::VoidPromise& v : std::span(run.voids).first(std::min(run.voids.size(), kShown)))
        summary +=
            void_text(detector.alarm.calibration.has_value(), time_text(dataset, v),
                      dataset.recordings[v.since.recording].name, score::to_text(v, dataset.channels[v.channel].name));
    if (run.voids.size() > kShown) summary += fmt::format("So in {} more stretches.\n", run.voids.size() - kShown);
    if (!options.data.data.empty())
        summary += dataset.parts.front().name == data::kNoPart
                       ? "Read by [data.read]: its name fits no part of the recipe.\n"
                       : fmt::format("Read as a file of part '{}'.\n", dataset.parts.front().name);
    if (options.out.empty()) {
        say_text(summary);
        return rows;
    }
    io::write_file_atomically(options.out, rows);
    if (!options.json) return fmt::format("{}: {}", options.out.string(), summary);
    io::Json sensors = io::Json::array();
    for (const auto& [what, count] : sick_sensors(run, dataset).sorted())
        sensors.push_back({{"sensor", what}, {"windows", count}});
    return io::Json{{"left_out", run.left_out},
                    {"unjudged", std::ranges::count(run.windows, false, &score::ScoredWindow::judged)},
                    {"sick_sensors", sensors},
                    {"scores", options.out.string()},
                    {"windows", run.windows.size()},
                    {"alarms", run.alarms.size()},
                    {"alarm_share", share},
                    {"outside_range", outside.windows},
                    {"outside_range_alarms", outside.alarms},
                    {"scored_seconds", scored_s},
                    {"calibrated", detector.alarm.calibration.has_value()},
                    {"windows_per_second", per_second},
                    {"bytes_to_score", memory},
                    {"seconds",
                     {{"reading", parts.reading},
                      {"network", parts.network},
                      {"scorers", parts.scorers},
                      {"rest", parts.rest}}},
                    {"promise_void", as_json(dataset, run.voids)}}
               .dump(2) +
           "\n";
}

}  // namespace cmr::cli
