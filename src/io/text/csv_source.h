#pragma once
// A text file in blocks of whole rows. The next block can be read while the rows of the current one are worked on.

#include <exception>
#include <functional>
#include <optional>
#include <span>

#include "io/file.h"
#include "io/text/csv_index.h"

namespace cmr::io {

// A longer row is an error: it is the sign of a quote that was never closed, or of a file that is no table.
inline constexpr size_t kMaxRowBytes = 64 << 20;

// Bytes as they come: waits for some and says how many; 0 at their end.
using ByteReader = std::function<size_t(std::span<std::byte>)>;

class CsvSource {
  public:
    CsvSource(const fs::path& path, size_t block_bytes);
    // Blocks are what is there.
    CsvSource(std::string name, ByteReader live, size_t block_bytes);

    bool live() const { return live_ != nullptr; }

    // The beginning of the file without a byte order mark, about so many bytes unless it is shorter; the last row of
    // the file has a line end even if the file gives it none. Only before start().
    std::string_view head(size_t bytes);
    bool head_is_all() const { return at_end_; }

    // Begins the blocks at this place of the head.
    void start(size_t offset, const CsvDialect& dialect);

    // Makes the next block, which begins at this line of the file, the current one; false at the end of the file.
    bool advance(int64_t line);
    // Whole rows, each with its line end; some more bytes behind them are readable.
    std::string_view rows() const { return std::string_view(current_.text).substr(0, current_.rows); }

    // May some of them be quoted?
    bool quotes() const { return current_.quotes; }
    // May some of them end with CR or CRLF?
    bool carriage_returns() const { return current_.carriage_returns; }

    // Reads the block behind the current one; what goes wrong is told by advance().
    void prefetch() noexcept;

  private:
    struct Block {
        std::string text;  // and padding
        size_t size = 0;   // of the text
        size_t rows = 0;   // whole rows in it; the rest begins the next block
        bool quotes = false;
        bool carriage_returns = false;
    };

    // What is wrong so many lines behind the beginning of a block.
    struct Defect {
        int64_t lines = 0;
        std::string text;
    };

    size_t worth_asking(size_t bytes) const;
    size_t read(char* to, size_t bytes);
    void load(Block& block, std::string_view carried);
    size_t whole_rows(const Block& block) const;
    bool is_too_wide(const Block& block) const;

    std::string name_;
    std::optional<InputFile> file_;
    ByteReader live_;  // in place of a file
    size_t block_bytes_;
    CsvDialect dialect_;
    std::string head_;
    size_t head_used_ = 0;  // of the head, in blocks
    uint64_t bytes_read_ = 0;
    bool at_end_ = false;
    Block current_, next_;
    bool ready_ = false;  // is the next block there, or its failure?
    std::exception_ptr failure_;
};

}  // namespace cmr::io
