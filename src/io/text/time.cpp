#include "io/text/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "io/text/number.h"
#include "io/xlsx/date.h"

namespace cmr::io {
namespace {

using namespace std::chrono;

constexpr int64_t kSecondsPerDay = 86'400;

std::string_view trim(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes pieces from the front of a text.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    bool take_blanks() {
        const size_t before = rest_.size();
        while (take(' ') || take('\t')) {
        }
        return rest_.size() < before;
    }
    // A run of at most four digits; `count` tells how many, 0 if none.
    int take_digits(int& count) {
        int value = 0;
        for (count = 0; count < 4 && starts_with_digit(); ++count) {
            value = value * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }
    // One or two digits, at most `limit`.
    bool take_field(int& value, int limit) {
        int count = 0;
        value = take_digits(count);
        return (count == 1 || count == 2) && value <= limit;
    }
    // The digits behind a point, as a part of one.
    bool take_fraction(double& fraction) {
        size_t count = 0;
        while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
        if (count == 0) return false;
        const size_t used = std::min<size_t>(count, 15);  // more is below what a double of seconds resolves
        fraction = *parse_number(rest_.substr(0, used)) / kPowersOfTen[used];
        rest_.remove_prefix(count);
        return true;
    }

  private:
    bool starts_with_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

    std::string_view rest_;
};

// AM or PM, which may be absent; false where the hour does not suit it.
bool take_half_day(Scanner& text, int& hour) {
    text.take_blanks();
    const bool afternoon = text.take("PM") || text.take("pm");
    if (!afternoon && !text.take("AM") && !text.take("am")) return true;
    if (hour < 1 || hour > 12) return false;
    hour = hour % 12 + (afternoon ? 12 : 0);
    return true;
}

// Apart, so that a date, a time and a fraction are rounded only once.
struct TimeOfDay {
    int64_t seconds = 0;  // since midnight
    double fraction = 0;
};

// Hour, perhaps minute, second and fraction, perhaps AM or PM.
std::optional<TimeOfDay> take_time_of_day(Scanner& text, bool hour_suffices) {
    int hour = 0, minute = 0, second = 0;
    double fraction = 0;
    if (!text.take_field(hour, 23)) return std::nullopt;
    if (text.take(':')) {
        if (!text.take_field(minute, 59)) return std::nullopt;
        if (text.take(':')) {
            if (!text.take_field(second, 59)) return std::nullopt;
            if ((text.take('.') || text.take(',')) && !text.take_fraction(fraction)) return std::nullopt;
        }
    } else if (!hour_suffices) {
        return std::nullopt;
    }
    if (!take_half_day(text, hour)) return std::nullopt;
    return TimeOfDay{(hour * 60 + minute) * 60 + second, fraction};
}

// Seconds that a clock is ahead of UTC: Z, UTC, GMT, +02:00, +0200, +02, or nothing.
std::optional<int64_t> take_offset(Scanner& text) {
    text.take_blanks();
    if (text.take('Z') || text.take("UTC") || text.take("GMT")) return 0;
    const bool west = text.take('-');
    if (!west && !text.take('+')) return 0;
    int count = 0, minutes = 0;
    int hours = text.take_digits(count);
    if (count == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (count != 2 || (text.take(':') && !text.take_field(minutes, 59))) {
        return std::nullopt;
    }
    if (hours > 18 || minutes > 59) return std::nullopt;  // no clock is further from UTC
    return (west ? -60 : 60) * (int64_t{60} * hours + minutes);
}

// A date as written: three fields, of which the first or the last is the year.
struct WrittenDate {
    bool year_first = false;
    int year = 0;
    int first = 0, second = 0;  // year first: month and day; else the two in the order of the text
};

std::optional<WrittenDate> take_date(Scanner& text) {
    int count = 0;
    const int begin = text.take_digits(count);
    const bool year_first = count == 4;
    if (count != 1 && count != 2 && !year_first) return std::nullopt;
    const char separator = text.take('-') ? '-' : text.take('/') ? '/' : text.take('.') ? '.' : '\0';
    int middle = 0;
    if (separator == '\0' || !text.take_field(middle, 31) || !text.take(separator)) return std::nullopt;
    const int last = text.take_digits(count);
    if (year_first) {
        if (count != 1 && count != 2) return std::nullopt;
        return WrittenDate{true, begin, middle, last};
    }
    if (count != 2 && count != 4) return std::nullopt;
    return WrittenDate{false, count == 2 ? 2000 + last : last, begin, middle};
}

// What the fields themselves tell.
DateOrder evidence(const WrittenDate& date) {
    if (date.year_first || (date.first > 12) == (date.second > 12)) return DateOrder::kUnknown;
    return date.first > 12 ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
}

std::optional<int64_t> days_of(const WrittenDate& date, DateOrder order) {
    if (order == DateOrder::kUnknown && !date.year_first) order = evidence(date);
    if (order == DateOrder::kUnknown && !date.year_first) return std::nullopt;
    const bool day_first = !date.year_first && order == DateOrder::kDayFirst;
    const int month = day_first ? date.second : date.first;
    const int day = day_first ? date.first : date.second;
    const year_month_day named{year(date.year), std::chrono::month(static_cast<unsigned>(month)),
                               std::chrono::day(static_cast<unsigned>(day))};
    if (!named.ok()) return std::nullopt;
    return sys_days(named).time_since_epoch().count();
}

// Everything but a plain number.
std::optional<double> parse_date_and_time(std::string_view text, DateOrder order) {
    Scanner scanner(trim(text));
    const auto date = take_date(scanner);
    if (!date) return std::nullopt;
    const auto days = days_of(*date, order);
    if (!days) return std::nullopt;
    TimeOfDay time;
    if (!scanner.done()) {
        if (!scanner.take('T') && !scanner.take_blanks()) return std::nullopt;
        const auto taken = take_time_of_day(scanner, /*hour_suffices=*/true);
        if (!taken) return std::nullopt;
        time = *taken;
        const auto offset = take_offset(scanner);
        if (!offset || !scanner.done()) return std::nullopt;
        time.seconds -= *offset;
    }
    return static_cast<double>(*days * kSecondsPerDay + time.seconds) + time.fraction;
}

}  // namespace

TimeUnit time_unit(std::string_view name) {
    const auto found = std::ranges::find(kTimeUnits, name);
    if (found == kTimeUnits.end())
        throw InputError("time_unit is '{}', expected {}", name, fmt::join(kTimeUnits, ", "));
    return static_cast<TimeUnit>(found - kTimeUnits.begin());
}

double to_seconds(double number, TimeUnit unit) {
    switch (unit) {
        case TimeUnit::kAuto: {
            const double size = std::abs(number);
            if (size < 1e11) return number;
            return to_seconds(number, size < 1e14   ? TimeUnit::kMilliseconds
                                      : size < 1e17 ? TimeUnit::kMicroseconds
                                                    : TimeUnit::kNanoseconds);
        }
        case TimeUnit::kSeconds:
            return number;
        case TimeUnit::kMilliseconds:
            return number / 1e3;
        case TimeUnit::kMicroseconds:
            return number / 1e6;
        case TimeUnit::kNanoseconds:
            return number / 1e9;
        case TimeUnit::kExcelDays:
            return seconds_since_1970(number, /*from_1904=*/false);
        case TimeUnit::kMatlabDays: {
            constexpr double k1970 = 719'529;
            return std::round((number - k1970) * kSecondsPerDay * 1e4) / 1e4;
        }
    }
    return number;
}

std::optional<double> parse_time(std::string_view text, DateOrder order, TimeUnit unit) {
    if (const auto number = parse_number(trim(text)))
        return std::isfinite(*number) ? to_seconds(*number, unit) : std::optional<double>();
    return parse_date_and_time(text, order);
}

std::optional<double> parse_time_of_day(std::string_view text) {
    Scanner scanner(trim(text));
    const auto time = take_time_of_day(scanner, /*hour_suffices=*/false);
    if (!time || !scanner.done()) return std::nullopt;
    return static_cast<double>(time->seconds) + time->fraction;
}

bool looks_like_date(std::string_view text) {
    return parse_date_and_time(text, DateOrder::kDayFirst) || parse_date_and_time(text, DateOrder::kMonthFirst);
}

std::string format_time(double seconds) {
    constexpr double kBegin = -62'167'219'200.0, kEnd = 253'402'300'800.0;  // 0000-01-01 and 10000-01-01
    constexpr int64_t kMicros = 1'000'000;
    // Rounded first, so that 59.9999999 seconds carry into the minute.
    const bool in_range = seconds >= kBegin && seconds < kEnd;
    const int64_t micros = in_range ? std::llround(seconds * kMicros) : 0;
    if (!in_range || micros >= static_cast<int64_t>(kEnd) * kMicros) return fmt::format("{}", seconds);
    const sys_time<microseconds> time{microseconds(micros)};
    const auto midnight = floor<days>(time);
    const year_month_day date(midnight);
    const hh_mm_ss clock(time - midnight);
    std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                   clock.hours().count(), clock.minutes().count(), clock.seconds().count());
    if (const int64_t fraction = clock.subseconds().count(); fraction != 0) {
        text += fmt::format(".{:06}", fraction);
        text.resize(text.find_last_not_of('0') + 1);
    }
    return text;
}

DateOrderGuess::DateOrderGuess(std::string_view option) {
    if (option == "day-first") {
        order_ = DateOrder::kDayFirst;
    } else if (option == "month-first") {
        order_ = DateOrder::kMonthFirst;
    } else if (option != "auto") {
        throw InputError("date_order is '{}', expected auto, day-first or month-first", option);
    }
}

void DateOrderGuess::observe(std::string_view text) {
    if (decided()) return;
    Scanner scanner(trim(text));
    const auto date = take_date(scanner);
    if (!date || date->year_first || !looks_like_date(text)) return;
    order_ = evidence(*date);
    if (example_.empty()) example_ = trim(text);
}

DateOrder DateOrderGuess::settle(std::string_view name, std::string_view column) const {
    if (open()) fail_ambiguous_date(name, column, example_);
    return order_;
}

void fail_ambiguous_date(std::string_view place, std::string_view column, std::string_view text) {
    throw InputError(
        "{}: column '{}' holds dates such as '{}', where day or month may come first; state date_order = \"day-first\" "
        "or \"month-first\" in the recipe",
        place, column, text);
}

}  // namespace cmr::io
