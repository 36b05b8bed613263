// The three datasets side by side. On Paderborn one configuration serves all methods and folds; on ZeMA and SWaT each
// method is at its best k, and cmr at the better of k-NN and residual, as the paper chooses them.

#include <fmt/format.h>

#include <array>

#include "eval/summary.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr const char* kBest =
    "Paderborn: one configuration for all folds. ZeMA and SWaT, oracle: each method at the k that is best on the test "
    "windows, cmr by the better of k-NN and residual.";

struct Best {
    std::optional<Spread> auroc;
    std::string score;
};

Best best_of_cmr(const Set& set, const Fits& fits) {
    const auto knn = set.best_knn(fits), residual = set.spread(fits, auroc_of("residual"));
    if (residual && (!knn || residual->mean > knn->mean)) return {residual, "residual"};
    return {knn, knn ? "knn" : ""};
}

struct Row {
    const char* method;
    std::array<const char*, 3> published;
};

constexpr Row kMaster[] = {
    {"cmr", {"0.880", "0.984", "0.868"}},  {"vae", {"0.874", "0.998", "0.871"}},
    {"usad", {"0.885", "0.951", "0.866"}}, {"ae", {"0.867", "0.779", "0.864"}},
    {"svdd", {"0.663", "0.846", "0.840"}}, {"anomaly-transformer", {"out of memory", "0.862", "0.761"}}};

std::vector<Entry> master_row(const Sets& sets, const Row& row) {
    const std::string method = row.method;
    const auto of = [&](const Set& set) {
        return method == "cmr" ? best_of_cmr(set, set.as_published()).auroc : set.best_knn(set.fits(method));
    };
    return {number(sets.pu.spread(sets.pu.fits(method), auroc_of("knn")), row.published[0], 3),
            number(of(sets.zema), row.published[1], 3), number(of(sets.swat), row.published[2], 3)};
}

}  // namespace

void master(const Sets& sets, Exhibit& out) {
    out.note += kBest;
    out.corner = "method";
    out.columns = {"pu", "zema", "swat"};
    for (const Row& row : kMaster) out.add(row.method, master_row(sets, row));
    out.add("cmr is best by", {words(sets.pu.fits("cmr").empty() ? "" : "knn", "knn"),
                               words(best_of_cmr(sets.zema, sets.zema.as_published()).score, "knn"),
                               words(best_of_cmr(sets.swat, sets.swat.as_published()).score, "residual")});
}

void methods(const Sets& sets, Exhibit& out) {
    out.note += kBest;
    out.corner = "method";
    out.columns = {"pu", "zema", "swat"};
    for (size_t i = 0; i < 3; ++i) out.add(kMaster[i].method, master_row(sets, kMaster[i]));
    if (auto chart = bars_by_column(out)) out.charts.push_back(std::move(*chart));
}

void baselines(const Sets& sets, Exhibit& out) {
    out.note += kBest;
    out.corner = "method";
    out.columns = {"pu", "zema", "swat"};
    const auto cmr = [&](bool stopped, const char* pu, const char* zema, const char* swat) {
        out.add(stopped ? "cmr, stop-gradient" : "cmr, no stop-gradient",
                {stopped ? number(sets.pu.spread(sets.pu.as_published(), auroc_of("knn")), pu) : nothing(),
                 number(sets.zema.best_knn(sets.zema.with_gradient(stopped)), zema),
                 number(sets.swat.spread(sets.swat.with_gradient(stopped), auroc_of("residual")), swat)});
    };
    cmr(true, "0.8803 ± 0.1085", "0.9288 ± 0.0409", "0.8679 ± 0.0048");
    cmr(false, "", "0.9843 ± 0.0065", "0.8557 ± 0.0094");
    for (const Row& row : {Row{"vae", {"0.8736 ± 0.0575", "0.9979 ± 0.0006", "0.8706 ± 0.0037"}},
                           {"usad", {"0.8850 ± 0.0478", "0.9514 ± 0.0144", "0.8659 ± 0.0051"}},
                           {"ae", {"0.8674 ± 0.0484", "0.7787 ± 0.1322", "0.8642 ± 0.0021"}},
                           {"svdd", {"0.6634 ± 0.0420", "0.8456 ± 0.0646", "0.8400 ± 0.0064"}},
                           {"anomaly-transformer", {"out of memory", "0.862", "0.7605 ± 0.0004"}}}) {
        out.add(row.method, {number(sets.pu.spread(sets.pu.fits(row.method), auroc_of("knn")), row.published[0]),
                             number(sets.zema.best_knn(sets.zema.fits(row.method)), row.published[1]),
                             number(sets.swat.best_knn(sets.swat.fits(row.method)), row.published[2])});
    }
    if (auto chart = bars_by_column(out)) out.charts.push_back(std::move(*chart));
}

void scoring(const Sets& sets, Exhibit& out) {
    out.note +=
        "Paderborn: one split, ours fold 0. ZeMA and SWaT, oracle: k-NN at the k that is best on the test windows.";
    out.corner = "dataset and method";
    out.columns = {"native", "k-NN"};
    struct Pair {
        const char *method, *native, *knn;
    };
    const auto add = [&](const char* name, const Set& set, bool one_split, const std::vector<Pair>& pairs) {
        for (const Pair& pair : pairs) {
            const Fits all = set.fits(pair.method), fits = one_split ? of_fold(all, 0) : all;
            out.add(fmt::format("{}: {}", name, pair.method),
                    {number(set.spread(fits, auroc_of("native")), pair.native),
                     number(one_split ? set.spread(fits, auroc_of("knn")) : set.best_knn(fits), pair.knn)});
        }
    };
    add("pu", sets.pu, true,
        {{"ae", "0.8486", "0.9072"},
         {"vae", "0.6620", "0.9057"},
         {"usad", "0.5367", "0.8990"},
         {"svdd", "0.8920", "0.6458"}});
    add("zema", sets.zema, false,
        {{"ae", "0.3535", "0.7787"},
         {"vae", "0.9115", "0.9979"},
         {"usad", "0.5267", "0.9514"},
         {"svdd", "0.5641", "0.8456"}});
    add("swat", sets.swat, false,
        {{"ae", "≈ 0.769", "0.8642"},
         {"vae", "≈ 0.769", "0.8706"},
         {"usad", "≈ 0.769", "0.8659"},
         {"svdd", "", "0.8400"},
         {"anomaly-transformer", "≈ 0.76", "0.7605"}});
    if (auto chart = bars_by_row(out)) out.charts.push_back(std::move(*chart));
}

void marginals(const Sets& sets, Exhibit& out) {
    out.note +=
        "0: the faults leave the channel's values as they are; 1: disjoint. Histograms of 30 bins, every healthy "
        "against every faulty sample.";
    out.corner = "dataset";
    out.columns = {"median over effects", "least", "greatest", "effects"};
    const auto add = [&](const char* name, const Set& set, const char* published) {
        std::vector<double> distances;
        if (const Fits fits = set.fits("cmr"); !fits.empty())
            for (const ChannelVariation& v : fits.front()->variations) distances.push_back(v.distance);
        const auto entry = [&](double share, const char* theirs) {
            return number(distances.empty() ? std::nullopt
                                            : std::optional(Spread{eval::quantile(distances, share), std::nullopt, 1}),
                          theirs, 2);
        };
        out.add(name, {entry(0.5, published), entry(0, ""), entry(1, ""),
                       words(distances.empty() ? "" : std::to_string(distances.size()), "")});
    };
    add("pu", sets.pu, "");
    add("zema", sets.zema, "");
    add("swat", sets.swat, "0.61");
}

}  // namespace cmr::study::paper
