#include "report/reading.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace cmr::report {

void open_readings(Svg& svg, const Scale& x, ReadingMode mode) {
    const char* kind = x.kind() == ScaleKind::kTime ? "time" : x.kind() == ScaleKind::kElapsed ? "elapsed" : "number";
    svg.open("g", {{"class", "readings"},
                   {"data-mode", mode == ReadingMode::kAll ? "all" : "cell"},
                   {"data-kind", kind},
                   {"data-left", x.from()},
                   {"data-right", x.to()},
                   {"data-low", fmt::format("{}", x.low())},
                   {"data-high", fmt::format("{}", x.high())}});
}

void draw_reading(Svg& svg, const Reading& reading) {
    std::string values;
    for (const float value : reading.values) {
        if (!values.empty()) values += ' ';
        values += std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
    }
    svg.draw("g", {{"data-name", reading.name},
                   {"data-unit", reading.unit},
                   {"data-top", reading.top},
                   {"data-bottom", reading.bottom},
                   {"data-values", values}});
}

}  // namespace cmr::report
