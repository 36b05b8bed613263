// How far the faults move each effect by itself: what any threshold on one sensor could see.

#include <algorithm>

#include "eval/summary.h"
#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {

std::vector<ResultTable> marginals(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const Result* sample = nullptr;  // the data are the same for all
        for (const std::string& method : e.methods)
            for (const Result* r : outcome.of(e, method))
                if (!sample && !r->variations.empty()) sample = r;
        if (!sample) continue;
        ResultTable table{
            .name = e.name + "-marginals",
            .title = e.name + ": total variation between healthy and faulty samples of each effect" + all_faults_of(e),
            .note = "0: the same values; 1: disjoint. Histograms of 30 bins over the common range.",
            .corner = "effect",
            .columns = {"total variation"},
            .rows = {}};
        std::vector<ChannelVariation> sorted = sample->variations;
        std::ranges::stable_sort(sorted, std::greater(), &ChannelVariation::distance);
        std::vector<double> distances;
        for (const ChannelVariation& v : sorted) {
            table.rows.push_back({v.channel, {fmt::format("{:.3f}", v.distance)}});
            distances.push_back(v.distance);
        }
        if (sorted.size() > 1) table.rows.push_back({"median", {fmt::format("{:.3f}", eval::median(distances))}});
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
