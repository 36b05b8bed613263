#pragma once
// The rows of one text file or stream that grows: CSV in the dialects of io/text/csv.h. The layout is found in its
// first lines; from then on any whole lines can be read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/table.h"
#include "io/text/csv_layout.h"
#include "io/text/time.h"
#include "live/formats/decoded.h"

namespace cmr::live {

struct CsvOptions {
    std::string asset;  // of all rows; empty: each has it in the column asset_field, or is ignored
    std::string asset_field = "asset";
    std::string channel_field;          // names the channel of the one value of a row; empty: each column is a channel
    std::string value_field = "value";  // where there is one value
    std::string time_field = "time";
    io::TimeUnit unit = io::TimeUnit::kAuto;  // of a number; other texts are dates
    bool arrival_time = false;                // rows get the time of their arrival where there is no column of the time
    io::TableOptions table;                   // delimiter, decimal, header, names, missing, date_order
};

class CsvRows {
  public:
    // `name` is that of the file, for messages.
    CsvRows(std::string name, CsvOptions options) : name_(std::move(name)), options_(std::move(options)) {}

    // Finds the layout in whole lines from the beginning of the text; false where these do not show enough yet.
    // InputError where they are no table, or lack a column that the options name.
    bool begin(std::string_view head);
    // Where the data begin in the head: byte and line.
    size_t data_begin() const { return layout_->begin; }
    int64_t data_line() const { return layout_->line; }

    // Whole lines of data, the first of them with this number. A row that cannot be read is refused, and those behind
    // it are read. A cell that is no number is ignored, an empty one is absent.
    void decode(std::string_view rows, int64_t first_line, double arrival_s, Decoded& out);

  private:
    std::optional<size_t> column(const std::string& wanted) const;
    double time(std::string_view cell) const;
    void learn_date_order(std::string_view rows, const io::CsvIndex& index);
    void decode_row(std::string_view text, const io::CsvIndex& index, const io::CsvIndex::Row& row, double arrival_s,
                    Decoded& out) const;
    void add(std::string_view cell, Reading& reading, Decoded& out) const;

    std::string name_;
    CsvOptions options_;
    std::optional<io::CsvLayout> layout_;
    std::optional<size_t> time_, asset_, channel_, value_;
    io::DateOrder order_ = io::DateOrder::kUnknown;
};

}  // namespace cmr::live
