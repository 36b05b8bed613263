#include "io/xlsx/sheet_table.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/error.h"
#include "io/text/spelling.h"
#include "io/text/time.h"
#include "io/xlsx/cell.h"
#include "io/xlsx/sheet.h"

namespace cmr::io {
namespace {

class SheetTable : public Table {
  public:
    using Open = std::function<XmlReader::ReadBytes()>;

    SheetTable(const std::string& path, Workbook book, Open open, const TableOptions& options)
        : Table(fmt::format("{}, sheet {}", path, shown_sheet(book.sheet))),
          book_(std::move(book)),
          meaning_(book_, options),
          options_(options),
          open_(std::move(open)),
          reader_(open_(), name_) {
        find_header();
        first_data_row_ = ahead_.empty() ? 0 : ahead_[0].number;
        next_number_ = first_data_row_;
    }

    void select(const std::vector<Selection>& columns) override {
        int64_t numbers = 0, texts = 0;
        for (const Selection& s : columns) {
            const bool is_text = s.kind == ColumnKind::kText;
            wanted_.push_back({s.column, s.kind, is_text ? texts++ : numbers++, DateOrder::kUnknown});
        }
        number_width_ = static_cast<size_t>(numbers);
        text_width_ = static_cast<size_t>(texts);
        std::ranges::stable_sort(wanted_, {}, &Wanted::column);  // as the cells of a row are
        find_date_orders();
    }

    bool read(TableBlock& block) override {
        block.rows = 0;
        block.numbers.clear();
        block.texts.clear();
        block.lines.clear();
        constexpr size_t kValues = 1 << 17;
        const size_t most = std::max<size_t>(1, kValues / std::max<size_t>(1, number_width_ + text_width_));
        while (block.lines.size() < most && (!ahead_.empty() || pull())) {
            // Rows that the sheet leaves out are rows of absent values: they too are moments.
            const bool left_out = next_number_ < ahead_[0].number;
            block.lines.push_back(next_number_++);
            block.numbers.resize(block.lines.size() * number_width_, std::numeric_limits<double>::quiet_NaN());
            block.texts.resize(block.lines.size() * text_width_);
            if (left_out) continue;
            convert(ahead_[0], block);
            spare_ = std::move(ahead_[0]);
            ahead_.pop_front();
        }
        block.rows = static_cast<int64_t>(block.lines.size());
        return block.rows > 0;
    }

    std::string place(int64_t line) const override { return fmt::format("{}, row {}", name_, line); }

  private:
    struct Wanted {
        int64_t column;
        ColumnKind kind;
        int64_t slot;  // among the numbers or the texts of a row
        DateOrder order;
    };

    static std::string shown_sheet(const std::string& sheet) {
        const std::string quoted = shown(sheet);
        return quoted.substr(1, quoted.size() - 2);
    }

    // One more row into ahead_; false at the end of the sheet.
    bool pull() {
        if (!reader_.next(spare_)) return false;
        constexpr int64_t kLongestGap = 10'000;
        if (next_number_ > 0 && spare_.number - next_number_ > kLongestGap)
            throw InputError("{}: rows {} to {} are empty, expected one table without such a gap", name_, next_number_,
                             spare_.number - 1);
        ahead_.push_back(std::move(spare_));
        spare_ = {};
        return true;
    }

    bool has_cell(const SheetRow& row, std::string_view wanted) const {
        return std::ranges::any_of(row.cells,
                                   [&](const SheetCell& cell) { return meaning_.text(row, cell) == wanted; });
    }

    void find_header() {
        if (options_.header != "auto" && options_.header != "yes" && options_.header != "no")
            throw InputError("{}: header is {}, expected auto, yes or no", name_, shown(options_.header));
        const std::string wanted(trimmed(options_.header_column));
        do {
            ahead_.clear();
            if (!pull()) {
                if (wanted.empty()) throw InputError("{}: no cells{}", name_, skipped());
                throw InputError("{}: no row has the cell {}, which `header_column` names{}", name_, shown(wanted),
                                 skipped());
            }
        } while (ahead_[0].number <= options_.skip_rows || (!wanted.empty() && !has_cell(ahead_[0], wanted)));
        width_ = ahead_[0].cells.back().column + 1;
        has_header_ = !wanted.empty() || options_.header == "yes" || (options_.header == "auto" && looks_like_header());
        if (has_header_) {
            name_columns(ahead_[0]);
            ahead_.pop_front();
        }
        if (ahead_.empty() && !pull()) throw InputError("{}: a header, but no rows below it", name_);
        if (!options_.names.empty()) rename_columns();
        for (int64_t i = static_cast<int64_t>(columns_.size()); i < width_; ++i)
            columns_.push_back(std::to_string(i + 1));
    }

    std::string skipped() const {
        return options_.skip_rows > 0 ? fmt::format(" below the {} rows to skip", options_.skip_rows) : "";
    }

    // Is it a word, so neither a number nor a date nor absent?
    bool is_word(const SheetRow& row, const SheetCell& cell) const {
        const auto text = meaning_.words(row, cell);
        return text && !meaning_.number(row, cell) && !looks_like_date(*text) && !parse_time_of_day(*text);
    }

    // Only words; or a word above what is none.
    bool looks_like_header() {
        const auto words = [this](const SheetRow& row) {
            std::vector<int32_t> columns;
            for (const SheetCell& cell : row.cells)
                if (is_word(row, cell)) columns.push_back(cell.column);
            return columns;
        };
        const std::vector<int32_t> first = words(ahead_[0]);
        if (first.size() == ahead_[0].cells.size()) return true;
        if (!pull()) return false;
        const std::vector<int32_t> second = words(ahead_[1]);
        return std::ranges::any_of(ahead_[1].cells, [&](const SheetCell& cell) {
            return std::ranges::binary_search(first, cell.column) && !std::ranges::binary_search(second, cell.column);
        });
    }

    void name_columns(const SheetRow& header) {
        named_ = true;
        for (int64_t i = 0; i < width_; ++i) columns_.push_back(std::to_string(i + 1));
        for (const SheetCell& cell : header.cells) {
            std::string name = meaning_.text(header, cell);
            if (!name.empty()) columns_[static_cast<size_t>(cell.column)] = std::move(name);
        }
    }

    void rename_columns() {
        columns_.resize(static_cast<size_t>(width_));
        columns_ = renamed_columns(name_, columns_, has_header_, options_.names);
        named_ = true;
    }

    void observe(const SheetRow& row, std::vector<DateOrderGuess>& guesses) const {
        for (const SheetCell& cell : row.cells)
            for (size_t i = 0; i < wanted_.size(); ++i)
                if (wanted_[i].kind == ColumnKind::kTime && wanted_[i].column == cell.column)
                    if (const auto text = meaning_.words(row, cell)) guesses[i].observe(*text);
    }

    // The rows at hand nearly always tell; where 1/2/2015 stands there, the sheet is read up to a date that does.
    void find_date_orders() {
        std::vector<DateOrderGuess> guesses(wanted_.size(), DateOrderGuess(options_.date_order));
        for (const SheetRow& row : ahead_) observe(row, guesses);
        const auto any_open = [&] { return std::ranges::any_of(guesses, &DateOrderGuess::open); };
        if (any_open()) {
            SheetReader again(open_(), name_);
            SheetRow row;
            while (any_open() && again.next(row))
                if (row.number >= first_data_row_) observe(row, guesses);
        }
        for (size_t i = 0; i < wanted_.size(); ++i)
            if (wanted_[i].kind == ColumnKind::kTime)
                wanted_[i].order = guesses[i].settle(name_, columns_[static_cast<size_t>(wanted_[i].column)]);
    }

    void convert(const SheetRow& row, TableBlock& block) const {
        // Beside a header, notes may stand; without one, a row that is wider than the first is a defect.
        if (!has_header_ && row.cells.back().column >= width_)
            throw InputError("{}: {} columns, expected {} as in the first row", place(row.number),
                             row.cells.back().column + 1, width_);
        double* numbers = block.numbers.data() + block.numbers.size() - number_width_;
        std::string* texts = block.texts.data() + block.texts.size() - text_width_;
        auto cell = row.cells.begin();
        for (const Wanted& wanted : wanted_) {
            while (cell != row.cells.end() && cell->column < wanted.column) ++cell;
            if (cell == row.cells.end()) return;
            if (cell->column != wanted.column) continue;
            if (wanted.kind == ColumnKind::kText) {
                texts[wanted.slot] = meaning_.text(row, *cell);
                continue;
            }
            const bool is_number = wanted.kind == ColumnKind::kNumber;
            const auto value = is_number ? meaning_.number(row, *cell) : meaning_.time(row, *cell, wanted.order);
            if (!value) refuse(row, *cell, wanted);
            numbers[wanted.slot] = *value;
        }
    }

    [[noreturn]] void refuse(const SheetRow& row, const SheetCell& cell, const Wanted& wanted) const {
        const std::string& column = columns_[static_cast<size_t>(wanted.column)];
        const std::string text = meaning_.text(row, cell);
        if (wanted.kind == ColumnKind::kTime && wanted.order == DateOrder::kUnknown && looks_like_date(text))
            fail_ambiguous_date(place(row.number), column, text);
        throw InputError("{}: column {} holds {}, expected a {}", place(row.number), shown(column), shown(text),
                         wanted.kind == ColumnKind::kNumber ? "number" : "time");
    }

    Workbook book_;
    CellMeaning meaning_;
    TableOptions options_;
    Open open_;
    SheetReader reader_;
    SheetRow spare_;
    std::deque<SheetRow> ahead_;  // read, but not delivered
    int64_t width_ = 0;
    bool has_header_ = false;
    int64_t first_data_row_ = 0;
    int64_t next_number_ = 0;  // of the row to deliver; 0 before the first
    std::vector<Wanted> wanted_;
    size_t number_width_ = 0, text_width_ = 0;
};

}  // namespace

std::unique_ptr<Table> open_sheet(const std::string& path, Workbook book, std::function<XmlReader::ReadBytes()> open,
                                  const TableOptions& options) {
    return std::make_unique<SheetTable>(path, std::move(book), std::move(open), options);
}

}  // namespace cmr::io
