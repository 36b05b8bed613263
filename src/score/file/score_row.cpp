#include "score/file/score_row.h"

#include <fmt/format.h>

#include <cmath>

#include "io/text/csv_field.h"
#include "io/text/time.h"

namespace cmr::score {

std::string score_header(const std::vector<std::string>& scores, const std::vector<std::string>& effects) {
    std::string out = "recording,first,start,end,state,stratum,event,split";
    for (const std::string& name : scores) out += fmt::format(",{}", name);
    out += ",p_value,level,alarm,outside_range,sensors";
    for (const std::string& effect : effects)
        out += fmt::format(",{}", io::csv_field(fmt::format("residual of {}", effect)));
    return out + "\n";
}

std::string to_csv(const ScoreRow& row) {
    const auto time = [&](double seconds) {
        return row.dated ? io::format_time(seconds) : fmt::format("{:.10g}", seconds);
    };
    const auto field = [](std::string_view text) { return io::csv_field(std::string(text)); };
    std::string out = fmt::format("{},{},{},{},{},{},{},{}", field(row.recording), row.first, time(row.start_s),
                                  time(row.end_s), row.state, field(row.stratum), field(row.event), row.split);
    const auto digits = [](double value, int count) {
        return std::isnan(value) ? std::string() : fmt::format("{:.{}g}", value, count);
    };
    const bool judged = !std::isnan(row.level);
    for (const float value : row.scores) out += std::isnan(value) ? "," : fmt::format(",{}", value);
    out += fmt::format(",{},{},{},{},{}", digits(row.p_value, 6), digits(row.level, 6), row.alarm ? 1 : 0,
                       judged ? (row.outside_range ? "1" : "0") : "", field(row.sensors));
    for (const float value : row.residuals) out += fmt::format(",{}", digits(value, 4));
    return out + "\n";
}

}  // namespace cmr::score
