#include "io/text/csv_convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "io/text/spelling.h"

namespace cmr::io {
namespace {

// A message stays readable even where a cell is a whole page.
std::string shorten(std::string_view cell) {
    constexpr size_t kEnough = 60;
    return cell.size() <= kEnough ? std::string(cell) : std::string(cell.substr(0, kEnough)) + "...";
}

}  // namespace

CsvConverter::CsvConverter(std::string name, CsvLayout layout, const TableOptions& options)
    : name_(std::move(name)),
      dialect_(layout.dialect),
      columns_(std::move(layout.columns)),
      missing_(options.missing),
      date_order_(options.date_order),
      time_unit_(io::time_unit(options.time_unit)) {
    numeric_missing_ = std::ranges::any_of(
        missing_, [&](const std::string& spelling) { return parse_number(spelling, dialect_.point).has_value(); });
}

void CsvConverter::select(const std::vector<Selection>& selection) {
    const DateOrder order = DateOrderGuess(date_order_).settle(name_, "");
    for (const Selection& s : selection) {
        CMR_ASSERT(s.column >= 0 && s.column < static_cast<int64_t>(columns_.size()), "the table has this column");
        const int64_t target = s.kind == ColumnKind::kText ? texts_per_row_++ : numbers_per_row_++;
        steps_.push_back({s.column, s.kind, target, order});
    }
    std::ranges::stable_sort(steps_, {}, &Step::column);
    for (size_t i = 0; i < steps_.size(); ++i) {
        const Step& before = steps_[i > 0 ? i - 1 : 0];
        const bool numbers = steps_[i].kind == ColumnKind::kNumber && before.kind == ColumnKind::kNumber;
        const bool neighbours = steps_[i].column == before.column + 1 && steps_[i].target == before.target + 1;
        if (i > 0 && numbers && neighbours)
            ++runs_.back().count;
        else
            runs_.push_back({i, 1});
    }
}

bool CsvConverter::wants_date_orders() const {
    return std::ranges::any_of(
        steps_, [](const Step& step) { return step.kind == ColumnKind::kTime && step.order == DateOrder::kUnknown; });
}

void CsvConverter::settle_date_orders(std::string_view text, const CsvIndex& index) {
    constexpr size_t kEnough = 1000;  // rows without a date whose order matters
    std::string buffer;
    for (Step& step : steps_) {
        if (step.kind != ColumnKind::kTime || step.order != DateOrder::kUnknown) continue;
        DateOrderGuess guess("auto");
        for (size_t i = 0; i < index.rows().size() && !guess.decided() && (i < kEnough || guess.open()); ++i)
            if (step.column < index.rows()[i].cells)
                guess.observe(clean_cell(index.cell(text, index.rows()[i], step.column), buffer));
        step.order = guess.settle(name_, columns_[step.column]);
    }
}

void CsvConverter::convert(std::string_view text, const CsvIndex& index, int64_t line, TableBlock& block,
                           int64_t first_row) const {
    double* numbers = block.numbers.data() + first_row * numbers_per_row_;
    std::string* texts = block.texts.data() + first_row * texts_per_row_;
    int64_t* lines = block.lines.data() + first_row;
    std::string buffer;
    QuickNumbers quick(dialect_.point);
    for (const CsvIndex::Row& row : index.rows()) {
        *lines = line + row.line;
        check_columns(text, index, row, *lines);
        for (const Run& run : runs_) {
            const Step& first = steps_[run.first];
            const bool quickly = first.kind == ColumnKind::kNumber && !numeric_missing_;
            for (int64_t i = 0; i < run.count; ++i) {
                if (quickly)
                    i += quick.read_alike(text.data(), index.ends(row, first.column + i), run.count - i,
                                          numbers + first.target + i);
                if (i < run.count)
                    convert_step(text, index, row, steps_[run.first + i], *lines, quick, buffer, numbers, texts);
            }
        }
        numbers += numbers_per_row_;
        texts += texts_per_row_;
        ++lines;
    }
}

void CsvConverter::convert_step(std::string_view text, const CsvIndex& index, const CsvIndex::Row& row,
                                const Step& step, int64_t line, QuickNumbers& quick, std::string& buffer,
                                double* numbers, std::string* texts) const {
    const char* begin = text.data() + index.begin(row, step.column);
    const char* end = text.data() + index.end(row, step.column);
    while (*begin == ' ' && begin != end) ++begin;
    const bool quickly = step.kind == ColumnKind::kNumber && !numeric_missing_;
    if (quickly && quick.read(begin, end, numbers[step.target])) return;
    const std::string_view cell = clean_cell({begin, end}, buffer);
    if (step.kind == ColumnKind::kText)
        texts[step.target] = cell;
    else
        numbers[step.target] = convert_cell(cell, step, line);
}

void CsvConverter::check_columns(std::string_view text, const CsvIndex& index, const CsvIndex::Row& row,
                                 int64_t line) const {
    const auto expected = static_cast<int64_t>(columns_.size());
    if (row.cells == expected) return;
    // A delimiter at the end of the row makes no column.
    std::string buffer;
    const bool extra = clean_cell(index.cell(text, row, row.cells - 1), buffer).empty();
    if (row.cells == expected + 1 && extra) return;
    throw InputError("{}:{}: {} columns, expected {}", name_, line, with_commas(row.cells), with_commas(expected));
}

double CsvConverter::convert_cell(std::string_view cell, const Step& step, int64_t line) const {
    if (is_missing(cell, missing_)) return std::numeric_limits<double>::quiet_NaN();
    const auto number = parse_number(cell, dialect_.point);
    if (step.kind == ColumnKind::kTime) {
        if (number && std::isfinite(*number)) return to_seconds(*number, time_unit_);
        if (const auto time = parse_time(cell, step.order, time_unit_)) return *time;
    } else {
        if (number) return *number;
        if (const auto infinite = parse_not_finite(cell)) return *infinite;
    }
    fail(cell, step, line);
}

void CsvConverter::fail(std::string_view cell, const Step& step, int64_t line) const {
    const std::string& column = columns_[step.column];
    const std::string place = fmt::format("{}:{}", name_, line);
    if (step.kind == ColumnKind::kTime) {
        if (step.order == DateOrder::kUnknown && looks_like_date(cell)) fail_ambiguous_date(place, column, cell);
        throw InputError("{}: column '{}' holds '{}', expected a date and time", place, column, shorten(cell));
    }
    const bool other_sign = parse_number(cell, dialect_.point == '.' ? ',' : '.').has_value();
    throw InputError("{}: column '{}' holds '{}', expected a number{}", place, column, shorten(cell),
                     !other_sign             ? ""
                     : dialect_.point == '.' ? "; if the comma is the decimal sign, say decimal = \"comma\""
                                             : "; decimal = \"comma\" was said");
}

}  // namespace cmr::io
