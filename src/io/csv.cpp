#include "io/csv.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "io/csv_convert.h"
#include "io/csv_layout.h"
#include "io/csv_source.h"

namespace cmr::io {
namespace {

constexpr size_t kBlockBytes = 2 << 20;    // a block and what it becomes stay in the cache
constexpr size_t kPieceBytes = 128 << 10;  // what a thread takes at a time

// Consecutive rows that one task works on.
struct Piece {
    std::string_view text;
    CsvIndex index;
    int64_t line = 0;
    int64_t first_row = 0;
};

class CsvTable : public Table {
  public:
    CsvTable(const fs::path& path, const TableOptions& options, size_t block_bytes)
        : Table(path.string()), source_(path, block_bytes), converter_(open(options)) {}

    void select(const std::vector<Selection>& columns) override { converter_.select(columns); }

    bool read(TableBlock& block) override {
        block.rows = 0;
        while (block.rows == 0) {  // a block of blank lines only is no end
            if (!source_.advance(line_)) return false;
            cut(source_.rows());
            index_pieces(block);
            if (!settled_ && block.rows > 0) settle_date_orders();
            convert_pieces(block);
        }
        return true;
    }

    std::string place(int64_t line) const override { return fmt::format("{}:{}", name_, line); }

  private:
    CsvConverter open(const TableOptions& options) {
        std::optional<CsvLayout> layout;
        for (size_t bytes = 256 << 10; !layout; bytes *= 4) {
            const std::string_view head = source_.head(bytes);
            layout = find_layout(name_, head, source_.head_is_all(), options);
            if (!layout && head.size() > kMaxRowBytes)
                throw InputError("{}: its first rows are longer than {} MB", name_, kMaxRowBytes >> 20);
        }
        source_.start(layout->begin, layout->dialect);
        dialect_ = layout->dialect;
        line_ = layout->line;
        columns_ = layout->columns;
        named_ = layout->named;
        return CsvConverter(name_, std::move(*layout), options);
    }

    // Only line ends outside quotes are row ends, so rows with quotes stay together.
    void cut(std::string_view text) {
        count_ = 0;
        while (!text.empty()) {
            const size_t size =
                source_.quotes() || text.size() <= kPieceBytes ? text.size() : next_row(text, kPieceBytes - 1);
            if (count_ == pieces_.size()) pieces_.emplace_back();
            pieces_[count_++].text = text.substr(0, size);
            text.remove_prefix(size);
        }
    }

    void build(CsvIndex& index, std::string_view text) const {
        if (source_.quotes())
            index.build_slowly(text, dialect_);
        else
            index.build(text, dialect_);
    }

    // The first task reads the next block meanwhile.
    void index_pieces(TableBlock& block) {
        parallel_for(1 + static_cast<int64_t>(count_), [&](int64_t i) {
            if (i == 0) return source_.prefetch();
            build(pieces_[i - 1].index, pieces_[i - 1].text);
        });
        for (size_t i = 0; i < count_; ++i) {
            pieces_[i].line = line_;
            pieces_[i].first_row = block.rows;
            line_ += pieces_[i].index.lines();
            block.rows += static_cast<int64_t>(pieces_[i].index.rows().size());
        }
        block.numbers.resize(block.rows * converter_.numbers_per_row());
        block.texts.resize(block.rows * converter_.texts_per_row());
        block.lines.resize(block.rows);
    }

    void settle_date_orders() {
        if (converter_.wants_date_orders()) {
            CsvIndex all;
            build(all, source_.rows());
            converter_.settle_date_orders(source_.rows(), all);
        }
        settled_ = true;
    }

    void convert_pieces(TableBlock& block) {
        parallel_for(static_cast<int64_t>(count_), [&](int64_t i) {
            const Piece& piece = pieces_[i];
            converter_.convert(piece.text, piece.index, piece.line, block, piece.first_row);
        });
    }

    CsvSource source_;
    CsvDialect dialect_;
    int64_t line_ = 1;  // where the next block begins
    bool settled_ = false;
    std::vector<Piece> pieces_;
    size_t count_ = 0;  // pieces in use
    CsvConverter converter_;
};

}  // namespace

std::unique_ptr<Table> open_csv(const fs::path& path, const TableOptions& options, size_t block_bytes) {
    return std::make_unique<CsvTable>(path, options, block_bytes);
}

std::unique_ptr<Table> open_csv(const fs::path& path, const TableOptions& options) {
    return open_csv(path, options, kBlockBytes);
}

}  // namespace cmr::io
