#pragma once
// From the letters of indexed rows to the values of a TableBlock.

#include <optional>

#include "io/text/csv_layout.h"
#include "io/text/number.h"
#include "io/text/time.h"

namespace cmr::io {

class CsvConverter {
  public:
    CsvConverter(std::string name, CsvLayout layout, const TableOptions& options);

    void select(const std::vector<Selection>& selection);
    int64_t numbers_per_row() const { return numbers_per_row_; }
    int64_t texts_per_row() const { return texts_per_row_; }

    // Is there a time column whose order of dates nobody stated?
    bool wants_date_orders() const;
    // Learns from these rows in which order dates are written; an InputError if they leave it open.
    void settle_date_orders(std::string_view text, const CsvIndex& index);

    // Fills the rows of `block` from `first_row` on. The text begins at `line` of the file, and kQuickNumberReach bytes
    // behind it are readable. The first defect is an InputError.
    void convert(std::string_view text, const CsvIndex& index, int64_t line, TableBlock& block,
                 int64_t first_row) const;

  private:
    // One selected column; they are walked in the order of the file.
    struct Step {
        int64_t column = 0;
        ColumnKind kind = ColumnKind::kNumber;
        int64_t target = 0;  // within a row of numbers or texts
        DateOrder order = DateOrder::kUnknown;
    };

    // Neighbouring number columns that become neighbouring numbers.
    struct Run {
        size_t first = 0;  // of the steps
        int64_t count = 1;
    };

    void convert_step(std::string_view text, const CsvIndex& index, const CsvIndex::Row& row, const Step& step,
                      int64_t line, QuickNumbers& quick, std::string& buffer, double* numbers,
                      std::string* texts) const;
    void check_columns(std::string_view text, const CsvIndex& index, const CsvIndex::Row& row, int64_t line) const;
    double convert_cell(std::string_view cell, const Step& step, int64_t line) const;
    [[noreturn]] void fail(std::string_view cell, const Step& step, int64_t line) const;

    std::string name_;
    CsvDialect dialect_;
    std::vector<std::string> columns_;
    std::vector<std::string> missing_;
    bool numeric_missing_ = false;  // is a spelling of an absent value a number, such as -999?
    std::string date_order_;
    TimeUnit time_unit_;
    std::vector<Step> steps_;
    std::vector<Run> runs_;
    int64_t numbers_per_row_ = 0, texts_per_row_ = 0;
};

}  // namespace cmr::io
