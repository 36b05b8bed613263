#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "report/ticks.h"

namespace cmr::report {
namespace {

using namespace std::chrono;

constexpr double kDay = 86'400;
constexpr double kMonth = 30.4 * kDay, kYear = 365.25 * kDay;  // about, to choose a step
constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

double seconds_of(const year_month_day& date) {
    return static_cast<double>(sys_days(date).time_since_epoch().count()) * kDay;
}

year_month_day date_of(double seconds) { return {sys_days(days(static_cast<int64_t>(std::floor(seconds / kDay))))}; }

std::string month_of(const year_month_day& date) { return kMonths[static_cast<unsigned>(date.month()) - 1]; }
std::string year_of(const year_month_day& date) { return std::to_string(static_cast<int>(date.year())); }
std::string day_and_month(const year_month_day& date) {
    return fmt::format("{} {}", static_cast<unsigned>(date.day()), month_of(date));
}

std::string clock(double seconds, int digits, bool with_seconds) {
    const double in_day = seconds - std::floor(seconds / kDay) * kDay;
    const auto whole = static_cast<int64_t>(in_day);
    if (!with_seconds) return fmt::format("{:02}:{:02}", whole / 3600, whole / 60 % 60);
    const std::string text = fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    if (digits == 0) return text;
    return text + fmt::format("{:.{}f}", in_day - static_cast<double>(whole), digits).substr(1);
}

// A context wherever it changes.
void add(std::vector<Tick>& ticks, std::string& last, double value, std::string label, const std::string& context) {
    ticks.push_back({value, std::move(label), context == last ? "" : context});
    last = context;
}

std::vector<Tick> hours(double low, double high, double step) {
    std::vector<Tick> ticks;
    std::string last;
    const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    const double first = std::ceil(low / step - 1e-9), end = std::floor(high / step + 1e-9);
    for (double i = first; i <= end; ++i) {
        const double value = i * step;
        // A hair later, so that rounding does not make 14:31:59.9 of 14:32:00.
        const double shown = value + step * 1e-3;
        const auto date = date_of(shown);
        add(ticks, last, value, clock(shown, digits, step < 60), day_and_month(date) + " " + year_of(date));
    }
    return ticks;
}

std::vector<Tick> whole_days(double low, double high, double step) {
    std::vector<Tick> ticks;
    std::string last;
    for (double value = std::ceil(low / step) * step; value <= high; value += step)
        add(ticks, last, value, day_and_month(date_of(value)), year_of(date_of(value)));
    return ticks;
}

std::vector<Tick> months_and_years(double low, double high, int step) {
    std::vector<Tick> ticks;
    std::string last;
    const year_month_day begin = date_of(low);
    int month = static_cast<int>(begin.year()) * 12 + static_cast<int>(static_cast<unsigned>(begin.month())) - 1;
    for (month = (month + step - 1) / step * step;; month += step) {
        const year_month_day date(year(month / 12), std::chrono::month(static_cast<unsigned>(month % 12 + 1)), day(1));
        const double value = seconds_of(date);
        if (value > high) return ticks;
        if (value < low) continue;
        if (step % 12 == 0)
            ticks.push_back({value, year_of(date), ""});
        else
            add(ticks, last, value, month_of(date), year_of(date));
    }
}

}  // namespace

bool is_date(double seconds) { return seconds > -62'135'596'801.0 && seconds < 190'000'000'000.0; }

std::vector<Tick> calendar_ticks(double low, double high, int most) {
    if (!is_date(low) || !is_date(high)) return linear_ticks(low, high, most);
    const auto fit = [&](const std::vector<Tick>& ticks) { return static_cast<int>(ticks.size()) <= most; };
    const double span = high - low;
    for (double step = round_step(span / most); step < 1; step = round_step(step * 1.5))
        if (const auto ticks = hours(low, high, step); fit(ticks)) return ticks;
    for (const double step :
         {1., 2., 5., 10., 15., 30., 60., 120., 300., 600., 900., 1800., 3600., 7200., 10'800., 21'600., 43'200.})
        if (span / step <= most)
            if (const auto ticks = hours(low, high, step); fit(ticks)) return ticks;
    for (const double count : {1., 2., 7., 14.})
        if (span / (count * kDay) <= most)
            if (const auto ticks = whole_days(low, high, count * kDay); fit(ticks)) return ticks;
    for (const int count : {1, 2, 3, 6})
        if (span / (count * kMonth) <= most)
            if (const auto ticks = months_and_years(low, high, count); fit(ticks)) return ticks;
    for (double count = std::max(1.0, round_step(span / kYear / most));; count = round_step(count * 1.5))
        if (const auto ticks = months_and_years(low, high, static_cast<int>(count) * 12); fit(ticks)) return ticks;
}

std::string date_and_time(double seconds) {
    if (!is_date(seconds)) return fmt::format("{}", seconds);
    const double whole = std::floor(seconds + 0.5);
    const auto date = date_of(whole);
    return fmt::format("{:04}-{:02}-{:02} {}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), clock(whole, 0, true));
}

std::string time_of_day(double seconds) {
    if (!is_date(seconds)) return fmt::format("{}", seconds);
    return clock(std::floor(seconds + 0.5), 0, true);
}

}  // namespace cmr::report
