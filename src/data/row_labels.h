#pragma once
// What the rows of a file are: by columns of it, or by a file of labels beside it.

#include <span>
#include <string>
#include <vector>

#include "data/files.h"
#include "data/labels.h"

namespace cmr::data {

class RowLabels {
  public:
    // Of the part's file `file` below `root`, opened as `table`. Reads the file of labels, where the recipe has one.
    RowLabels(const recipe::Labels& labels, const recipe::Part& part, const FoundFile& file, const fs::path& root,
              const io::Table& table);

    // What it wants to see of each row of the table: texts.
    const std::vector<io::Selection>& columns() const { return columns_; }

    // The next row that is used: number `row` of the table, from 0. Nothing where it is labelled as the one before.
    const RowLabel* next(std::span<const std::string> texts, int64_t row, double time_s, const io::Table& table,
                         int64_t line);

    // Call when all rows of the table are read: a file of labels without times has as many.
    void finish(int64_t rows, const io::Table& table) const;

  private:
    struct Listed {
        double time_s = 0;
        RowLabel label;
    };

    void read_file(const fs::path& path);
    const RowLabel& listed(int64_t row, double time_s, const io::Table& table, int64_t line);

    recipe::Labels labels_;  // what counts of the recipe's
    std::vector<io::Selection> columns_;
    std::vector<std::string> last_texts_;
    RowLabel last_;
    bool started_ = false;
    std::string beside_;  // the file of labels; empty: none
    std::vector<Listed> listed_;
    size_t next_ = 0;  // the first of them behind the row
};

}  // namespace cmr::data
