#include "study/caps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cmr::study {

std::string capped_words(const Outcome& outcome, const std::vector<Experiment>& experiments) {
    std::vector<std::string> capped;
    bool known = false;
    for (const Experiment& e : experiments)
        for (const std::string& method : e.methods) {
            int64_t fits = 0, ended = 0;
            for (const Result* r : outcome.of(e, method)) {
                if (r->most_epochs == 0 || r->epochs == 0) continue;
                ++fits;
                ended += r->epochs >= r->most_epochs;
            }
            known |= fits > 0;
            if (ended > 0) capped.push_back(fmt::format("{} {}, {} of {} fits", e.name, method, ended, fits));
        }
    if (!known) return "";
    if (capped.empty()) return "Every fit ended by its own early stopping.";
    return fmt::format("Ended by the cap on epochs, before they stopped by themselves: {}.", fmt::join(capped, "; "));
}

}  // namespace cmr::study
