#include "io/xlsx/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/text/number.h"
#include "io/text/spelling.h"
#include "io/xlsx/date.h"

namespace cmr::io {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

CellMeaning::CellMeaning(const Workbook& book, const TableOptions& options)
    : book_(book), missing_(options.missing), time_unit_(time_unit(options.time_unit)) {
    for (const std::string& spelling : missing_)
        if (const auto number = parse_number(spelling)) missing_numbers_.push_back(*number);
}

std::optional<double> CellMeaning::number(const SheetRow& row, const SheetCell& cell) const {
    const auto text = words(row, cell);
    if (!text) return plain_number(row.text_of(cell));
    if (is_missing(*text, missing_)) return kAbsent;
    if (const auto number = parse_number(*text)) return number;
    return parse_not_finite(*text);
}

std::optional<double> CellMeaning::time(const SheetRow& row, const SheetCell& cell, DateOrder order) const {
    const auto text = words(row, cell);
    if (!text) {
        const auto number = plain_number(row.text_of(cell));
        if (!number) return number;
        if (!is_date(cell)) return to_seconds(*number, time_unit_);
        return seconds_since_1970(*number, book_.dates_from_1904);
    }
    return is_missing(*text, missing_) ? kAbsent : parse_time(*text, order, time_unit_);
}

std::string CellMeaning::text(const SheetRow& row, const SheetCell& cell) const {
    if (const auto text = words(row, cell))
        return std::ranges::find(missing_, *text) != missing_.end() ? std::string() : std::string(*text);
    const std::string_view text = trimmed(row.text_of(cell));
    if (cell.type == CellType::kBoolean) return text == "0" ? "FALSE" : "TRUE";
    const auto number = plain_number(text);
    if (!number) return std::string(text);
    if (std::isnan(*number)) return {};
    return is_date(cell) ? format_time(seconds_since_1970(*number, book_.dates_from_1904)) : fmt::format("{}", *number);
}

std::optional<std::string_view> CellMeaning::words(const SheetRow& row, const SheetCell& cell) const {
    if (cell.type == CellType::kNumber || cell.type == CellType::kBoolean) return std::nullopt;
    const std::string_view text = trimmed(row.text_of(cell));
    if (cell.type != CellType::kSharedText) return text;
    size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool known = error == std::errc() && end == text.data() + text.size() && index < book_.strings.size();
    return known ? trimmed(book_.strings[index]) : std::string_view("a shared text that is not there");
}

bool CellMeaning::is_date(const SheetCell& cell) const {
    const auto style = static_cast<size_t>(cell.style);
    return cell.type == CellType::kNumber && style < book_.date_style.size() && book_.date_style[style];
}

std::optional<double> CellMeaning::plain_number(std::string_view text) const {
    const auto number = parse_number(text);
    if (number && std::ranges::find(missing_numbers_, *number) != missing_numbers_.end()) return kAbsent;
    return number;
}

}  // namespace cmr::io
