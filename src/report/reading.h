#pragma once
// Values that the page's script shows beside the pointer. Without the script nothing of them is seen.

#include <span>
#include <string_view>

#include "report/scale.h"
#include "report/svg.h"

namespace cmr::report {

enum class ReadingMode {
    kAll,      // every row at the pointer's x, with a line through all of them
    kOneCell,  // only the row the pointer is in
};

// Opens a group; the readings follow, then `svg.close()`.
void open_readings(Svg& svg, const Scale& x, ReadingMode mode);

struct Reading {
    std::string_view name;
    double top = 0, bottom = 0;
    std::span<const float> values;  // spread evenly over the scale of x; NaN: none
    std::string_view unit = {};
};
void draw_reading(Svg& svg, const Reading& reading);

}  // namespace cmr::report
