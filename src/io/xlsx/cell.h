#pragma once
// What a cell means: a number, a time or a text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/table.h"
#include "io/text/time.h"
#include "io/xlsx/sheet.h"
#include "io/xlsx/workbook.h"

namespace cmr::io {

class CellMeaning {
  public:
    CellMeaning(const Workbook& book, const TableOptions& options);

    // NaN for a cell that stands for an absent value; nothing when it holds no number.
    std::optional<double> number(const SheetRow& row, const SheetCell& cell) const;
    // Seconds since 1970. Texts are dates in this order.
    std::optional<double> time(const SheetRow& row, const SheetCell& cell, DateOrder order) const;
    // Without blanks around, empty where absent; dates as 2015-12-22 16:00:00.
    std::string text(const SheetRow& row, const SheetCell& cell) const;

    // Texts and errors as they stand, without blanks around; nothing for numbers, dates and booleans.
    std::optional<std::string_view> words(const SheetRow& row, const SheetCell& cell) const;

  private:
    bool is_date(const SheetCell& cell) const;
    std::optional<double> plain_number(std::string_view text) const;

    const Workbook& book_;
    std::vector<std::string> missing_;
    std::vector<double> missing_numbers_;
    TimeUnit time_unit_;
};

}  // namespace cmr::io
