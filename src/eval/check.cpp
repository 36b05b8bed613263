#include "eval/check.h"

#include <cmath>

#include "base/error.h"

namespace cmr::eval {

void require_numbers(std::string_view what, std::span<const double> values) {
    if (values.empty()) throw InputError("no {}, at least 1 is needed", what);
    for (size_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i])) throw InputError("{}: value {} of {} is NaN", what, i + 1, values.size());
}

void require_finite(std::string_view what, std::span<const double> values) {
    require_numbers(what, values);
    for (size_t i = 0; i < values.size(); ++i)
        if (std::isinf(values[i]))
            throw InputError("{}: value {} of {} is {}, finite ones are needed", what, i + 1, values.size(), values[i]);
}

ClassCounts require_two_classes(std::span<const double> scores, std::span<const uint8_t> labels) {
    if (scores.size() != labels.size())
        throw InputError("{} scores but {} labels, one label per score is needed", scores.size(), labels.size());
    require_numbers("scores", scores);
    ClassCounts counts;
    for (const uint8_t label : labels) ++(label ? counts.faulty : counts.healthy);
    if (counts.healthy == 0 || counts.faulty == 0)
        throw InputError("{} healthy and {} faulty samples, at least 1 of each is needed", counts.healthy,
                         counts.faulty);
    return counts;
}

}  // namespace cmr::eval
