#pragma once
// A table of numbers in a file of any format, read front to back in blocks of rows, so that a file larger than memory
// can be read. Rows are moments (or cycles), columns are channels (or the samples of a cycle).
//
// Every defect of a file is an InputError that names the file, the place in it, what was found and what was wanted.
// Absent values are never filled: they arrive as NaN, and the caller's gap policy decides.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace cmr::io {

namespace fs = std::filesystem;

// How to read a file whose own signs do not suffice. One struct for all formats, so that a recipe has one section.
struct TableOptions {
    std::string format = "auto";     // auto, csv, npy, npz, hdf5, mat, xlsx
    std::string delimiter = "auto";  // csv: auto, comma, semicolon, tab, bar, blank (runs of blanks and tabs)
    std::string decimal = "point";   // csv: point or comma
    std::string header = "auto";     // csv, xlsx: auto, yes, no
    std::string header_column;  // csv, xlsx: the header is the first row that has this cell; what is above is skipped
    int64_t skip_rows = 0;      // csv, xlsx: rows before the header, or before the data where there is none
    std::vector<std::string> missing;  // spellings of an absent value, beside the empty cell and NaN
    std::string date_order = "auto";   // auto, day-first, month-first (ISO dates need neither)
    std::string time_unit = "auto";    // of time stamps that are plain numbers: one of kTimeUnits (text/time.h)
    std::string sheet;                 // xlsx: its name; empty: the first
    std::string array;                 // npz, hdf5, mat: the one array to read; `*` stands for any run of letters
    std::vector<std::string> names;    // of the columns, where a file has none; XMV(1..3) is three of them
    bool transposed = false;           // the file's rows are channels

    bool operator==(const TableOptions&) const = default;
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, TableOptions>
void visit_fields(C& c, const Visit& visit) {
    visit("format", c.format, "auto, csv, npy, npz, hdf5, mat or xlsx");
    visit("delimiter", c.delimiter, "of text files: auto, comma, semicolon, tab, bar or blank");
    visit("decimal", c.decimal, "sign in text files: point or comma");
    visit("header", c.header, "does the first row name the columns? auto, yes or no");
    visit("header_column", c.header_column, "the first row with this cell is the header; what is above is skipped");
    visit("skip_rows", c.skip_rows, "rows to skip at the beginning of a file");
    visit("missing", c.missing, "spellings of an absent value, beside the empty cell and NaN");
    visit("date_order", c.date_order, "auto, day-first or month-first");
    visit("time_unit", c.time_unit, "of numbers that are times: auto, s, ms, us, ns, excel-days or matlab-days");
    visit("sheet", c.sheet, "of a workbook; empty: the first");
    visit("array", c.array, "the one array to read from npz, hdf5 or mat; * matches anything");
    visit("names", c.names, "of the columns, where the file has none; XMV(1..3) is three of them");
    visit("transposed", c.transposed, "the file's rows are channels");
}

enum class ColumnKind {
    kNumber,
    kTime,  // seconds since 1970, of a date (an offset such as +02:00 counts) or of a number in TableOptions::time_unit
    kText,
};

struct Selection {
    int64_t column = 0;
    ColumnKind kind = ColumnKind::kNumber;
};

// Some consecutive rows of the selected columns. Reused from read to read.
struct TableBlock {
    int64_t rows = 0;
    std::vector<double> numbers;     // [rows, number and time columns in the order of selection]; NaN: absent
    std::vector<std::string> texts;  // [rows, text columns in the order of selection], without blanks around
    std::vector<int64_t> lines;      // [rows] where each row stands, for Table::place
};

// The chosen arrays of a file do not stand side by side; each by itself can be read.
class UnequalLengths : public InputError {
  public:
    using InputError::InputError;
};

class Table {
  public:
    virtual ~Table() = default;
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    // As messages name it: the path and, where a file holds several tables, which of them.
    const std::string& name() const { return name_; }
    // Without blanks around; "1", "2", … where the file names none. A format that holds separate arrays (npz, hdf5, mat
    // without the `array` option) has one column per one-dimensional array, and only the selected ones need the same
    // length.
    const std::vector<std::string>& columns() const { return columns_; }
    // What the file holds beside them, each with why it is no column: "run.note: text", "run.image: 3 x 4 x 5".
    const std::vector<std::string>& left_out() const { return left_out_; }
    // Did the file name its columns?
    bool named() const { return named_; }

    // The index of a column; an InputError suggests the nearest name, or tells that two columns have this one. Blanks
    // around either name do not count. `*` in the name stands for any run of letters and must match one column only.
    int64_t find(std::string_view column) const;
    // Does any column answer to it?
    bool has(std::string_view column) const;

    // Chooses what read() delivers. Called once, before the first read. Throws UnequalLengths.
    virtual void select(const std::vector<Selection>& columns) = 0;
    // The next rows, at most some megabytes; false when there are no more.
    virtual bool read(TableBlock& block) = 0;
    // For messages: "ps1.txt:812", "swat.xlsx, sheet Data, row 812".
    virtual std::string place(int64_t line) const = 0;

  protected:
    explicit Table(std::string name) : name_(std::move(name)) {}

    std::string name_;
    std::vector<std::string> columns_;
    std::vector<std::string> left_out_;
    bool named_ = false;
};

// The format is told by the first bytes of the file, then by its extension, unless the options say it.
std::unique_ptr<Table> open_table(const fs::path& path, const TableOptions& options = {});

// TableOptions::names for a table of these columns. Where it has a header, that must say the same (so that exports with
// a header and without one can be read alike); else, or where their number is another, an InputError.
std::vector<std::string> renamed_columns(const std::string& table, const std::vector<std::string>& columns,
                                         bool has_header, const std::vector<std::string>& names);

// "XMV(1..3)" → XMV(1), XMV(2), XMV(3); other names stay as they are.
std::vector<std::string> expand_names(const std::vector<std::string>& names);

}  // namespace cmr::io
