#include "score.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "data/load.h"
#include "data/memory.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "load_data.h"
#include "score/score_run.h"

namespace cmr::cli {

std::string score(const ScoreOptions& options) {
    const score::Detector detector = score::Detector::load(options.model);
    if (!options.data.empty() && !std::filesystem::is_regular_file(options.data))
        throw InputError(
            "{}: no such file{}", options.data.string(),
            std::filesystem::is_directory(options.data) ? "; it is a folder, which is for --data-root" : "");
    const data::Dataset dataset = options.data.empty()
                                      ? load_data(detector.recipe(), options.data_root)
                                      : data::load(score::recipe_of_file(detector.recipe(), options.data),
                                                   std::filesystem::absolute(options.data).parent_path());
    data::check_memory_to_score(dataset, detector.recipe(), options.stride);
    const score::ScoreRun run = score::run(detector, dataset, options.stride);
    const std::string rows = score::to_csv(run, dataset);
    const double per_second = static_cast<double>(run.windows.size()) / run.seconds;
    const std::string summary = fmt::format(
        "{} windows, {} alarms, {:.0f} windows/s{}\n", with_commas(std::ssize(run.windows)), run.alarms.size(),
        per_second,
        detector.calibration() ? "" : "; not calibrated: level 1 is the highest healthy score (`cmr calibrate`)");
    if (options.out.empty()) {
        fmt::print(stderr, "{}", summary);
        return rows;
    }
    io::write_file_atomically(options.out, rows);
    if (!options.json) return fmt::format("{}: {}", options.out.string(), summary);
    return io::Json{{"scores", options.out.string()},
                    {"windows", run.windows.size()},
                    {"alarms", run.alarms.size()},
                    {"calibrated", detector.calibration().has_value()},
                    {"windows_per_second", per_second}}
               .dump(2) +
           "\n";
}

}  // namespace cmr::cli
