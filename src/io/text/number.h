#pragma once
// Decimal numbers to double, always correctly rounded, whatever the locale.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace cmr::io {

// [+-] digits with at most one `point` among them, then perhaps e or E and a whole exponent. Too large is infinite, too
// small is zero. Nothing where the text is anything else; NaN and Inf are words, not numbers.
std::optional<double> parse_number(std::string_view text, char point = '.');

// NaN, or Inf or Infinity, in any case and with any sign.
std::optional<double> parse_not_finite(std::string_view text);

// 10^0 … 10^22, all exact.
inline constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// How many bytes from its beginning quick_number reads, however short the number.
inline constexpr size_t kQuickNumberReach = 8;

namespace quick {

// Eight characters, the first in the lowest byte, as digits 0 … 9; other characters give bytes of 10 and more.
inline uint64_t load(const char* at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word ^ 0x3030303030303030u;
}

inline bool only_digits(uint64_t word) { return (((word + 0x7676767676767676u) | word) & 0x8080808080808080u) == 0; }

// A bit in the first byte that is `point`, 0 if none is.
inline uint64_t find(uint64_t word, char point) {
    const uint64_t zero_there = word ^ 0x0101010101010101u * static_cast<unsigned char>(point ^ '0');
    return (zero_there - 0x0101010101010101u) & ~zero_there & 0x8080808080808080u;
}

// Removes the byte at bit `at`: those before it move up, and the lowest becomes 0.
inline uint64_t remove(uint64_t word, int at) {
    const uint64_t before = (uint64_t{1} << at) - 1;
    return (word & ~before & ~(uint64_t{0xff} << at)) | (word & before) << 8;
}

// The number that eight digits spell: neighbours are joined to pairs, pairs to fours, fours to eight.
inline uint64_t join(uint64_t word) {
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
    return (word * 10000 + (word >> 32)) & 0xffffffffu;
}

}  // namespace quick

// The frequent case, without branches on the digits: up to 16 characters, digits with perhaps a point and a minus.
// False where the text is anything else and parse_number must judge. kQuickNumberReach bytes must be readable.
inline bool quick_number(const char* begin, const char* end, char point, double& value) {
    if constexpr (std::endian::native != std::endian::little) return false;
    const bool negative = *begin == '-';
    begin += negative;
    const auto length = end - begin;
    if (length < 1 || length > 16) return false;
    // Aligned to the right, with zeros in front: the last eight characters, and in a long number what precedes them.
    uint64_t high = 0, low = 0;
    int decimals = 0;
    if (length <= 8) {
        low = quick::load(begin) << (64 - 8 * length);
        if (const uint64_t found = quick::find(low, point)) {
            const int at = std::countr_zero(found) - 7;
            decimals = 7 - at / 8;
            if (length == 1) return false;
            low = quick::remove(low, at);
        }
    } else {
        high = quick::load(begin) << (128 - 8 * length);
        low = quick::load(end - 8);
        if (const uint64_t found = quick::find(low, point)) {
            const int at = std::countr_zero(found) - 7;
            decimals = 7 - at / 8;
            low = quick::remove(low, at) | high >> 56;
            high <<= 8;
        } else if (const uint64_t found_high = quick::find(high, point)) {
            const int at = std::countr_zero(found_high) - 7;
            decimals = 15 - at / 8;
            high = quick::remove(high, at);
        }
        if (!quick::only_digits(high)) return false;
    }
    if (!quick::only_digits(low)) return false;
    const uint64_t mantissa = quick::join(low) + (length <= 8 ? 0 : quick::join(high) * 100'000'000u);
    if (mantissa > uint64_t{1} << 53) return false;
    // Both are exact, so the quotient is the correctly rounded value (W. D. Clinger, 1990).
    const double magnitude = static_cast<double>(static_cast<int64_t>(mantissa)) / kPowersOfTen[decimals];
    value = negative ? -magnitude : magnitude;
    return true;
}

// Numbers of a table mostly look like the one before: as many letters, the point at the same place. Whether the next
// one does is a single test, and then nothing about it is left to be found.
class QuickNumbers {
  public:
    explicit QuickNumbers(char point) : point_(point) {}

    // As quick_number.
    bool read(const char* begin, const char* end, double& value) {
        if (!quick_number(begin, end, point_, value)) return false;
        const char* digits = begin + (*begin == '-');
        if (end - digits <= 8) learn(digits, static_cast<int>(end - digits));
        return true;
    }

    // Cells in a row: the i-th lies between ends[i] + 1 and ends[i + 1] of the text. Reads those that look like the
    // number before and tells how many.
    int64_t read_alike(const char* text, const uint32_t* ends, int64_t count, double* values) const;

  private:
    void learn(const char* digits, int length) {
        length_ = length;
        shift_ = 64 - 8 * length;
        pattern_ = 0x3030303030303030u << shift_;
        allowance_ = 0x7676767676767676u;
        before_point_ = 0;
        scale_ = 1;
        for (int i = 0; i < length; ++i) {
            if (digits[i] != point_) continue;
            const int bit = shift_ + 8 * i;
            pattern_ ^= uint64_t{static_cast<unsigned char>(point_ ^ '0')} << bit;
            allowance_ ^= uint64_t{0x76 ^ 0x7f} << bit;  // no other letter here
            before_point_ = (uint64_t{1} << bit) - 1;
            scale_ = kPowersOfTen[length - 1 - i];
        }
    }

    int64_t read_one_by_one(const char* text, const uint32_t* ends, int64_t count, double* values) const;
    int64_t read_by_fours(const char* text, const uint32_t* ends, int64_t count, double* values) const;

    char point_;
    int64_t length_ = -1;        // of the number before, without sign; at most 8
    int shift_ = 0;              // aligns it to the right
    uint64_t pattern_ = 0;       // its letters if all its digits were 0
    uint64_t allowance_ = 0;     // added, it sets the highest bit of letters that do not fit
    uint64_t before_point_ = 0;  // the letters before the point
    double scale_ = 1;
};

}  // namespace cmr::io
