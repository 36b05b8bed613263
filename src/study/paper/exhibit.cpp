#include "study/paper/exhibit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "report/bars.h"

namespace cmr::study::paper {
namespace {

report::Bar bar_of(const std::string& name, const Entry& entry) {
    return {.name = name,
            .value = entry.ours ? entry.ours->mean : std::numeric_limits<double>::quiet_NaN(),
            .deviation = entry.ours ? entry.ours->deviation : std::nullopt,
            .reference = printed_number(entry.published),
            .strong = name.starts_with("cmr") || name.starts_with("fixed")};
}

std::optional<report::Figure> draw_groups(const Exhibit& exhibit, const std::string& axis,
                                          std::vector<report::BarGroup> groups) {
    std::erase_if(groups, [](const report::BarGroup& group) { return group.bars.empty(); });
    double least = 1;
    bool any = false;
    for (const report::BarGroup& group : groups)
        for (const report::Bar& bar : group.bars) {
            any |= std::isfinite(bar.value);
            if (std::isfinite(bar.value)) least = std::min(least, bar.value - bar.deviation.value_or(0));
            if (bar.reference) least = std::min(least, *bar.reference);
        }
    if (!any) return std::nullopt;
    report::BarChart chart{.description = exhibit.what,
                           .axis = axis,
                           .low = std::clamp(std::floor((least - 0.02) * 10) / 10, 0.0, 0.5),
                           .high = 1.0,
                           .line = 0.5,
                           .line_name = "chance",
                           .decimals = 3,
                           .groups = std::move(groups)};
    return report::Figure{draw(chart), fmt::format("{}: {}. {}", exhibit.label, exhibit.what, exhibit.note),
                          exhibit.file()};
}

}  // namespace

std::string Entry::shown() const {
    if (!asked) return "";
    if (!words.empty()) return words;
    return ours ? study::shown(ours, digits) : "no data";
}

int64_t Exhibit::asked() const {
    int64_t out = 0;
    for (const Row& row : rows) out += std::ranges::count_if(row.cells, &Entry::asked);
    return out;
}

int64_t Exhibit::answered() const {
    int64_t out = 0;
    for (const Row& row : rows) out += std::ranges::count_if(row.cells, &Entry::answered);
    return out;
}

std::string Exhibit::file() const {
    std::string out = label;
    std::ranges::replace(out, ':', '-');
    return out;
}

ResultTable Exhibit::table() const {
    ResultTable out{.name = file(),
                    .title = fmt::format("{}: {}", label, what),
                    .note = note,
                    .corner = corner,
                    .columns = {},
                    .rows = {}};
    for (const Row& row : rows) out.rows.push_back({row.name, {}});
    for (size_t c = 0; c < columns.size(); ++c) {
        const bool printed = std::ranges::any_of(rows, [&](const Row& row) { return !row.cells[c].published.empty(); });
        out.columns.push_back(columns[c]);
        if (printed) out.columns.push_back(columns[c] + ", published");
        for (size_t r = 0; r < rows.size(); ++r) {
            out.rows[r].cells.push_back(rows[r].cells[c].shown());
            if (printed) out.rows[r].cells.push_back(rows[r].cells[c].published);
        }
    }
    return out;
}

std::optional<double> printed_number(const std::string& text) {
    const size_t at = text.find_first_of("0123456789");
    double value = 0;
    if (at == std::string::npos ||
        std::from_chars(text.data() + at, text.data() + text.size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

std::optional<report::Figure> bars_by_row(const Exhibit& exhibit, const std::string& axis) {
    std::vector<report::BarGroup> groups;
    for (const Exhibit::Row& row : exhibit.rows) {
        report::BarGroup& group = groups.emplace_back(report::BarGroup{row.name, {}});
        for (size_t c = 0; c < row.cells.size(); ++c)
            if (row.cells[c].asked && row.cells[c].words.empty())
                group.bars.push_back(bar_of(exhibit.columns[c], row.cells[c]));
    }
    return draw_groups(exhibit, axis, std::move(groups));
}

std::optional<report::Figure> bars_by_column(const Exhibit& exhibit, const std::string& axis) {
    std::vector<report::BarGroup> groups;
    for (size_t c = 0; c < exhibit.columns.size(); ++c) {
        report::BarGroup& group = groups.emplace_back(report::BarGroup{exhibit.columns[c], {}});
        for (const Exhibit::Row& row : exhibit.rows)
            if (row.cells[c].asked && row.cells[c].words.empty()) group.bars.push_back(bar_of(row.name, row.cells[c]));
    }
    return draw_groups(exhibit, axis, std::move(groups));
}

}  // namespace cmr::study::paper
