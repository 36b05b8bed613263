#include "report/sample_study.h"

#include <cmath>

#include "base/rng.h"
#include "report/bars.h"
#include "report/grid.h"
#include "report/histogram.h"
#include "report/lines.h"
#include "report/scatter.h"

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

report::Histogram scores() {
    report::Histogram histogram{.description = "Scores of healthy windows and of three strata of faults",
                                .x_name = "combined score",
                                .x = report::ScaleKind::kLog,
                                .bins = 60,
                                .alarm_line = 1};
    Rng rng(5);
    const auto add = [&](const char* name, int count, double middle, double width, bool healthy) {
        report::Distribution one{name, {}, healthy};
        for (int i = 0; i < count; ++i) one.values.push_back(std::exp(middle + width * rng.normal()));
        histogram.classes.push_back(one);
    };
    add("healthy", 4000, -1.4, 0.45, true);
    add("artificial damage", 900, 0.4, 0.6, false);
    add("real damage, early", 350, 0.0, 0.5, false);
    add("real damage, late", 120, 1.7, 0.35, false);
    return histogram;
}

report::Grid pooling_and_neighbours() {
    report::Grid grid{.description = "AUROC for five ways of pooling and eight numbers of neighbours",
                      .scale_name = "AUROC, mean of 5 folds × 3 seeds",
                      .row_axis = "pooling",
                      .column_axis = "neighbours k",
                      .rows = {"mean", "greatest", "last step", "mean and deviation", "attention"},
                      .columns = {"1", "2", "3", "5", "10", "20", "50", "100"},
                      .values = Matrix(5, 8)};
    Rng rng(9);
    for (int64_t row = 0; row < 5; ++row)
        for (int64_t column = 0; column < 8; ++column)
            grid.values.row(row)[static_cast<size_t>(column)] =
                static_cast<float>(0.95 - 0.02 * static_cast<double>((row + 2) % 5) -
                                   0.004 * std::pow(static_cast<double>(column - 4), 2) + 0.004 * rng.normal());
    grid.values.row(4)[7] = std::nanf("");
    return grid;
}

report::Scatter map_of_embeddings() {
    report::Scatter scatter{.description = "Embeddings of 1400 windows in the plane",
                            .x_name = "first principal component",
                            .y_name = "second principal component"};
    Rng rng(11);
    const auto add = [&](const char* name, int count, double x, double y, double width, bool healthy) {
        report::PointClass one{name, {}, {}, healthy};
        for (int i = 0; i < count; ++i) {
            one.x.push_back(x + width * rng.normal());
            one.y.push_back(y + 0.7 * width * rng.normal());
        }
        scatter.classes.push_back(one);
    };
    add("healthy", 900, 0, 0, 1, true);
    add("artificial damage", 250, 3.2, 1, 0.8, false);
    add("real damage, early", 150, 1.5, -1.8, 0.7, false);
    add("real damage, late", 60, 4.5, -2.4, 0.6, false);
    add("unknown", 40, -2.5, 2.2, 0.5, false);
    return scatter;
}

}  // namespace

report::Section make_sample_study() {
    report::Section section{"How it compares", {"The same folds and seeds for every method."}, {}};
    section.figures.push_back({draw(leaderboard()), "Blue: our own. Whiskers: one standard deviation over the folds."});
    section.figures.push_back({draw(by_neighbours()), "Shaded: one standard deviation over the seeds."});
    section.figures.push_back({draw(roc_curves()), "All folds together."});
    section.figures.push_back({draw(pooling_and_neighbours()), "One fold is missing for attention and k = 100."});
    section.figures.push_back({draw(scores()), "Each class in shares of its own. At or above the line: alarm."});
    section.figures.push_back({draw(map_of_embeddings()), "One mark per window."});
    return section;
}

}  // namespace cmr::test
