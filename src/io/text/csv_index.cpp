#include "io/text/csv_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cmr::io {
namespace {

constexpr size_t kWord = 64;  // letters looked at together: one bit each

#if defined(__SSE2__)
// Which of 64 letters are `c`?
struct Letters {
    explicit Letters(const char* at) {
        for (size_t i = 0; i < 4; ++i) part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    }
    uint64_t equal(char c) const {
        const __m128i wanted = _mm_set1_epi8(c);
        uint64_t bits = 0;
        for (size_t i = 0; i < 4; ++i)
            bits |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part[i], wanted)))} << 16 * i;
        return bits;
    }
    __m128i part[4];
};
#else
struct Letters {
    explicit Letters(const char* at) : letters(at) {}
    uint64_t equal(char c) const {
        uint64_t bits = 0;
        for (size_t i = 0; i < kWord; ++i) bits |= uint64_t{letters[i] == c} << i;
        return bits;
    }
    const char* letters;
};
#endif

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Behind the quote that closes the one at `at`; npos if none does.
size_t skip_quoted(std::string_view text, size_t at) {
    for (;;) {
        at = text.find(kQuote, at + 1);
        if (at == std::string_view::npos) return at;
        if (at + 1 >= text.size() || text[at + 1] != kQuote) return at + 1;
        ++at;
    }
}

}  // namespace

void CsvIndex::clear() {
    rows_.clear();
    count_ = lines_ = 0;
    consumed_ = 0;
    open_quote_ = too_wide_ = false;
}

void CsvIndex::begin_row(uint32_t at) {
    reserve(kWord + 2);
    row_first_ = count_;
    ends_[count_++] = at - 1;  // wraps at the beginning of the text, and back when 1 is added
}

// The row end at `at` is already among the ends.
void CsvIndex::end_row(std::string_view text, const CsvDialect& dialect, uint32_t at) {
    const uint32_t cells = count_ - row_first_ - 1;
    const uint32_t begin = ends_[row_first_] + 1;
    const bool blank =
        cells == 1 && std::all_of(text.begin() + begin, text.begin() + at, [&](char c) { return dialect.is_blank(c); });
    if (blank) {
        count_ = row_first_;
    } else {
        rows_.push_back({row_first_, cells, lines_});
    }
}

void CsvIndex::build(std::string_view text, const CsvDialect& dialect, bool carriage_returns) {
    if (carriage_returns)
        build_fast<true>(text, dialect);
    else
        build_fast<false>(text, dialect);
}

template <bool kCarriageReturns>
void CsvIndex::build_fast(std::string_view text, const CsvDialect& dialect) {
    const bool blanks = dialect.delimiter == ' ';
    clear();
    begin_row(0);
    uint64_t no_cell_before = 1;  // blank-separated: did the word before end with a blank or a line end?
    for (size_t base = 0; base < text.size(); base += kWord) {
        std::array<char, kWord> rest{};
        const char* at = text.data() + base;
        if (text.size() - base < kWord) at = static_cast<char*>(std::memcpy(rest.data(), at, text.size() - base));
        const Letters letters(at);
        uint64_t line_ends = letters.equal('\n');
        if constexpr (kCarriageReturns) line_ends |= letters.equal('\r');
        uint64_t ends = letters.equal(dialect.delimiter);
        if (blanks) {
            // A cell ends at the first blank behind it.
            const uint64_t gaps = ends | letters.equal('\t');
            ends = gaps & ~((gaps | line_ends) << 1 | no_cell_before);
            no_cell_before = (gaps | line_ends) >> (kWord - 1);
        }
        ends |= line_ends;
        reserve(kWord);
        if (line_ends == 0) {
            uint32_t* out = ends_.data() + count_;
            for (; ends != 0; ends &= ends - 1) *out++ = static_cast<uint32_t>(base) + std::countr_zero(ends);
            count_ = static_cast<uint32_t>(out - ends_.data());
            too_wide_ = count_ - row_first_ - 1 > kMaxColumns;
            if (too_wide_) return;
            continue;
        }
        for (; ends != 0; ends &= ends - 1) {
            const int bit = std::countr_zero(ends);
            const auto position = static_cast<uint32_t>(base) + static_cast<uint32_t>(bit);
            const bool behind_cr = position > 0 && text[position] == '\n' && text[position - 1] == '\r';
            if (!behind_cr) ends_[count_++] = position;
            if ((line_ends >> bit & 1) == 0) continue;
            if (behind_cr) {
                count_ = row_first_;  // the row ended at the CR, and a new one was begun too early
            } else {
                end_row(text, dialect, position);
                ++lines_;
            }
            begin_row(position + 1);
        }
    }
}

void CsvIndex::build_slowly(std::string_view text, const CsvDialect& dialect, size_t max_rows) {
    const bool blanks = dialect.delimiter == ' ';
    clear();
    begin_row(0);
    size_t at = 0;
    while (at < text.size() && rows_.size() < max_rows) {
        while (at < text.size() && dialect.is_blank(text[at])) ++at;
        if (at < text.size() && text[at] == kQuote) {
            at = skip_quoted(text, at);
            open_quote_ = at == std::string_view::npos;
            if (open_quote_) return;
        }
        const auto ends_cell = [&](char c) {
            return is_line_end(c) || (blanks ? dialect.is_blank(c) : c == dialect.delimiter);
        };
        while (at < text.size() && !ends_cell(text[at])) ++at;
        if (at >= text.size()) return;
        reserve(kWord);
        ends_[count_++] = static_cast<uint32_t>(at);
        if (!is_line_end(text[at])) {
            too_wide_ = count_ - row_first_ - 1 > kMaxColumns;
            if (too_wide_) return;
            ++at;
            continue;
        }
        end_row(text, dialect, static_cast<uint32_t>(at));
        at += text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
        lines_ += static_cast<uint32_t>(count_lines(text.substr(consumed_, at - consumed_)));
        consumed_ = at;
        begin_row(static_cast<uint32_t>(at));
    }
}

int64_t count_lines(std::string_view text) {
    int64_t lines = 0;
    for (size_t i = 0; i < text.size(); ++i)
        lines += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n'));
    return lines;
}

size_t next_row(std::string_view text, size_t at, bool carriage_returns) {
    // Two searches for one letter each are much faster than one for both.
    const size_t lf = text.find('\n', at);
    const size_t cr = carriage_returns ? text.substr(0, lf).find('\r', at) : std::string_view::npos;
    if (cr == std::string_view::npos) return lf == std::string_view::npos ? lf : lf + 1;
    return cr + (cr + 1 == lf ? 2 : 1);
}

size_t last_row_end(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text.find_last_of("\r\n") + 1;
}

std::string_view clean_cell(std::string_view cell, std::string& buffer) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto trim = [&] {
        while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
        while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    };
    trim();
    if (!cell.starts_with(kQuote) || skip_quoted(cell, 0) != cell.size()) return cell;
    cell = cell.substr(1, cell.size() - 2);
    if (cell.find(kQuote) != std::string_view::npos) {
        buffer.clear();
        for (size_t i = 0; i < cell.size(); ++i) {
            buffer.push_back(cell[i]);
            if (cell[i] == kQuote) ++i;  // its double
        }
        cell = buffer;
    }
    trim();
    return cell;
}

}  // namespace cmr::io
