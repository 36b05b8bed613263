#include "report/sample_study.h"

#include <cmath>

#include "base/rng.h"
#include "report/bars.h"

namespace cmr::test {
namespace {

report::BarChart leaderboard() {
    report::BarChart chart{.description = "AUROC of nine methods on two datasets",
                           .axis = "AUROC, mean of 5 folds × 3 seeds",
                           .low = 0.4,
                           .high = 1,
                           .line = 0.5,
                           .line_name = "chance",
                           .groups = {}};
    const std::vector<std::string> methods{"CMR, mechanism",
                                           "CMR, combined",
                                           "k-NN on raw windows",
                                           "Anomaly Transformer",
                                           "Deep SVDD",
                                           "USAD",
                                           "Variational autoencoder with k-NN on its embeddings",
                                           "Autoencoder",
                                           "PCA residual"};
    Rng rng(7);
    for (const char* dataset : {"Bearings, leave one unit out", "Hydraulic rig"}) {
        report::BarGroup group{dataset, {}};
        double value = 0.97;
        for (const std::string& method : methods) {
            report::Bar bar{method, value, 0.004 + 0.03 * rng.uniform(), std::nullopt, method.starts_with("CMR")};
            if (!bar.strong && rng.uniform() < 0.7) bar.reference = value + 0.06 * rng.normal() / 2;
            group.bars.push_back(bar);
            value -= 0.015 + 0.08 * rng.uniform();
        }
        group.bars[2].note = "no training";
        group.bars[7].value = std::nan("");
        group.bars[7].note = "did not finish";
        chart.groups.push_back(group);
    }
    return chart;
}

}  // namespace

report::Section make_sample_study() {
    report::Section section{"How it compares", {"The same folds and seeds for every method."}, {}};
    section.figures.push_back({draw(leaderboard()), "Blue: our own. Whiskers: one standard deviation over the folds."});
    return section;
}

}  // namespace cmr::test
