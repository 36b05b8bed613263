// The faults that are hard to tell: artificial defects of Paderborn, stealthy attacks of SWaT.

#include <fmt/format.h>

#include "study/paper/items.h"

namespace cmr::study::paper {

void hard_subset(const Sets& sets, Exhibit& out) {
    out.note +=
        "Paderborn: one configuration for all folds, k-NN for all methods. SWaT: stealthy at 95 %, cmr by its "
        "residual. The best rival is chosen with the labels at hand.";
    out.corner = "faults";
    out.columns = {"cmr", "best rival", "control marginal"};
    const auto add = [&](const std::string& name, const Set& set, const Number& ours, const Number& theirs,
                         const Number& marginal, const char* printed_ours, const char* printed_rival,
                         const char* printed_marginal) {
        std::optional<Spread> best;
        std::string whose;
        for (const char* rival : {"usad", "vae", "ae", "svdd", "anomaly-transformer"})
            if (const auto found = set.spread(set.fits(rival), theirs); found && (!best || found->mean > best->mean)) {
                best = found;
                whose = rival;
            }
        out.add(name, {number(set.spread(set.as_published(), ours), printed_ours, 3),
                       words(best ? fmt::format("{} ({})", shown(best), whose) : "", printed_rival),
                       number(set.spread(set.fits("cmr"), marginal), printed_marginal, 3)});
    };
    const auto stealthy = [](const char* score) { return stealth_auroc(score, 95, &StealthResult::stealthy); };
    add("pu: artificial", sets.pu, auroc_of("knn", "artificial"), auroc_of("knn", "artificial"),
        auroc_of("marginal", "artificial"), "0.792", "0.754 (usad)", "");
    add("swat: stealthy", sets.swat, stealthy("residual"), stealthy("knn"), stealthy("marginal"), "0.747",
        "0.701 (vae)", "≈ 0.40");
}

}  // namespace cmr::study::paper
