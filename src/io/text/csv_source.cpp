#include "io/text/csv_source.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "io/text/number.h"

namespace cmr::io {
namespace {

struct Seen {
    bool zero_or_quote = false;
    bool carriage_return = false;
};

// One pass for all, in chunks without branches, which the compiler turns into vectors.
Seen look_for_special(std::string_view text) {
    constexpr size_t kChunk = 4096;
    Seen seen;
    for (size_t begin = 0; begin < text.size(); begin += kChunk) {
        unsigned char special = 0, cr = 0;
        for (const char c : text.substr(begin, kChunk)) {
            special |= (c == 0) | (c == kQuote);
            cr |= c == '\r';
        }
        seen.zero_or_quote |= special != 0;
        seen.carriage_return |= cr != 0;
    }
    return seen;
}

bool lacks_line_end(std::string_view text) { return !text.empty() && text.back() != '\n' && text.back() != '\r'; }

}  // namespace

CsvSource::CsvSource(const fs::path& path, size_t block_bytes)
    : name_(path.string()), file_(path), block_bytes_(block_bytes) {}

CsvSource::CsvSource(std::string name, ByteReader live, size_t block_bytes)
    : name_(std::move(name)), live_(std::move(live)), block_bytes_(block_bytes) {}

// Not more than the file seems to have left, so that small files get small buffers; one byte more finds the end.
size_t CsvSource::worth_asking(size_t bytes) const {
    if (!file_ || file_->size() == 0) return bytes;  // a pipe
    const uint64_t unread = file_->size() > bytes_read_ ? file_->size() - bytes_read_ : 0;
    return std::min<uint64_t>(bytes, head_.size() - head_used_ + unread + 1);
}

size_t CsvSource::read(char* to, size_t bytes) {
    // First what was looked at already.
    const size_t again = std::min(bytes, head_.size() - head_used_);
    std::memcpy(to, head_.data() + head_used_, again);
    head_used_ += again;
    if (again == bytes || (live() && again > 0)) return again;
    const auto rest = std::as_writable_bytes(std::span(to + again, bytes - again));
    const size_t got = live() ? live_(rest) : file_->read(rest);
    bytes_read_ += got;
    at_end_ = live() ? got == 0 : again + got < bytes;
    if (at_end_ && !live() && bytes_read_ < file_->size())
        throw InputError("{}: became shorter while it was read: {} bytes of {}", name_, bytes_read_, file_->size());
    return again + got;
}

std::string_view CsvSource::head(size_t bytes) {
    const bool first = head_.empty();
    const size_t before = head_.size();
    if (bytes > before && !at_end_) {
        head_used_ = before;
        std::string more(worth_asking(bytes - before), '\0');
        more.resize(read(more.data(), more.size()));
        head_ += more;
        head_used_ = 0;
    }
    if (first && (head_.starts_with("\xff\xfe") || head_.starts_with("\xfe\xff")))
        throw InputError("{}: is UTF-16; save it as UTF-8", name_);
    if (first && head_.starts_with("\xef\xbb\xbf")) head_.erase(0, 3);
    if (head_.find('\0', before) != std::string::npos)
        throw InputError("{}: holds zero bytes, so it is binary, or UTF-16, which must be saved as UTF-8", name_);
    if (at_end_ && lacks_line_end(head_)) head_ += '\n';
    return head_;
}

void CsvSource::start(size_t offset, const CsvDialect& dialect) {
    head_used_ = offset;
    dialect_ = dialect;
    at_end_ = false;
}

bool CsvSource::advance(int64_t line) {
    if (!ready_) prefetch();
    ready_ = false;
    try {
        if (failure_) std::rethrow_exception(failure_);
    } catch (const Defect& defect) {
        throw InputError("{}:{}: {}", name_, line + defect.lines, defect.text);
    }
    std::swap(current_, next_);
    return current_.rows > 0;
}

void CsvSource::prefetch() noexcept {
    try {
        load(next_, std::string_view(current_.text).substr(current_.rows, current_.size - current_.rows));
    } catch (...) {
        failure_ = std::current_exception();
    }
    ready_ = true;
}

// Where the last whole row ends; 0 where none does yet.
size_t CsvSource::whole_rows(const Block& block) const {
    std::string_view text(block.text.data(), block.size);
    if (!block.quotes) return at_end_ ? text.size() : last_row_end(text);
    CsvIndex index;
    if (!at_end_ && text.ends_with('\r')) text.remove_suffix(1);
    index.build_slowly(text, dialect_);
    const bool too_long = text.size() - index.consumed() >= kMaxRowBytes;
    if (index.open_quote() && (at_end_ || too_long))
        throw Defect{index.lines(), "a quote is opened in this row and never closed"};
    return index.consumed();
}

// Told from the beginning of a row, so that the rest of it need not be in memory.
bool CsvSource::is_too_wide(const Block& block) const {
    if (block.quotes || dialect_.delimiter == ' ') return false;  // not every delimiter ends a cell
    const char* text = block.text.data();
    return std::count(text, text + block.size, dialect_.delimiter) > int64_t{kMaxColumns};
}

void CsvSource::load(Block& block, std::string_view carried) {
    constexpr size_t kPadding = kQuickNumberReach;
    block.size = carried.size();
    block.rows = 0;
    block.quotes = carried.find(kQuote) != std::string_view::npos;
    block.carriage_returns = carried.find('\r') != std::string_view::npos;
    if (block.text.size() < carried.size() + 1 + kPadding) block.text.resize(carried.size() + 1 + kPadding);
    std::copy(carried.begin(), carried.end(), block.text.begin());
    while (block.rows == 0 && !(at_end_ && block.size == 0)) {
        if (!at_end_) {
            // Doubling, so that a row of many blocks is not searched from its beginning too often.
            const size_t growth = std::min(block.size, kMaxRowBytes + 1 - block.size);
            const size_t wanted = worth_asking(block.size < block_bytes_ ? block_bytes_ : growth);
            const size_t room = block.size + wanted + 1 + kPadding;
            if (block.text.size() < room) block.text.resize(room);
            const size_t got = read(block.text.data() + block.size, wanted);
            const std::string_view fresh(block.text.data() + block.size, got);
            const Seen seen = look_for_special(fresh);
            block.carriage_returns |= seen.carriage_return;
            if (seen.zero_or_quote) {
                block.quotes |= fresh.find(kQuote) != std::string_view::npos;
                if (const size_t zero = fresh.find('\0'); zero != std::string_view::npos) {
                    const std::string_view before(block.text.data(), block.size + zero);
                    throw Defect{count_lines(before), "a zero byte, so the file is binary or damaged"};
                }
            }
            block.size += got;
            if (at_end_ && lacks_line_end({block.text.data(), block.size})) block.text[block.size++] = '\n';
        }
        block.rows = whole_rows(block);
        if (block.rows == 0 && is_too_wide(block)) throw Defect{0, kTooWide};
        if (block.rows == 0 && block.size > kMaxRowBytes)
            throw Defect{0, fmt::format("a row of more than {} MB", kMaxRowBytes >> 20)};
    }
}

}  // namespace cmr::io
