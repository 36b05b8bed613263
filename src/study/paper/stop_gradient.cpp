// With and without the stop-gradient of the mechanism loss.

#include <fmt/format.h>

#include <array>

#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr const char* kSplitOfPaderborn =
    "Paderborn: published values are of a single split that is not named, ours of fold 0. ";

}  // namespace

void pu_stop_gradient(const Sets& sets, Exhibit& out) {
    out.note += kSplitOfPaderborn;
    out.corner = "stop-gradient";
    out.columns = {"overall", "artificial", "real"};
    const std::array<const char*, 3> strata = {"", "artificial", "real"};
    const auto add = [&](bool stopped, const std::array<const char*, 3>& published) {
        const Fits fits = of_fold(sets.pu.with_gradient(stopped), 0);
        std::vector<Entry> cells;
        for (size_t i = 0; i < strata.size(); ++i)
            cells.push_back(number(sets.pu.spread(fits, auroc_of("knn", strata[i])), published[i]));
        out.add(stopped ? "with" : "without", std::move(cells));
    };
    add(true, {"0.9390", "0.8779", "0.9835"});
    add(false, {"0.8714", "0.7880", "0.9319"});
    std::vector<Entry> difference;
    const std::array<const char*, 3> published = {"-0.0676", "-0.0899", "-0.0516"};
    for (size_t i = 0; i < published.size(); ++i) {
        const auto &with = out.rows[0].cells[i].ours, &without = out.rows[1].cells[i].ours;
        difference.push_back(
            words(with && without ? fmt::format("{:+.4f}", without->mean - with->mean) : "", published[i]));
    }
    out.add("without less with", std::move(difference));
}

void stop_gradient(const Sets& sets, Exhibit& out) {
    out.note += kSplitOfPaderborn;
    out.note += "ZeMA and SWaT, oracle: k-NN at the k that is best on the test windows.";
    out.corner = "dataset and score";
    out.columns = {"with", "without"};
    const auto add = [&](const char* name, const Set& set, const auto& of, const char* with, const char* without) {
        out.add(name, {number(of(set.with_gradient(true)), with), number(of(set.with_gradient(false)), without)});
    };
    const auto best_knn = [](const Set& set) { return [&set](const Fits& fits) { return set.best_knn(fits); }; };
    add(
        "pu: knn", sets.pu, [&](const Fits& fits) { return sets.pu.spread(of_fold(fits, 0), auroc_of("knn")); },
        "0.9390", "0.8714");
    add("zema: knn", sets.zema, best_knn(sets.zema), "0.9288 ± 0.0409", "0.9843 ± 0.0065");
    add(
        "swat: residual", sets.swat, [&](const Fits& fits) { return sets.swat.spread(fits, auroc_of("residual")); },
        "0.8679 ± 0.0048", "0.8557 ± 0.0094");
    add("swat: knn", sets.swat, best_knn(sets.swat), "0.8629", "0.8186");
    if (auto chart = bars_by_row(out)) out.charts.push_back(std::move(*chart));
}

}  // namespace cmr::study::paper
