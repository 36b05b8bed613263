#include "report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "report/text.h"

namespace cmr::report {
namespace {

constexpr double kRounding = 1e-9;  // of a step: an end that is a tick but for rounding is one

// Multiples of a step, counted in integers so that none is 0.30000000000000004.
std::vector<double> multiples(double low, double high, double step) {
    std::vector<double> values;
    const double first = std::ceil(low / step - kRounding), last = std::floor(high / step + kRounding);
    for (double i = first; i <= last; ++i) values.push_back(i * step);
    return values;
}

// As many digits behind the point as the step has.
std::string with_digits_of(double value, double step) {
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + kRounding)));
    if (std::abs(value) < step / 2) return "0";
    if (digits > 5 || std::abs(value) >= 1e7) {
        const double above = std::log10(std::abs(value) / step);
        return readable(value, std::clamp(static_cast<int>(above) + 2, 1, 15));
    }
    const std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
    return value < 0 ? "\xE2\x88\x92" + text : text;
}

std::string power_of_ten(int exponent) {
    if (exponent >= -3 && exponent <= 4) return readable(std::pow(10.0, exponent), 1);
    static constexpr std::array kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) text += kRaised[static_cast<size_t>(digit - '0')];
    return text;
}

struct Unit {
    double seconds;
    const char* name;
    std::span<const double> steps;  // round ones, falling; none: those of plain numbers
};

constexpr double kOfSixty[] = {60, 30, 15, 10, 5, 2, 1};
constexpr double kOfADay[] = {24, 12, 6, 3, 2, 1};
constexpr Unit kUnits[] = {
    {1e-3, "ms", {}}, {1, "s", kOfSixty}, {60, "min", kOfSixty}, {3600, "h", kOfADay}, {86'400, "d", {}}};

}  // namespace

double round_step(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - kRounding)) return factor * power;
    return 10 * power;
}

std::vector<Tick> linear_ticks(double low, double high, int most) {
    double step = round_step((high - low) / most);
    std::vector<double> values = multiples(low, high, step);
    while (std::ssize(values) > most) values = multiples(low, high, step = round_step(step * 1.5));
    std::vector<Tick> ticks;
    for (const double value : values) ticks.push_back({value, with_digits_of(value, step), ""});
    return ticks;
}

std::vector<Tick> one_two_five(double low, double high) {
    const int first = static_cast<int>(std::floor(std::log10(low))),
              last = static_cast<int>(std::ceil(std::log10(high)));
    std::vector<Tick> ticks;
    for (int i = first; i <= last; ++i)
        for (const double factor : {1.0, 2.0, 5.0})
            if (const double value = factor * std::pow(10.0, i);
                value >= low * (1 - kRounding) && value <= high * (1 + kRounding))
                ticks.push_back({value, readable(value, 1), ""});
    return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int most) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - kRounding));
    const int last = static_cast<int>(std::floor(std::log10(high) + kRounding));
    std::vector<Tick> ticks;
    if (last > first) {
        const int step = std::max(1, (last - first + most) / most);
        for (int i = first; i <= last; ++i)
            if (i % step == 0) ticks.push_back({std::pow(10.0, i), power_of_ten(i), ""});
        if (ticks.size() >= 2) return ticks;
    }
    ticks = one_two_five(low, high);
    if (ticks.size() < 2 || std::ssize(ticks) > most) return linear_ticks(low, high, most);
    return ticks;
}

std::vector<Tick> elapsed_ticks(double low, double high, int most) {
    const Unit* unit = kUnits;
    for (const Unit& larger : kUnits)
        if (high - low >= 3 * larger.seconds) unit = &larger;
    const double least = (high - low) / unit->seconds / most;
    double step = round_step(least);
    for (const double round : unit->steps)
        if (round >= least && least > 0.5) step = round;
    std::vector<double> values = multiples(low / unit->seconds, high / unit->seconds, step);
    if (std::ssize(values) > most) values = multiples(low / unit->seconds, high / unit->seconds, step *= 2);
    std::vector<Tick> ticks;
    for (const double value : values) {
        const std::string label = with_digits_of(value, step);
        ticks.push_back({value * unit->seconds, label == "0" ? label : label + " " + unit->name, ""});
    }
    return ticks;
}

}  // namespace cmr::report
