#include "monitor/score_row.h"

#include "score/file/score_row.h"

namespace cmr::monitor {

std::string to_csv(const JudgedWindow& window, const Stream& stream, std::string_view recording) {
    const std::string sensors = score::to_text(window.sensors, stream.detector().channels);
    return score::to_csv(score::ScoreRow{.recording = recording,
                                         .first = window.first,
                                         .dated = stream.dated(),
                                         .start_s = window.start_s,
                                         .end_s = window.end_s,
                                         .state = window.judged ? data::name(data::State::kUnknown) : score::kUnjudged,
                                         .stratum = "",
                                         .event = "",
                                         .split = "new",
                                         .scores = window.scores,
                                         .p_value = window.p_value,
                                         .level = window.level,
                                         .alarm = window.alarm,
                                         .outside_range = window.outside_range,
                                         .sensors = sensors,
                                         .residuals = window.residuals});
}

}  // namespace cmr::monitor
