#pragma once
// Time stamps as plants write them, in the proleptic Gregorian calendar: no leap seconds, no locale. A stamp with an
// offset (10:14:33+02:00) is brought to UTC; one without is taken as it stands, as if it were UTC.
//
// Understood, with blanks around: 2020-03-09 10:14:33[.123] with a blank or T between, year first with / or . too;
// 22/12/2015 4:00:00 PM and 12-22-15 16:00 with / . or -, day or month first, two digits of a year meaning 20yy;
// a date alone; a date and an hour (06/01/14 00); behind the time Z, UTC, GMT, +02:00, -0530 or +02; and a plain
// number.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cmr::io {

enum class DateOrder {
    kUnknown,  // only dates that a field above 12 decides are understood, and those with the year first
    kDayFirst,
    kMonthFirst,
};

// What a plain number counts.
enum class TimeUnit {
    kAuto,  // seconds; what would lie beyond the year 5138 by seconds is milliseconds, then micro-, then nanoseconds
    kSeconds,
    kMilliseconds,
    kMicroseconds,
    kNanoseconds,
    kExcelDays,   // 25569 is 1970-01-01
    kMatlabDays,  // 719529 is 1970-01-01
};

// auto, s, ms, us, ns, excel-days or matlab-days.
inline constexpr std::array<std::string_view, 7> kTimeUnits = {"auto", "s",          "ms",         "us",
                                                               "ns",   "excel-days", "matlab-days"};
// The unit of that name; another word is an InputError.
TimeUnit time_unit(std::string_view name);

// Days are rounded to a tenth of a millisecond, which is what they resolve.
double to_seconds(double number, TimeUnit unit);

// Seconds since 1970-01-01 00:00:00; nothing where the text is no time or names a day or hour that does not exist.
std::optional<double> parse_time(std::string_view text, DateOrder order, TimeUnit unit = TimeUnit::kAuto);

// Seconds since midnight: 10:44:53[.123], 6:00:00 PM, 10:44.
std::optional<double> parse_time_of_day(std::string_view text);

// Is it a date, in whichever order? Plain numbers are none.
bool looks_like_date(std::string_view text);

// "2015-12-22 16:00:00", with up to six digits of a fraction where there is one. Outside the years 0 to 9999 the plain
// number.
std::string format_time(double seconds);

// Finds out whether the dates of one column begin with the day or the month.
class DateOrderGuess {
  public:
    // auto, day-first or month-first; another word is an InputError.
    explicit DateOrderGuess(std::string_view option);

    void observe(std::string_view text);

    // Nothing more to learn?
    bool decided() const { return order_ != DateOrder::kUnknown; }
    // Was there a date that can be read in two ways?
    bool open() const { return !decided() && !example_.empty(); }
    // kUnknown only if no date was seen whose order matters. Still open: an InputError that begins with `name` of the
    // file and asks to state date_order.
    DateOrder settle(std::string_view name, std::string_view column) const;

  private:
    DateOrder order_ = DateOrder::kUnknown;
    std::string example_;  // a date that can be read in two ways
};

// How an InputError tells that a date can be read in two ways.
[[noreturn]] void fail_ambiguous_date(std::string_view place, std::string_view column, std::string_view text);

}  // namespace cmr::io
