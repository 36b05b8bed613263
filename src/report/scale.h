#pragma once
// From values to places in a drawing, and the round values that are worth a label on the way.

#include <span>
#include <string>
#include <vector>

namespace cmr::report {

enum class ScaleKind {
    kLinear,
    kLog,
    kTime,     // seconds since 1970, shown as dates and hours, UTC
    kElapsed,  // seconds from some moment, shown in the unit that suits: ms, s, min, h, d
};

// The least and the greatest of the finite values it was shown.
struct Range {
    double low = 0;
    double high = 0;
    bool empty = true;

    void include(double value);
    void include(std::span<const float> values);
};

struct Tick {
    double value = 0;
    std::string label;
    std::string context;  // what the labels from here on leave out: the day of an hour, the year of a day; mostly empty
};

// Holds low < high, both finite, and above 0 for a logarithm; other ends are replaced by the nearest that serve.
class Scale {
  public:
    // `from` is where `low` is drawn, `to` where `high` is; from > to for an axis that rises.
    Scale(ScaleKind kind, double low, double high, double from, double to);

    ScaleKind kind() const { return kind_; }
    double low() const { return low_; }
    double high() const { return high_; }
    double from() const { return from_; }
    double to() const { return to_; }

    // The place of a value. What lies outside is drawn at the end; NaN is an InternalError.
    double at(double value) const;
    bool holds(double value) const { return value >= low_ && value <= high_; }

    // Round values inside the range, rising, at most so many and where possible no fewer than two.
    std::vector<Tick> ticks(int most) const;

    // The same scale with its ends moved outward to round values.
    Scale with_round_ends(int most) const;

    // One value in words, finer than the ticks.
    std::string describe(double value) const;

  private:
    ScaleKind kind_;
    double low_, high_, from_, to_;
};

// "2020-03-09 14:32:05" and "14:32:05"; beyond the years 1 to 8000 the plain number.
std::string date_and_time(double seconds_since_1970);
std::string time_of_day(double seconds_since_1970);

}  // namespace cmr::report
