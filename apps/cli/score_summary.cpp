#include "score_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "base/text.h"

namespace cmr::cli {

void SickSensors::count(const std::vector<score::Sickness>& sensors, const std::vector<data::Channel>& channels) {
    for (size_t c = 0; c < sensors.size(); ++c)
        if (sensors[c] != score::Sickness::kNone)
            ++windows_[fmt::format("{} {}", channels[c].name, score::name(sensors[c]))];
}

std::vector<std::pair<std::string, int64_t>> SickSensors::sorted() const {
    std::vector<std::pair<std::string, int64_t>> out(windows_.begin(), windows_.end());
    std::ranges::stable_sort(out, std::ranges::greater(), &std::pair<std::string, int64_t>::second);
    return out;
}

std::string SickSensors::text(int64_t windows) const {
    constexpr size_t kShown = 5;
    const auto sick = sorted();
    std::string out;
    for (const auto& [what, count] : std::span(sick).first(std::min(sick.size(), kShown)))
        out += fmt::format("Sick sensor: {} in {} of {} windows.\n", what, with_commas(count), with_commas(windows));
    if (sick.size() > kShown) out += fmt::format("And {} more.\n", sick.size() - kShown);
    return out;
}

std::string Outside::text(int64_t all_windows) const {
    if (windows == 0) return "";
    return fmt::format(
        "Outside the learned range in {} of {} windows, where {} alarm{} began: causes as the healthy data do not have "
        "them.\n",
        with_commas(windows), with_commas(all_windows), alarms, alarms == 1 ? "" : "s");
}

std::string void_text(bool calibrated, std::string_view since, std::string_view recording, std::string_view why) {
    return fmt::format("{} since {} of {}: {}.\n", calibrated ? "Promise void" : "Not as when healthy", since,
                       recording, why);
}

}  // namespace cmr::cli
