#include "live/formats/csv_rows.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "io/text/number.h"
#include "io/text/spelling.h"

namespace cmr::live {

bool CsvRows::begin(std::string_view head) {
    if (head.empty()) return false;
    layout_ = io::find_layout(name_, head, /*whole=*/true, options_.table);
    if (!layout_) return false;
    order_ = io::DateOrderGuess(options_.table.date_order).settle(name_, "");
    time_ = column(options_.time_field);
    if (!time_ && !options_.arrival_time)
        throw InputError("{}: no column '{}', expected the time there; there are {}", name_, options_.time_field,
                         fmt::join(layout_->columns, ", "));
    asset_ = column(options_.asset_field);
    if (!options_.channel_field.empty()) {
        channel_ = column(options_.channel_field);
        value_ = column(options_.value_field);
        if (!channel_ || !value_)
            throw InputError("{}: no column '{}', expected one; there are {}", name_,
                             channel_ ? options_.value_field : options_.channel_field,
                             fmt::join(layout_->columns, ", "));
    }
    return true;
}

std::optional<size_t> CsvRows::column(const std::string& wanted) const {
    const auto found = std::ranges::find(layout_->columns, wanted);
    if (found == layout_->columns.end()) return std::nullopt;
    return static_cast<size_t>(found - layout_->columns.begin());
}

void CsvRows::decode(std::string_view rows, int64_t first_line, double arrival_s, Decoded& out) {
    CMR_ASSERT(layout_, "the layout is known");
    io::CsvIndex index;
    index.build_slowly(rows, layout_->dialect);
    learn_date_order(rows, index);
    for (const io::CsvIndex::Row& row : index.rows()) {
        try {
            decode_row(rows, index, row, arrival_s, out);
        } catch (const InputError& error) {
            out.refuse(fmt::format("{}:{}: {}", name_, first_line + row.line, error.what()));
        }
    }
}

// From rows whose date can be read in one way only; those before them stay refused, which is told.
void CsvRows::learn_date_order(std::string_view rows, const io::CsvIndex& index) {
    if (!time_ || order_ != io::DateOrder::kUnknown) return;
    io::DateOrderGuess guess("auto");
    std::string buffer;
    for (const io::CsvIndex::Row& row : index.rows())
        if (*time_ < row.cells && !guess.decided())
            guess.observe(io::clean_cell(index.cell(rows, row, *time_), buffer));
    if (guess.decided()) order_ = guess.settle(name_, options_.time_field);
}

double CsvRows::time(std::string_view cell) const {
    if (const auto number = io::parse_number(cell, layout_->dialect.point))
        return io::to_seconds(*number, options_.unit);
    if (const auto date = io::parse_time(cell, order_)) return *date;
    if (order_ == io::DateOrder::kUnknown && io::looks_like_date(cell))
        throw InputError("the date {} can be read in two ways; say date_order", io::shown(cell));
    throw InputError("column '{}' holds {}, expected a time", options_.time_field, io::shown(cell));
}

void CsvRows::decode_row(std::string_view text, const io::CsvIndex& index, const io::CsvIndex::Row& row,
                         double arrival_s, Decoded& out) const {
    std::string buffer;
    const auto cell = [&](size_t column) {
        return io::clean_cell(index.cell(text, row, static_cast<int64_t>(column)), buffer);
    };
    const size_t expected = layout_->columns.size();
    const bool delimiter_at_end = row.cells == expected + 1 && cell(expected).empty();
    if (row.cells != expected && !delimiter_at_end) throw InputError("{} columns, expected {}", row.cells, expected);
    Reading reading;
    reading.time_s = time_ ? time(cell(*time_)) : arrival_s;
    reading.asset = options_.asset.empty() && asset_ ? std::string(cell(*asset_)) : options_.asset;
    if (reading.asset.empty()) {
        ++out.ignored;
        return;
    }
    if (channel_) {
        reading.channel = cell(*channel_);
        return add(cell(*value_), reading, out);
    }
    for (size_t column = 0; column < expected; ++column) {
        if (column == time_ || column == asset_) continue;
        reading.channel = layout_->columns[column];
        add(cell(column), reading, out);
    }
}

void CsvRows::add(std::string_view cell, Reading& reading, Decoded& out) const {
    std::optional<double> value;
    if (io::is_missing(cell, options_.table.missing))
        value = std::numeric_limits<double>::quiet_NaN();
    else if (value = io::parse_number(cell, layout_->dialect.point); !value)
        value = io::parse_not_finite(cell);
    if (!value) {
        ++out.ignored;
        return;
    }
    reading.value = static_cast<float>(*value);
    out.readings.push_back(reading);
}

}  // namespace cmr::live
