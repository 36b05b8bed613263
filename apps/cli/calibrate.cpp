#include "calibrate.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "io/json_fields.h"
#include "score/detector.h"
#include "score/file/detector_file.h"

namespace cmr::cli {

std::string calibrate(const CalibrateOptions& options) {
    score::Detector detector = score::load_detector(options.model);
    const score::Calibration found =
        score::calibrate(detector.healthy.trace, options.rule, options.false_alarms_per_day);
    detector.alarm = {found, options.rule};
    const std::filesystem::path& out = options.out.empty() ? options.model : options.out;
    score::save_detector(detector, out);
    if (options.json) return io::to_json(found).dump(2) + "\n";
    return fmt::format(
        "{}: alarm where `both` reaches {:.4g}\n"
        "Promised {:.3g} false alarms per day; with 95 % confidence the true rate is between {:.3g} and {:.3g}.\n"
        "Seen in {} of healthy data: {} ({:.3g} per day), in {} blocks of {} windows that are as good as "
        "independent.\n"
        "This holds as long as the machine runs as it did on those days.\n",
        out.string(), found.threshold, found.promised_per_day, found.low_per_day, found.high_per_day,
        duration_text(found.healthy_days * 86'400), found.false_alarms, found.observed_per_day, found.blocks,
        found.block_windows);
}

}  // namespace cmr::cli
