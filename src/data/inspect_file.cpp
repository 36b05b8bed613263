#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/quantile.h"
#include "data/inspect.h"
#include "data/track.h"
#include "io/text/number.h"
#include "io/text/spelling.h"
#include "io/text/time.h"

namespace cmr::data {
namespace {

// What a column's first cells are.
enum class Content { kEmpty, kNumbers, kDates, kTexts };

struct Column {
    Content content = Content::kEmpty;
    bool mixed = false;       // texts among something else
    std::string place, cell;  // of the first text
    double first = 0;         // number
};

std::vector<Column> classify(const fs::path& file, const io::TableOptions& options) {
    const auto table = io::open_table(file, options);
    const size_t columns = table->columns().size();
    std::vector<Column> out(columns);
    std::vector<io::Selection> all;
    for (size_t i = 0; i < columns; ++i) all.push_back({static_cast<int64_t>(i), io::ColumnKind::kText});
    table->select(all);
    io::TableBlock block;
    if (!table->read(block)) throw InputError("{}: no rows", table->name());
    const char point = options.decimal == "comma" ? ',' : '.';
    int64_t looked_at = 0;
    do {
        for (int64_t row = 0; row < block.rows; ++row, ++looked_at)
            for (size_t i = 0; i < columns; ++i) {
                Column& column = out[i];
                if (looked_at >= 1000 && column.content != Content::kEmpty) continue;
                const std::string& text = block.texts[row * columns + i];
                if (io::is_missing(text, options.missing) || column.content == Content::kTexts) continue;
                const auto number = io::parse_number(text, point);
                const Content content = number || io::parse_not_finite(text) ? Content::kNumbers
                                        : io::looks_like_date(text)          ? Content::kDates
                                                                             : Content::kTexts;
                if (column.content == Content::kEmpty) column.first = number.value_or(0);
                column.mixed = column.content != Content::kEmpty && column.content != content;
                column.content = column.mixed ? Content::kTexts : content;
                if (column.content == Content::kTexts) {
                    column.place = table->place(block.lines[row]);
                    column.cell = text;
                }
            }
        // A column that begins empty may hold something further down.
    } while (std::ranges::find(out, Content::kEmpty, &Column::content) != out.end() && table->read(block));
    return out;
}

// Which cell makes a column text, where that may be a mistake.
void warn_of_text(const std::string& name, const Column& column, const io::TableOptions& options,
                  std::vector<Warning>& warnings) {
    const bool comma = options.decimal != "comma" && io::parse_number(column.cell, ',');
    if (!column.mixed && !comma) return;
    warnings.push_back(
        {45, fmt::format("{}: a column of text, for {} holds {}; {}", name, column.place, io::shown(column.cell),
                         comma ? std::string("if the comma is the decimal sign, say decimal=comma")
                               : fmt::format("if that means an absent value, say missing=[\"{}\"]", column.cell))});
}

// A column of numbers that is called a time and whose first number is a moment between 1990 and 2100.
bool is_epoch(std::string name, const Column& column, const io::TableOptions& options) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool called = std::ranges::any_of(std::array{"time", "stamp", "date", "epoch"},
                                            [&](const char* word) { return name.find(word) != std::string::npos; });
    const double first_s = io::to_seconds(column.first, io::time_unit(options.time_unit));
    return (called || name == "ts" || name == "t") && first_s > 631'152'000 && first_s < 4'102'444'800;
}

// Reads the given columns; the time column, if there is one, comes last.
void read_columns(const fs::path& file, const io::TableOptions& options, const std::vector<int64_t>& numbers,
                  int64_t time, FileInspection& out) {
    const auto table = io::open_table(file, options);
    std::vector<io::Selection> columns;
    columns.reserve(numbers.size() + 1);
    for (const int64_t i : numbers) columns.push_back({i, io::ColumnKind::kNumber});
    if (time >= 0) columns.push_back({time, io::ColumnKind::kTime});
    table->select(columns);
    std::vector<ValueTrack> tracks(numbers.size());
    std::vector<double> steps;
    double last_s = std::numeric_limits<double>::quiet_NaN();
    int64_t rows = 0, back = 0, timeless = 0;
    io::TableBlock block;
    while (table->read(block))
        for (int64_t row = 0; row < block.rows; ++row, ++rows) {
            const double* values = block.numbers.data() + row * static_cast<int64_t>(columns.size());
            for (size_t i = 0; i < numbers.size(); ++i)
                tracks[i].add(std::isfinite(values[i]) ? values[i] : std::numeric_limits<double>::quiet_NaN());
            if (time < 0) continue;
            const double now_s = values[numbers.size()];
            if (std::isnan(now_s)) {
                ++timeless;
                continue;
            }
            if (std::isnan(last_s)) {
                out.first_s = now_s;
            } else {
                steps.push_back(now_s - last_s);
                back += now_s <= last_s ? 1 : 0;
            }
            out.last_s = last_s = now_s;
        }
    out.rows = std::max(out.rows, rows);
    for (size_t i = 0; i < numbers.size(); ++i) {
        out.channels.push_back(tracks[i].facts());
        out.channels.back().name = table->columns()[numbers[i]];
    }
    if (timeless > 0)
        out.warnings.push_back({25, fmt::format("{}: {} absent values", table->columns()[time], timeless)});
    if (back > 0) out.warnings.push_back({60, fmt::format("the time stands still or goes back {} times", back)});
    if (steps.empty()) return;
    const double step_s = median_of(steps);
    if (step_s > 0) out.rate_hz = 1.0 / step_s;
    out.steps = std::ranges::count_if(steps, [&](double s) { return s > 1.5 * step_s; });
    if (out.steps > 0)
        out.warnings.push_back({30, fmt::format("{} steps in time longer than one and a half samples", out.steps)});
}

}  // namespace

FileInspection inspect_file(const fs::path& file, const io::TableOptions& options) {
    FileInspection out;
    out.name = file.string();
    // Arrays side by side (npz, mat, hdf5) may have different lengths: then each is read by itself. Whatever else fails
    // would fail again.
    const auto first = io::open_table(file, options);
    const auto& names = first->columns();
    for (const std::string& array : first->left_out()) out.warnings.push_back({5, fmt::format("left out: {}", array)});
    std::vector<Column> columns;
    try {
        columns = classify(file, options);
    } catch (const io::UnequalLengths&) {
        Column numbers_only;
        numbers_only.content = Content::kNumbers;
        columns.assign(names.size(), numbers_only);
    }
    std::vector<int64_t> numbers;
    int64_t time = -1;
    for (size_t i = 0; i < names.size(); ++i) {
        const auto index = static_cast<int64_t>(i);
        const Content content = columns[i].content;
        const bool epoch = content == Content::kNumbers && is_epoch(names[i], columns[i], options);
        if ((content == Content::kDates || epoch) && time < 0)
            time = index;
        else if (content == Content::kNumbers)
            numbers.push_back(index);
        if (content == Content::kTexts) {
            out.text_columns.push_back(names[i]);
            warn_of_text(names[i], columns[i], options, out.warnings);
        }
        if (content == Content::kEmpty) out.warnings.push_back({20, fmt::format("{}: empty", names[i])});
    }
    if (time >= 0) out.time_column = names[time];
    try {
        read_columns(file, options, numbers, time, out);
    } catch (const io::UnequalLengths& together) {
        for (const int64_t i : numbers) read_columns(file, options, {i}, -1, out);
        out.warnings.push_back({10, together.what()});
    }
    if (out.channels.empty())
        out.warnings.push_back(
            {50, fmt::format("no column of numbers; if the names stand further below, say header_column=NAME or "
                             "skip_rows=N")});
    for (const ChannelFacts& channel : out.channels) {
        if (channel.constant) out.warnings.push_back({10, fmt::format("{}: never moves", channel.name)});
        if (channel.absent > 0)
            out.warnings.push_back({25, fmt::format("{}: {} absent values", channel.name, channel.absent)});
    }
    std::ranges::stable_sort(out.warnings, std::greater(), &Warning::harm);
    return out;
}

}  // namespace cmr::data
