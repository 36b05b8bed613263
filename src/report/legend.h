#pragma once
// What the marks of a chart mean: samples with names, side by side and in as many rows as they need.

#include <string>
#include <vector>

#include "report/frame.h"
#include "report/svg.h"

namespace cmr::report {

struct LegendEntry {
    std::string sample;     // data of a path around (0, 0), not wider than 24 and not higher than 14
    std::string css_class;  // of that path
    std::string name;       // shortened where it must be
    std::string note{};     // after the name, muted; never shortened
};

inline constexpr const char* kLineSample = "M-12 0h24";
inline constexpr const char* kBoxSample = "M-9-5h18v10h-18z";

class Legend {
  public:
    // `list`: one below the other.
    Legend(const std::vector<LegendEntry>& entries, double left, double width, bool list = false);

    double height() const;  // 0 without entries
    void draw(Svg& svg, double top) const;

  private:
    struct Placed {
        LegendEntry entry;
        std::string text;  // the name as far as there is room
        Point at;          // the left end of the sample, the middle of the row
    };
    std::vector<Placed> entries_;
    size_t rows_ = 0;
};

// Where a legend above a plot begins: over the plot, or on a phone, where room is dear, at the margin.
double legend_begin(const Frame& frame);

// Nothing but the difference lies in these: "hue-0" … "hue-7".
inline constexpr size_t kHues = 8;
std::string hue(size_t index);

// Of classes of samples: healthy has its own colour, faults take hues by their number among the faults.
std::string hue_of_class(bool healthy, size_t fault);

}  // namespace cmr::report
