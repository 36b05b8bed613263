#pragma once
// The XML of one sheet, row by row. Cells keep their text as it stands, so that a column nobody asked for costs little.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/xlsx/xml.h"

namespace cmr::io {

enum class CellType : uint8_t { kNumber, kBoolean, kSharedText, kText, kError };

struct SheetCell {
    int32_t column = 0;  // from 0
    CellType type = CellType::kNumber;
    int32_t style = 0;
    size_t begin = 0, end = 0;  // its text in SheetRow::text
};

// The cells of a row that are not empty, in ascending columns.
struct SheetRow {
    int64_t number = 0;  // from 1
    std::vector<SheetCell> cells;
    std::string text;

    std::string_view text_of(const SheetCell& cell) const {
        return std::string_view(text).substr(cell.begin, cell.end - cell.begin);
    }
};

class SheetReader : private XmlReader {
  public:
    // `name` begins the messages: "swat.xlsx, sheet Data".
    SheetReader(ReadBytes read, const std::string& name);

    // The next row that has cells; false at the end of the sheet. The argument's memory is reused.
    bool next(SheetRow& row);

  private:
    void start(std::string_view element, const XmlAttributes& attributes) override;
    void end(std::string_view element) override;
    void text(std::string_view part) override;
    void start_row(const XmlAttributes& attributes);
    void start_cell(const XmlAttributes& attributes);
    void end_cell();
    int32_t column_of(std::string_view reference) const;

    SheetRow row_;
    SheetCell cell_;
    int64_t last_row_ = 0;
    bool in_sheet_ = false, in_row_ = false, in_cell_ = false, in_phonetics_ = false;
    bool in_value_ = false;  // of a cell: its text counts
};

}  // namespace cmr::io
