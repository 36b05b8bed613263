#include "io/arrays/array_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "io/text/number.h"

namespace cmr::io {

ArrayTable::ArrayTable(std::string name, const TableOptions& options)
    : Table(std::move(name)), time_unit_(time_unit(options.time_unit)) {
    for (const std::string& spelling : options.missing)
        if (const auto number = parse_number(spelling)) missing_.push_back(*number);
}

void ArrayTable::number_columns(int64_t count, const TableOptions& options) {
    constexpr int64_t kMost = int64_t{1} << 24;
    if (count > kMost)
        throw InputError("{}: {} columns, expected at most {}; is the array transposed?", name_, count, kMost);
    named_ = !options.names.empty();
    columns_ = expand_names(options.names);
    if (named_ && static_cast<int64_t>(columns_.size()) != count)
        throw InputError("{}: {} columns, but `names` has {}", name_, count, columns_.size());
    if (named_) return;
    for (int64_t i = 1; i <= count; ++i) columns_.push_back(std::to_string(i));
}

void ArrayTable::select(const std::vector<Selection>& columns) {
    selection_ = columns;
    std::vector<int64_t> chosen;
    for (const Selection& s : columns) {
        chosen.push_back(s.column);
        has_texts_ |= s.kind == ColumnKind::kText;
    }
    rows_ = open_columns(chosen);
}

bool ArrayTable::read(TableBlock& block) {
    constexpr int64_t kValues = 1 << 17;  // in a block; one row at least
    const auto width = static_cast<int64_t>(selection_.size());
    block.rows = std::min(rows_ - next_, std::max<int64_t>(1, kValues / std::max<int64_t>(1, width)));
    block.texts.clear();
    block.lines.resize(static_cast<size_t>(block.rows));
    for (int64_t& line : block.lines) line = ++next_;
    std::vector<double>& values = has_texts_ ? values_ : block.numbers;
    values.resize(static_cast<size_t>(block.rows * width));
    if (block.rows == 0) return false;
    read_columns(block.rows, values);
    for (const double missing : missing_)
        std::ranges::replace(values, missing, std::numeric_limits<double>::quiet_NaN());
    for (int64_t column = 0; column < width; ++column)
        if (selection_[static_cast<size_t>(column)].kind == ColumnKind::kTime)
            for (int64_t row = 0; row < block.rows; ++row) {
                double& time = values[static_cast<size_t>(row * width + column)];
                time = to_seconds(time, time_unit_);
            }
    if (!has_texts_) return true;
    block.numbers.clear();
    for (size_t i = 0; i < values.size(); ++i) {
        if (selection_[i % selection_.size()].kind != ColumnKind::kText)
            block.numbers.push_back(values[i]);
        else
            block.texts.push_back(std::isnan(values[i]) ? "" : fmt::format("{}", values[i]));
    }
    return true;
}

std::string ArrayTable::place(int64_t line) const { return fmt::format("{}, row {}", name_, line); }

}  // namespace cmr::io
