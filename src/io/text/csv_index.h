#pragma once
// Where the cells of a text are. Finding all ends first and converting afterwards is what makes reading fast: neither
// step waits for the other's last result.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::io {

struct CsvDialect {
    char delimiter = ',';  // a blank: runs of blanks and tabs, also in front of the first cell
    char point = '.';

    bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter != '\t'); }
};

inline constexpr char kQuote = '"';

// More in a row are the sign of a file that is no table, and would take memory without end.
inline constexpr uint32_t kMaxColumns = 1'000'000;
inline constexpr const char* kTooWide = "more than 1,000,000 columns, expected at most so many; is the file a table?";

class CsvIndex {
  public:
    struct Row {
        uint32_t first = 0;  // into the ends
        uint32_t cells = 0;
        uint32_t line = 0;  // lines of the text before it
    };

    // All rows of a text without quotes that ends with a row end (LF, CRLF or CR). Blank lines are left out. Faster
    // where the caller knows that there is no CR.
    void build(std::string_view text, const CsvDialect& dialect, bool carriage_returns = true);
    // The same of any text, letter by letter, up to so many rows; `text` may end anywhere. A quoted cell, in which
    // delimiters and line ends count as letters, begins with a quote, perhaps behind blanks.
    void build_slowly(std::string_view text, const CsvDialect& dialect,
                      size_t max_rows = std::numeric_limits<size_t>::max());

    const std::vector<Row>& rows() const { return rows_; }
    uint32_t lines() const { return lines_; }  // line ends in the text, blank lines and those in quotes included
    // Does the row behind them have more than kMaxColumns? It is the last that was looked at.
    bool too_wide() const { return too_wide_; }

    // Only after build_slowly: the text behind the last row end, and whether it ends inside a quoted cell.
    size_t consumed() const { return consumed_; }
    bool open_quote() const { return open_quote_; }

    uint32_t begin(const Row& row, int64_t cell) const { return ends_[row.first + cell] + 1; }
    uint32_t end(const Row& row, int64_t cell) const { return ends_[row.first + cell + 1]; }
    // Of this cell and those behind it: a cell lies between one of them + 1 and the next.
    const uint32_t* ends(const Row& row, int64_t cell) const { return ends_.data() + row.first + cell; }
    std::string_view cell(std::string_view text, const Row& row, int64_t cell) const {
        return text.substr(begin(row, cell), end(row, cell) - begin(row, cell));
    }

  private:
    template <bool kCarriageReturns>
    void build_fast(std::string_view text, const CsvDialect& dialect);
    void begin_row(uint32_t at);
    void clear();
    void end_row(std::string_view text, const CsvDialect& dialect, uint32_t at);
    void reserve(size_t more) {
        if (count_ + more > ends_.size()) ends_.resize(2 * (count_ + more));
    }

    // Per row: the position before its first letter, then the position behind each cell.
    std::vector<uint32_t> ends_;
    uint32_t count_ = 0;  // how many are in use
    std::vector<Row> rows_;
    uint32_t row_first_ = 0;  // of the row being built
    uint32_t lines_ = 0;
    size_t consumed_ = 0;
    bool open_quote_ = false;
    bool too_wide_ = false;
};

// LF, CRLF and CR in a text.
int64_t count_lines(std::string_view text);

// Behind the next line end; npos if there is none.
size_t next_row(std::string_view text, size_t at, bool carriage_returns = true);

// Where the last row of a text ends, 0 if none does. A CR at the very end may be half of a CRLF and does not count.
size_t last_row_end(std::string_view text);

// What stands between blanks; a quoted cell without its quotes. `buffer` holds the letters where quotes were doubled.
std::string_view clean_cell(std::string_view cell, std::string& buffer);

}  // namespace cmr::io
