#include "io/xlsx/sheet.h"

#include <charconv>

#include "base/error.h"
#include "io/text/spelling.h"

namespace cmr::io {
namespace {

// Excel's own limits, and one for the text of a row.
constexpr int64_t kMostRows = 1'048'576;
constexpr int32_t kMostColumns = 16'384;
constexpr size_t kLongestRow = size_t{16} << 20;

// The whole of `text` as a number; -1 where it is none.
int64_t whole_number(std::string_view text) {
    int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

}  // namespace

SheetReader::SheetReader(ReadBytes read, const std::string& name) : XmlReader(std::move(read), name) {}

bool SheetReader::next(SheetRow& row) {
    row_.cells.clear();
    row_.text.clear();
    if (!run()) return false;
    std::swap(row, row_);
    return true;
}

void SheetReader::start(std::string_view element, const XmlAttributes& attributes) {
    if (element == "c" && in_row_) {
        start_cell(attributes);
    } else if (element == "v" || element == "t") {  // a value, or a run of text within the cell
        in_value_ = in_cell_ && !in_phonetics_;
    } else if (element == "row" && in_sheet_) {
        start_row(attributes);
    } else if (element == "sheetData") {
        in_sheet_ = true;
    } else if (element == "rPh") {
        in_phonetics_ = true;
    }
}

void SheetReader::end(std::string_view element) {
    if (element == "c") {
        if (in_cell_) end_cell();
    } else if (element == "v" || element == "t") {
        in_value_ = false;
    } else if (element == "row") {
        in_row_ = in_cell_ = false;
        if (row_.cells.empty()) return;
        row_.number = last_row_;
        pause();
    } else if (element == "sheetData") {
        in_sheet_ = false;
    } else if (element == "rPh") {
        in_phonetics_ = false;
    }
}

void SheetReader::text(std::string_view part) {
    if (!in_value_) return;
    if (row_.text.size() + part.size() > kLongestRow)
        throw InputError("{}, row {}: more than {} MB of text in one row", name(), last_row_, kLongestRow >> 20);
    row_.text += part;
}

void SheetReader::start_row(const XmlAttributes& attributes) {
    if (in_row_) throw InputError("{}, row {}: holds a row, expected cells", name(), last_row_);
    const std::string_view reference = attributes.get("r");
    const int64_t number = reference.empty() ? last_row_ + 1 : whole_number(reference);
    if (number <= last_row_ || number > kMostRows)
        throw InputError("{}: row {} follows row {}, expected a number above it and up to {}", name(),
                         reference.empty() ? std::to_string(number) : shown(reference), last_row_, kMostRows);
    last_row_ = number;
    in_row_ = true;
    cell_.column = -1;
}

// A cell without a reference stands right of the one before it.
void SheetReader::start_cell(const XmlAttributes& attributes) {
    if (in_cell_) throw InputError("{}, row {}: a cell holds a cell, expected a value", name(), last_row_);
    const int32_t before = cell_.column;
    cell_ = {before + 1, CellType::kNumber, 0, row_.text.size(), 0};
    attributes.each([&](std::string_view key, std::string_view value) {
        if (key == "r") {
            cell_.column = column_of(value);
        } else if (key == "s") {
            cell_.style = static_cast<int32_t>(whole_number(value));
        } else if (key == "t") {
            cell_.type = value == "s"   ? CellType::kSharedText
                         : value == "b" ? CellType::kBoolean
                         : value == "e" ? CellType::kError
                         : value == "n" ? CellType::kNumber
                                        : CellType::kText;  // str, inlineStr, d
        }
    });
    if (cell_.column <= before || cell_.column >= kMostColumns)
        throw InputError("{}, row {}: column {} follows column {}, expected a column right of it and up to {}", name(),
                         last_row_, cell_.column + 1, before + 1, kMostColumns);
    in_cell_ = true;
}

void SheetReader::end_cell() {
    in_cell_ = in_value_ = false;
    cell_.end = row_.text.size();
    if (cell_.end > cell_.begin) row_.cells.push_back(cell_);
}

// "AB12" in row 12 is column 27.
int32_t SheetReader::column_of(std::string_view reference) const {
    int32_t column = 0;
    size_t letters = 0;
    for (; letters < reference.size() && letters < 4; ++letters) {
        const char letter = reference[letters];
        if (letter < 'A' || letter > 'Z') break;
        column = column * 26 + (letter - 'A' + 1);
    }
    if (letters == 0 || whole_number(reference.substr(letters)) != last_row_)
        throw InputError("{}, row {}: a cell calls itself {}", name(), last_row_, shown(reference));
    return column - 1;
}

}  // namespace cmr::io
