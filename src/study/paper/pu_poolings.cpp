// Paderborn: how embeddings are pooled over time, and how many neighbours are asked.

#include <fmt/format.h>

#include "report/grid.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

struct PublishedPooling {
    const char *name, *auroc, *where;
    int64_t cosine_k;  // where the value stands in the map of poolings and k; 0: not in it
};

constexpr PublishedPooling kPoolings[] = {
    {"effect+mean-cause", "0.8912 ± 0.045", "k = 100, l2", 0},
    {"cause-encoder", "0.8846 ± 0.047", "k = 50, l2", 0},
    {"std", "0.8803 ± 0.109", "k = 1, cosine", 1},
    {"mean", "0.8661 ± 0.056", "k = 1, cosine", 1},
    {"mean-pca", "0.8651 ± 0.057", "k = 1, l2", 0},
    {"mean+std", "0.8603 ± 0.080", "k = 1, cosine", 1},
    {"max", "0.6960 ± 0.122", "k = 100, cosine", 100},
    {"mean+std+max", "0.6882 ± 0.113", "k = 100, cosine", 100},
};

}  // namespace

void pu_strategy(const Sets& sets, Exhibit& out) {
    out.note += "Oracle: k and metric were chosen on the test windows.";
    out.corner = "pooling";
    out.columns = {"AUROC", "best at"};
    const Fits fits = sets.pu.fits("cmr");
    for (const PublishedPooling& pooling : kPoolings) {
        std::optional<Spread> best;
        std::string where;
        if (sets.pu.there())
            for (const std::string& metric : sets.pu.experiment().metrics)
                for (const int64_t k : sets.pu.experiment().ks)
                    if (const auto found = sets.pu.spread(fits, grid_auroc(pooling.name, metric, k));
                        found && (!best || found->mean > best->mean)) {
                        best = found;
                        where = fmt::format("k = {}, {}", k, metric);
                    }
        out.add(pooling.name, {number(best, pooling.auroc), words(where, pooling.where)});
    }
}

void pu_heatmap(const Sets& sets, Exhibit& out) {
    out.note += "Published are only the values that the ranking of poolings names.";
    out.corner = "pooling";
    const Fits fits = sets.pu.fits("cmr");
    const std::vector<int64_t> ks = {1, 5, 10, 20, 50, 100};
    report::Grid chart{.description = out.what,
                       .scale_name = "AUROC of cmr's k-NN, cosine",
                       .row_axis = "pooling",
                       .column_axis = "k",
                       .rows = {},
                       .columns = {},
                       .values = Matrix(std::ssize(kPoolings), std::ssize(ks))};
    for (const int64_t k : ks) {
        out.columns.push_back(fmt::format("k = {}", k));
        chart.columns.push_back(std::to_string(k));
    }
    int64_t row = 0;
    for (const PublishedPooling& pooling : kPoolings) {
        std::vector<Entry> cells;
        for (size_t i = 0; i < ks.size(); ++i) {
            auto found = sets.pu.spread(fits, grid_auroc(pooling.name, sets.pu.metric(), ks[i]));
            chart.values.row(row)[i] =
                found ? static_cast<float>(found->mean) : std::numeric_limits<float>::quiet_NaN();
            if (found) found->deviation.reset();  // as in the figure
            cells.push_back(number(found, pooling.cosine_k == ks[i] ? std::string(pooling.auroc).substr(0, 6) : ""));
        }
        chart.rows.emplace_back(pooling.name);
        ++row;
        out.add(pooling.name, std::move(cells));
    }
    if (out.answered() > 0)
        out.charts.push_back({draw(chart), fmt::format("{}: {}. {}", out.label, out.what, out.note), out.file()});
}

}  // namespace cmr::study::paper
