#include "io/text/csv.h"

#include <algorithm>
#include <latch>

#include "base/error.h"
#include "base/parallel.h"
#include "io/text/csv_convert.h"
#include "io/text/csv_layout.h"
#include "io/text/csv_source.h"

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

// Counts a task as done however it ends.
struct Arrival {
    ~Arrival() { latch.count_down(); }
    std::latch& latch;
};

class CsvTable : public Table {
  public:
    CsvTable(const fs::path& path, const TableOptions& options, size_t block_bytes)
        : Table(path.string()), source_(path, block_bytes), converter_(open(options)) {}
    CsvTable(const std::string& name, ByteReader live, const TableOptions& options)
        : Table(name), source_(name, std::move(live), kPieceBytes), converter_(open(options)) {}

    void select(const std::vector<Selection>& columns) override { converter_.select(columns); }

    bool read(TableBlock& block) override {
        block.rows = 0;
        while (block.rows == 0) {  // a block of blank lines only is no end
            if (!source_.advance(line_)) return false;
            cut(source_.rows());
            read_pieces(block);
        }
        return true;
    }

    std::string place(int64_t line) const override { return fmt::format("{}:{}", name_, line); }

  private:
    CsvConverter open(const TableOptions& options) {
        std::optional<CsvLayout> layout;
        for (size_t bytes = 256 << 10; !layout;) {
            const std::string_view head = source_.head(bytes);
            layout = find_layout(name_, head, source_.head_is_all(), options);
            if (layout || head.size() < bytes) continue;  // of what is live, more may come
            if (bytes > kMaxRowBytes)
                throw InputError("{}: its first rows are longer than {} MB", name_, kMaxRowBytes >> 20);
            bytes = std::min(4 * bytes, kMaxRowBytes + 1);
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
            const bool whole = source_.quotes() || text.size() <= kPieceBytes;
            const size_t size = whole ? text.size() : next_row(text, kPieceBytes - 1, source_.carriage_returns());
            if (count_ == pieces_.size()) pieces_.emplace_back();
            pieces_[count_++].text = text.substr(0, size);
            text.remove_prefix(size);
        }
    }

    void build(CsvIndex& index, std::string_view text) const {
        if (source_.quotes())
            index.build_slowly(text, dialect_);
        else
            index.build(text, dialect_, source_.carriage_returns());
    }

    // In this order: read the next block, find the cells of each piece, place the pieces, convert each. Tasks are
    // taken in order, so one that waits waits only for others that run: threads need to be woken once for all of them.
    void read_pieces(TableBlock& block) {
        const auto count = static_cast<int64_t>(count_);
        std::latch indexed(count);
        std::latch placed(1);
        bool ready = false;
        parallel_for(2 + 2 * count, [&](int64_t task) {
            if (task == 0) return source_.live() ? void() : source_.prefetch();  // which may wait for long
            if (task <= count) {
                const Arrival arrival{indexed};
                build(pieces_[task - 1].index, pieces_[task - 1].text);
            } else if (task == count + 1) {
                const Arrival arrival{placed};
                indexed.wait();
                place_pieces(block);
                ready = true;
            } else {
                placed.wait();
                const Piece& piece = pieces_[task - count - 2];
                if (ready) converter_.convert(piece.text, piece.index, piece.line, block, piece.first_row);
            }
        });
    }

    void place_pieces(TableBlock& block) {
        for (size_t i = 0; i < count_; ++i) {
            pieces_[i].line = line_;
            pieces_[i].first_row = block.rows;
            line_ += pieces_[i].index.lines();
            if (pieces_[i].index.too_wide()) refuse_wide_row(name_, line_);
            block.rows += static_cast<int64_t>(pieces_[i].index.rows().size());
        }
        block.numbers.resize(block.rows * converter_.numbers_per_row());
        block.texts.resize(block.rows * converter_.texts_per_row());
        block.lines.resize(block.rows);
        if (!settled_ && block.rows > 0) settle_date_orders();
    }

    void settle_date_orders() {
        if (converter_.wants_date_orders()) {
            CsvIndex all;
            build(all, source_.rows());
            converter_.settle_date_orders(source_.rows(), all);
        }
        settled_ = true;
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

std::unique_ptr<Table> open_live_csv(const std::string& name, ByteReader bytes, const TableOptions& options) {
    return std::make_unique<CsvTable>(name, std::move(bytes), options);
}

}  // namespace cmr::io
