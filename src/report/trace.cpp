#include "report/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/quantile.h"

namespace cmr::report {
namespace {

constexpr double kLongStep = 2;  // periods

// The samples on the scale.
std::pair<size_t, size_t> visible(std::span<const double> times, const Scale& x) {
    const auto begin = std::ranges::lower_bound(times, x.low()), end = std::ranges::upper_bound(times, x.high());
    return {static_cast<size_t>(begin - times.begin()), static_cast<size_t>(std::max(begin, end) - times.begin())};
}

std::string short_coordinate(double value) { return coordinate(std::round(value * 10) / 10); }

}  // namespace

void check_signal(std::string_view what, std::span<const double> times, size_t values) {
    if (times.size() != values) throw InputError("{}: {} values for {} times", what, values, times.size());
    for (size_t i = 0; i < times.size(); ++i)
        if (!std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1]))
            throw InputError("{}: time {} is {} s, finite and rising times are needed", what, i + 1, times[i]);
}

double usual_step(std::span<const double> times) {
    std::vector<double> steps;
    for (size_t i = 1; i < times.size(); ++i)
        if (times[i] > times[i - 1]) steps.push_back(times[i] - times[i - 1]);
    if (steps.empty()) return 1;
    return median_of(std::move(steps));
}

std::vector<Polyline> trace(std::span<const double> times, std::span<const float> values, double period, const Scale& x,
                            const Scale& y) {
    std::vector<Polyline> lines;
    size_t least = 0, most = 0;  // samples of the column
    double column = -1, last_time = 0;
    const auto place = [&](size_t i) { return Point{x.at(times[i]), y.at(static_cast<double>(values[i]))}; };
    const auto finish_column = [&] {
        if (column < 0) return;
        lines.back().push_back(place(std::min(least, most)));
        if (least != most) lines.back().push_back(place(std::max(least, most)));
    };
    bool interrupted = true;
    const auto [begin, end] = visible(times, x);
    for (size_t i = begin; i < end; ++i) {
        if (!std::isfinite(values[i])) {
            interrupted = true;
            continue;
        }
        interrupted = interrupted || times[i] - last_time > kLongStep * period;
        last_time = times[i];
        // A gap inside a column cannot be seen, so that gaps do not undo the thinning.
        const double here = std::floor(std::abs(x.at(times[i]) - x.from()));
        if (here == column) {
            if (values[i] < values[least]) least = i;
            if (values[i] > values[most]) most = i;
        } else {
            finish_column();
            if (interrupted) lines.emplace_back();
            column = here;
            least = most = i;
        }
        interrupted = false;
    }
    finish_column();
    return lines;
}

std::vector<Polyline> parts_above(const std::vector<Polyline>& lines, double level) {
    std::vector<Polyline> parts;
    for (const Polyline& line : lines) {
        for (size_t i = 0; i < line.size(); ++i) {
            const bool above = line[i].y<level, was_above = i> 0 && line[i - 1].y < level;
            if (i > 0 && above != was_above) {
                const Point a = line[i - 1], b = line[i];
                const Point crossing{a.x + (b.x - a.x) * (level - a.y) / (b.y - a.y), level};
                if (above) parts.emplace_back();
                parts.back().push_back(crossing);
            } else if (i == 0 && above) {
                parts.push_back({{line[0].x, level}});
            }
            if (above) parts.back().push_back(line[i]);
        }
        if (!line.empty() && line.back().y < level) parts.back().push_back({line.back().x, level});
    }
    return parts;
}

std::string path_data(const std::vector<Polyline>& lines, bool closed) {
    std::string data;
    for (const Polyline& line : lines) {
        for (size_t i = 0; i < line.size(); ++i)
            data.append(i == 0 ? "M" : "L")
                .append(short_coordinate(line[i].x))
                .append(" ")
                .append(short_coordinate(line[i].y));
        if (closed)
            data += "Z";
        else if (line.size() == 1)
            data += "h0";  // a dot, by the round ends of lines
    }
    return data;
}

Matrix cells(std::span<const double> times, const MatrixView& values, double period, const Scale& x, int64_t count,
             Cell cell) {
    Matrix grid(values.columns, count);
    std::vector<int64_t> samples(grid.values.size(), 0);
    const double per_cell = (x.high() - x.low()) / static_cast<double>(count);
    const auto index = [&](double time) {
        return static_cast<int64_t>(std::clamp((time - x.low()) / per_cell, 0.0, static_cast<double>(count - 1)));
    };
    const auto [begin, end] = visible(times, x);
    for (size_t i = begin; i < end; ++i) {
        const int64_t first = index(times[i]);
        // Not into the cell that begins where the sample ends.
        const int64_t last = std::max(first, index(times[i] + period - per_cell * 1e-6));
        const auto row = values.row(static_cast<int64_t>(i));
        for (int64_t channel = 0; channel < values.columns; ++channel) {
            float value = row[static_cast<size_t>(channel)];
            if (!std::isfinite(value)) continue;
            if (cell == Cell::kGreatestMagnitude) value = std::abs(value);
            for (int64_t c = first; c <= last; ++c) {
                const auto at = static_cast<size_t>(channel * count + c);
                float& kept = grid.values[at];
                if (samples[at]++ == 0)
                    kept = value;
                else if (cell == Cell::kMean)
                    kept += (value - kept) / static_cast<float>(samples[at]);
                else
                    kept = std::max(kept, value);
            }
        }
    }
    for (size_t i = 0; i < samples.size(); ++i)
        if (samples[i] == 0) grid.values[i] = std::numeric_limits<float>::quiet_NaN();
    return grid;
}

std::vector<float> cells(std::span<const double> times, std::span<const float> values, double period, const Scale& x,
                         int64_t count, Cell cell) {
    return cells(times, MatrixView{values.data(), std::ssize(values), 1}, period, x, count, cell).values;
}

}  // namespace cmr::report
