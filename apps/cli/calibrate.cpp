#include "calibrate.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "base/text.h"
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
        "{}: alarm where `both` reaches {}\n"
        "Promised {} false alarms per day; with 95 % confidence the true rate is between {} and {}.\n"
        "Seen in {} of healthy data: {} ({} per day), in {} blocks of {} windows that are as good as "
        "independent.\n"
        "This holds as long as the machine runs as it did on those days.\n",
        out.string(), short_number(found.threshold, 4), short_number(found.promised_per_day),
        short_number(found.low_per_day), short_number(found.high_per_day), duration_text(found.healthy_days * 86'400),
        with_commas(found.false_alarms), short_number(found.observed_per_day), with_commas(found.blocks),
        with_commas(found.block_windows));
}

}  // namespace cmr::cli
