#pragma once
// What every metric asks of its input. All throw InputError, saying what was found and what is needed.

#include <cstdint>
#include <span>
#include <string_view>

namespace cmr::eval {

// At least one value, and no NaN: a NaN has no place in an order.
void require_numbers(std::string_view what, std::span<const double> values);

// The same without infinities, for what is summed.
void require_finite(std::string_view what, std::span<const double> values);

struct ClassCounts {
    int64_t healthy = 0;
    int64_t faulty = 0;
};

// One label per score, no NaN, both classes present. A label other than 0 is faulty.
ClassCounts require_two_classes(std::span<const double> scores, std::span<const uint8_t> labels);

}  // namespace cmr::eval
