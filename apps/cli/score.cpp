#include "score.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "base/text.h"
#include "data/memory.h"
#include "data/new_data.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "score/file/detector_file.h"
#include "score/score_run.h"

namespace cmr::cli {
namespace {

std::string percent(double share) {
    return share > 0 && share < 0.0005 ? "less than 0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

}  // namespace

std::string score(const ScoreOptions& options) {
    const score::Detector detector = score::load_detector(options.model);
    const auto [recipe, dataset] = load_data_to_score(detector.recipe, options.data);
    data::check_memory_to_score(dataset, detector.recipe, recipe.window.stride);
    const score::ScoreRun run = score::run(detector, dataset, recipe.window.stride);
    const std::string rows = score::to_csv(run, dataset);

    // Every window stands for the time to the next one.
    const auto windows = static_cast<double>(run.windows.size());
    const double scored_s = windows * static_cast<double>(recipe.window.stride) / dataset.rate_hz;
    const auto in_alarm = std::ranges::count(run.windows, true, &score::ScoredWindow::alarm);
    const double share = static_cast<double>(in_alarm) / windows, per_second = windows / run.seconds;
    std::string summary = fmt::format(
        "{} windows, {} alarm{}, alarm on in {} of {}; {:.0f} windows/s{}\n", with_commas(std::ssize(run.windows)),
        run.alarms.size(), run.alarms.size() == 1 ? "" : "s", percent(share), duration_text(scored_s), per_second,
        detector.alarm.calibration ? "" : "; not calibrated: level 1 is the highest healthy score (`cmr calibrate`)");
    if (!options.data.data.empty())
        summary += dataset.parts.front().name == data::kNoPart
                       ? "Read by [data.read]: its name fits no part of the recipe.\n"
                       : fmt::format("Read as a file of part '{}'.\n", dataset.parts.front().name);
    if (options.out.empty()) {
        fmt::print(stderr, "{}", summary);
        return rows;
    }
    io::write_file_atomically(options.out, rows);
    if (!options.json) return fmt::format("{}: {}", options.out.string(), summary);
    return io::Json{{"scores", options.out.string()},  {"windows", run.windows.size()},
                    {"alarms", run.alarms.size()},     {"alarm_share", share},
                    {"scored_seconds", scored_s},      {"calibrated", detector.alarm.calibration.has_value()},
                    {"windows_per_second", per_second}}
               .dump(2) +
           "\n";
}

}  // namespace cmr::cli
