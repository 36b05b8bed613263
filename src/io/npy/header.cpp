#include "io/npy/header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "io/text/spelling.h"

namespace cmr::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kLongestHeader = 1 << 20;  // NumPy itself writes some hundred bytes, and reads 10,000 by default
constexpr size_t kMostDimensions = 32;      // NumPy's own limit

// The dict literal, from left to right.
class HeaderParser {
  public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader parse() {
        std::optional<std::string> type;
        std::optional<bool> fortran_order;
        std::optional<std::vector<int64_t>> shape;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr" && !type)
                type = descr();
            else if (key == "fortran_order" && !fortran_order)
                fortran_order = boolean();
            else if (key == "shape" && !shape)
                shape = dimensions();
            else
                refuse(fmt::format("the key {}", shown(key)), "descr, fortran_order and shape once each");
            if (!accept(',') && !next_is('}')) refuse(rest(), "',' or '}'");
        }
        skip_blanks();
        if (at_ != text_.size()) refuse(rest(), "the end of the header");
        if (!type || !fortran_order || !shape)
            throw InputError("{}: its header lacks {}", name_,
                             !type            ? "descr"
                             : !fortran_order ? "fortran_order"
                                              : "shape");
        return {std::move(*type), *fortran_order, std::move(*shape), 0};
    }

  private:
    [[noreturn]] void refuse(const std::string& found, const std::string& wanted) const {
        throw InputError("{}: its header holds {} at character {}, expected {}", name_, found, at_ + 1, wanted);
    }
    std::string rest() const { return at_ < text_.size() ? shown(text_.substr(at_, 20)) : std::string("nothing more"); }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    bool next_is(char c) {
        skip_blanks();
        return at_ < text_.size() && text_[at_] == c;
    }
    bool accept(char c) {
        if (!next_is(c)) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) refuse(rest(), fmt::format("'{}'", c));
    }

    std::string quoted() {
        if (!next_is('\'') && !next_is('"')) refuse(rest(), "a text in quotes");
        const char quote = text_[at_];
        const size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) refuse(rest(), "a closing quote");
        std::string text(text_.substr(at_ + 1, end - at_ - 1));
        if (text.find('\\') != std::string::npos) refuse(rest(), "a text without backslashes");
        at_ = end + 1;
        return text;
    }

    // A plain type is a text; a structured one is a list, kept as it stands for the message that refuses it.
    std::string descr() {
        if (!next_is('[')) return quoted();
        const size_t begin = at_;
        int depth = 0;
        do {
            if (next_is('\'') || next_is('"')) {
                quoted();
                continue;
            }
            if (at_ >= text_.size()) refuse(rest(), "']'");
            const char c = text_[at_++];
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
        } while (depth > 0);
        return std::string(text_.substr(begin, at_ - begin));
    }

    bool boolean() {
        skip_blanks();
        for (const std::string_view word : {"False", "True"}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return word == "True";
        }
        refuse(rest(), "True or False");
    }

    std::vector<int64_t> dimensions() {
        std::vector<int64_t> shape;
        expect('(');
        while (!accept(')')) {
            skip_blanks();
            int64_t extent = 0;
            const char* begin = text_.data() + at_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
            if (error != std::errc() || extent < 0) refuse(rest(), "a dimension");
            if (shape.size() == kMostDimensions) refuse(rest(), "at most 32 dimensions");
            at_ += static_cast<size_t>(end - begin);
            shape.push_back(extent);
            // (3) is a number in Python, (3,) a shape; versions before 2 of Python wrote 3L.
            accept('L');
            if (!accept(',') && (shape.size() == 1 || !next_is(')'))) refuse(rest(), "','");
        }
        return shape;
    }

    std::string_view text_;
    const std::string& name_;
    size_t at_ = 0;
};

template <typename Bits>
Bits swapped(Bits bits) {
    if constexpr (sizeof bits == 2) return __builtin_bswap16(bits);
    if constexpr (sizeof bits == 4) return __builtin_bswap32(bits);
    if constexpr (sizeof bits == 8) return __builtin_bswap64(bits);
    return bits;
}

template <typename Value, typename Bits, bool kSwap>
void decode(const std::byte* from, size_t from_step, double* to, size_t to_step, size_t count) {
    static_assert(sizeof(Value) == sizeof(Bits));
    for (size_t i = 0; i < count; ++i, from += from_step, to += to_step) {
        Bits bits;
        __builtin_memcpy(&bits, from, sizeof bits);
        if constexpr (kSwap) bits = swapped(bits);
        *to = static_cast<double>(std::bit_cast<Value>(bits));
    }
}

// NumPy stores True as 1; anything else than 0 is true.
void decode_bool(const std::byte* from, size_t from_step, double* to, size_t to_step, size_t count) {
    for (size_t i = 0; i < count; ++i, from += from_step, to += to_step) *to = *from != std::byte{0};
}

struct TypeEntry {
    std::string_view name;  // without the sign of the byte order
    size_t bytes;
    DecodeNpy native;
    DecodeNpy foreign;
};

template <typename Value, typename Bits>
constexpr TypeEntry entry(std::string_view name) {
    return {name, sizeof(Value), decode<Value, Bits, false>, decode<Value, Bits, true>};
}

constexpr std::array kTypes = {
    entry<float, uint32_t>("f4"),
    entry<double, uint64_t>("f8"),
    entry<int8_t, uint8_t>("i1"),
    entry<int16_t, uint16_t>("i2"),
    entry<int32_t, uint32_t>("i4"),
    entry<int64_t, uint64_t>("i8"),
    entry<uint8_t, uint8_t>("u1"),
    entry<uint16_t, uint16_t>("u2"),
    entry<uint32_t, uint32_t>("u4"),
    entry<uint64_t, uint64_t>("u8"),
    TypeEntry{"b1", 1, decode_bool, decode_bool},
};

static_assert(std::endian::native == std::endian::little, "the signs < and > are read for such a processor");

}  // namespace

NpyHeader read_npy_header(const ReadBytes& read, const std::string& name) {
    std::array<char, 12> start;
    const auto take = [&](std::span<char> bytes) {
        if (read(std::as_writable_bytes(bytes)) != bytes.size())
            throw InputError("{}: ends within the header; it may be cut short", name);
    };
    take(std::span(start).first(8));
    if (std::string_view(start.data(), kMagic.size()) != kMagic)
        throw InputError("{}: does not begin with the bytes \\x93NUMPY, so it is no .npy", name);
    const int major = static_cast<unsigned char>(start[6]);
    const int minor = static_cast<unsigned char>(start[7]);
    if (major < 1 || major > 3 || minor != 0)
        throw InputError("{}: version {}.{} of .npy, expected 1.0, 2.0 or 3.0", name, major, minor);
    const size_t length_bytes = major == 1 ? 2 : 4;
    take(std::span(start).subspan(8, length_bytes));
    size_t length = 0;
    for (size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(start[8 + i]);
    if (length > kLongestHeader)
        throw InputError("{}: its header would be {} bytes long, expected at most {}", name, length, kLongestHeader);
    std::string text(length, '\0');
    take(text);
    NpyHeader header = HeaderParser(text, name).parse();
    header.bytes = 8 + length_bytes + length;
    return header;
}

std::string tuple_text(const std::vector<int64_t>& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyType npy_type(const std::string& type, const std::string& name) {
    const char order = type.empty() ? '\0' : type[0];
    for (const TypeEntry& known : kTypes) {
        if (std::string_view(type).substr(std::min<size_t>(type.size(), 1)) != known.name) continue;
        if (order == '|' && known.bytes > 1) continue;
        if (order == '<' || order == '|' || order == '=') return {known.bytes, known.native};
        if (order == '>') return {known.bytes, known.foreign};
    }
    const char letter = type.size() > 1 ? type[1] : '\0';
    throw InputError("{}: holds values of type {}{}, expected numbers: f4, f8, i1 to i8, u1 to u8 or b1", name,
                     shown(type),
                     type.starts_with('[')            ? " (records)"
                     : letter == 'O'                  ? " (Python objects, which are never unpickled)"
                     : letter == 'U' || letter == 'S' ? " (texts)"
                     : letter == 'M' || letter == 'm' ? " (dates)"
                     : letter == 'c'                  ? " (complex)"
                                                      : "");
}

}  // namespace cmr::io
