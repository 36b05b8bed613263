#include "limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "io/text/number.h"

namespace cmr::cli {
namespace {

struct Limits {
    std::string_view option;
    double least = 0;
    double most = 0;
    bool above = false;  // the least itself is not allowed
};

// By name, for an option means the same in every verb. The simulators check what depends on several of theirs.
constexpr Limits kLimits[] = {
    {"--attack-rows", 1, 1e9},
    {"--cell", 0, 1e9},
    {"--false-alarms-per-day", 0, 1e6, /*above=*/true},
    {"--fold", 0, 1e6},
    {"--hours", 0, 1e5, /*above=*/true},
    {"--lateness-s", 0, 1e9},
    {"--limit", 1, 1e9},
    {"--normal-rows", 1, 1e9},
    {"--off-delay-s", 0, 1e9},
    {"--on-delay-s", 0, 1e9},
    {"--release", 0, 1, /*above=*/true},
    {"--rig", 0, 1e9},
    {"--runs-per-condition", 1, 1000},
    {"--sample-rate-hz", 1, 256000},
    {"--scale", 1e-3, 1},
    {"--seconds", 0.05, 60},
    {"--seed", 0, 1e18},
    {"--speed", 0, 1e6, /*above=*/true},
    {"--stop-after-s", 0, 1e9, /*above=*/true},
    {"--stride", 1, 1e9},
    {"--workers", 1, 1024},
};

std::optional<double> number_in(const std::string& text, bool whole) {
    if (!whole) return io::parse_number(text);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(number);
}

}  // namespace

std::string wrong_number(const std::string& option, bool whole, const std::string& text) {
    const auto limits = std::ranges::find(kLimits, std::string_view(option), &Limits::option);
    CMR_ASSERT(limits != std::end(kLimits), "every numeric option has its limits");
    const std::optional<double> number = number_in(text, whole);
    const auto& [_, least, most, above] = *limits;
    if (number && *number <= most && (above ? *number > least : *number >= least)) return "";
    return fmt::format("found {}, expected a {} {} {} {} {}", text, whole ? "whole number" : "number",
                       above ? "above" : "from", least, above ? "and up to" : "to", most);
}

}  // namespace cmr::cli
