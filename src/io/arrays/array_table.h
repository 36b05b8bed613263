#pragma once
// What the tables of plain arrays share: columns without texts or dates, of a known length, chosen and read in blocks.

#include <span>
#include <vector>

#include "io/table.h"
#include "io/text/time.h"

namespace cmr::io {

class ArrayTable : public Table {
  public:
    void select(const std::vector<Selection>& columns) override;
    bool read(TableBlock& block) override;
    std::string place(int64_t line) const override;

  protected:
    ArrayTable(std::string name, const TableOptions& options);

    // Numbered, or as the options name them.
    void number_columns(int64_t count, const TableOptions& options);

    // Prepares these columns and tells how many rows they have.
    virtual int64_t open_columns(const std::vector<int64_t>& columns) = 0;
    // Their next rows: [rows, columns].
    virtual void read_columns(int64_t rows, std::span<double> values) = 0;

  private:
    std::vector<double> missing_;  // numbers that stand for an absent value
    std::vector<Selection> selection_;
    bool has_texts_ = false;
    TimeUnit time_unit_;
    std::vector<double> values_;
    int64_t rows_ = 0;
    int64_t next_ = 0;
};

}  // namespace cmr::io
