#include "report/sample_study.h"

#include <cmath>

#include "base/rng.h"
#include "report/bars.h"
#include "report/lines.h"

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

const std::vector<std::string> kMethods{
    "CMR, combined",           "CMR, mechanism", "k-NN on raw windows", "Deep SVDD",
    "Variational autoencoder", "USAD",           "Anomaly Transformer", "PCA residual"};

report::LineChart by_neighbours() {
    report::LineChart chart{.description = "AUROC of eight methods by the number of neighbours",
                            .x_name = "neighbours k",
                            .y_name = "AUROC",
                            .x = report::ScaleKind::kLog};
    Rng rng(3);
    for (size_t m = 0; m < kMethods.size(); ++m) {
        report::Line line{kMethods[m], {}, {}};
        for (const double k : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
            line.x.push_back(k);
            line.y.push_back(0.95 - 0.05 * static_cast<double>(m) - 0.01 * std::pow(std::log(k / 8), 2) +
                             0.006 * rng.normal());
            if (m < 3) line.deviation.push_back(0.01 + 0.008 * rng.uniform());
        }
        chart.lines.push_back(line);
    }
    chart.lines[5].y[3] = std::nan("");
    return chart;
}

// Where the scores are normal with equal deviations: the true rate over the false one.
report::LineChart roc_curves() {
    report::LineChart chart{.description = "ROC curves of four methods",
                            .x_name = "false positive rate",
                            .y_name = "true positive rate",
                            .low = 0,
                            .high = 1,
                            .x_low = 0,
                            .x_high = 1,
                            .square = true,
                            .diagonal = true};
    for (size_t m = 0; m < 4; ++m) {
        report::Line line{kMethods[m], {}, {}};
        const double distance = 2.4 - 0.6 * static_cast<double>(m);
        for (double threshold = 5; threshold >= -3; threshold -= 0.01) {
            line.x.push_back(std::erfc(threshold / std::sqrt(2.0)) / 2);
            line.y.push_back(std::erfc((threshold - distance) / std::sqrt(2.0)) / 2);
        }
        chart.lines.push_back(line);
    }
    return chart;
}

}  // namespace

report::Section make_sample_study() {
    report::Section section{"How it compares", {"The same folds and seeds for every method."}, {}};
    section.figures.push_back({draw(leaderboard()), "Blue: our own. Whiskers: one standard deviation over the folds."});
    section.figures.push_back({draw(by_neighbours()), "Shaded: one standard deviation over the seeds."});
    section.figures.push_back({draw(roc_curves()), "All folds together."});
    return section;
}

}  // namespace cmr::test
