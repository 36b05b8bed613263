#include "io/text/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cmr::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool equals_in_any_case(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower,
                              [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// What stands before a number's digits.
bool take_sign(std::string_view& text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    return negative;
}

// Slow and exact, for a number without sign that is known to be well formed. `magnitude` is the power of ten in front
// of which its first digit stands, to tell too large from too small.
double convert(std::string_view text, char point, int64_t magnitude) {
    std::string with_point;
    if (point != '.') {
        with_point = text;
        std::ranges::replace(with_point, point, '.');
        text = with_point;
    }
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
        return magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text, char point) {
    const bool negative = take_sign(text);
    uint64_t mantissa = 0;
    int64_t digits = 0;  // from the first that is not zero
    int64_t fraction_digits = 0;
    bool any = false, in_fraction = false;
    size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == point && !in_fraction) {
            in_fraction = true;
            continue;
        }
        if (!is_digit(text[i])) break;
        any = true;
        fraction_digits += in_fraction;
        if (digits > 0 || text[i] != '0') ++digits;
        if (digits <= 19) mantissa = mantissa * 10 + static_cast<uint64_t>(text[i] - '0');
    }
    if (!any) return std::nullopt;
    int64_t exponent = 0;
    if (i < text.size()) {
        if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
        std::string_view power = text.substr(i + 1);
        const bool negative_power = take_sign(power);
        if (power.empty() || !std::ranges::all_of(power, is_digit)) return std::nullopt;
        for (const char c : power) exponent = std::min<int64_t>(exponent * 10 + (c - '0'), 1'000'000'000'000);
        if (negative_power) exponent = -exponent;
    }
    exponent -= fraction_digits;
    double value = 0;
    if (digits <= 19 && mantissa <= uint64_t{1} << 53 && std::abs(exponent) <= 22) {
        value = static_cast<double>(mantissa);  // exact, as the power is: one rounding only
        value = exponent < 0 ? value / kPowersOfTen[-exponent] : value * kPowersOfTen[exponent];
    } else if (digits > 0) {
        value = convert(text, point, digits + exponent);
    }
    return negative ? -value : value;
}

std::optional<double> parse_not_finite(std::string_view text) {
    const bool negative = take_sign(text);
    if (equals_in_any_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
    if (!equals_in_any_case(text, "inf") && !equals_in_any_case(text, "infinity")) return std::nullopt;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

int64_t QuickNumbers::read_one_by_one(const char* text, const uint32_t* ends, int64_t count, double* values) const {
    // In registers: a store to `values` could be one to a member.
    const int64_t length = length_;
    const int shift = shift_;
    const uint64_t pattern = pattern_, allowance = allowance_, before_point = before_point_;
    const double scale = scale_;
    for (int64_t i = 0; i < count; ++i) {
        const char* digits = text + static_cast<uint32_t>(ends[i] + 1);
        const uint64_t negative = *digits == '-';
        digits += negative;
        uint64_t word;
        std::memcpy(&word, digits, sizeof word);
        word = (word << shift) ^ pattern;
        const uint64_t strange = ((word + allowance) | word) & 0x8080808080808080u;
        if ((strange | static_cast<uint64_t>(text + ends[i + 1] - digits - length)) != 0) return i;
        const uint64_t mantissa = quick::join((word & ~before_point) | (word & before_point) << 8);
        const double magnitude =
            static_cast<double>(static_cast<int64_t>(mantissa)) / scale;  // exact: see quick_number
        values[i] = std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) ^ negative << 63);
    }
    return count;
}

#if defined(__x86_64__)
// The same for four numbers without sign at a time, as long as all four look alike; see read_one_by_one for the steps.
__attribute__((target("avx2"))) int64_t QuickNumbers::read_by_fours(const char* text, const uint32_t* ends,
                                                                    int64_t count, double* values) const {
    const __m128i step = _mm_set1_epi32(static_cast<int>(length_ + 1));
    const __m128i shift = _mm_cvtsi32_si128(shift_);
    const __m256i pattern = _mm256_set1_epi64x(static_cast<int64_t>(pattern_));
    const __m256i allowance = _mm256_set1_epi64x(static_cast<int64_t>(allowance_));
    const __m256i before_point = _mm256_set1_epi64x(static_cast<int64_t>(before_point_));
    const __m256i tens = _mm256_set1_epi16(0x010a), hundreds = _mm256_set1_epi32(0x00010064),
                  ten_thousands = _mm256_set1_epi32(0x00012710);
    const __m256d scale = _mm256_set1_pd(scale_);
    const auto load = [&](uint32_t end) {
        int64_t word;
        std::memcpy(&word, text + static_cast<uint32_t>(end + 1), sizeof word);
        return word;
    };
    int64_t done = 0;
    for (; done + 4 <= count; done += 4) {
        const uint32_t* at = ends + done;
        const __m128i begins = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(_mm_sub_epi32(next, begins), step)) != 0xffff) break;
        const __m256i letters = _mm256_set_epi64x(load(at[3]), load(at[2]), load(at[1]), load(at[0]));
        __m256i word = _mm256_xor_si256(_mm256_sll_epi64(letters, shift), pattern);
        if (_mm256_movemask_epi8(_mm256_or_si256(_mm256_add_epi8(word, allowance), word)) != 0) break;
        word = _mm256_or_si256(_mm256_andnot_si256(before_point, word),
                               _mm256_slli_epi64(_mm256_and_si256(word, before_point), 8));
        // Neighbours are joined to pairs, pairs to fours, fours to eight; the last step leaves each number twice.
        word = _mm256_madd_epi16(_mm256_maddubs_epi16(word, tens), hundreds);
        word = _mm256_madd_epi16(_mm256_packus_epi32(word, word), ten_thousands);
        const __m128i mantissas = _mm_unpacklo_epi64(_mm256_castsi256_si128(word), _mm256_extracti128_si256(word, 1));
        _mm256_storeu_pd(values + done, _mm256_div_pd(_mm256_cvtepi32_pd(mantissas), scale));
    }
    return done;
}
#else
int64_t QuickNumbers::read_by_fours(const char*, const uint32_t*, int64_t, double*) const { return 0; }
#endif

int64_t QuickNumbers::read_alike(const char* text, const uint32_t* ends, int64_t count, double* values) const {
    if constexpr (std::endian::native != std::endian::little) return 0;
#if defined(__x86_64__)
    static const bool by_fours = __builtin_cpu_supports("avx2");
#else
    constexpr bool by_fours = false;
#endif
    int64_t done = 0;
    while (done < count) {
        if (by_fours) done += read_by_fours(text, ends + done, count - done, values + done);
        const int64_t few = std::min<int64_t>(count - done, by_fours ? 4 : count);
        const int64_t got = read_one_by_one(text, ends + done, few, values + done);
        done += got;
        if (got < few) break;
    }
    return done;
}

}  // namespace cmr::io
