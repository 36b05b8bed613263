// Paderborn fold by fold: 15 pairs of healthy bearings that are held out. "Fixed" is one configuration for all folds
// (std pooling, k = 1, cosine); "oracle" chooses pooling, k and metric on the test windows of each fit.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "eval/summary.h"
#include "eval/wilcoxon.h"
#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr std::array<const char*, 5> kMethods = {"cmr", "usad", "vae", "ae", "svdd"};

using Five = std::array<const char*, 5>;

constexpr const char* kFolds[] = {
    "0 (K001+K002)",  "1 (K001+K003)",  "2 (K001+K004)",  "3 (K001+K005)",  "4 (K001+K006)",
    "5 (K002+K003)",  "6 (K002+K004)",  "7 (K002+K005)",  "8 (K002+K006)",  "9 (K003+K004)",
    "10 (K003+K005)", "11 (K003+K006)", "12 (K004+K005)", "13 (K004+K006)", "14 (K005+K006)",
};
// Three runs, their mean and deviation.
constexpr Five kOracleFolds[] = {
    {"0.9303", "0.9303", "0.9390", "0.9332", "0.0041"}, {"1.0000", "0.9998", "0.9996", "0.9998", "0.0002"},
    {"0.9424", "0.9515", "0.9543", "0.9494", "0.0051"}, {"0.9429", "0.9475", "0.9530", "0.9478", "0.0041"},
    {"0.8808", "0.8923", "0.8820", "0.8850", "0.0052"}, {"0.9220", "0.8994", "0.9145", "0.9120", "0.0094"},
    {"0.8807", "0.8826", "0.8923", "0.8852", "0.0051"}, {"0.9162", "0.9412", "0.9393", "0.9322", "0.0114"},
    {"0.9254", "0.9130", "0.8886", "0.9090", "0.0153"}, {"0.9667", "0.9299", "0.9468", "0.9478", "0.0150"},
    {"0.9458", "0.9359", "0.9305", "0.9374", "0.0063"}, {"0.9747", "0.9778", "0.9985", "0.9837", "0.0106"},
    {"0.8705", "0.8596", "0.8548", "0.8616", "0.0066"}, {"0.9187", "0.9339", "0.9155", "0.9227", "0.0080"},
    {"0.9523", "0.9275", "0.9373", "0.9390", "0.0102"},
};
// As kMethods.
constexpr Five kFixedFolds[] = {
    {"0.8913", "0.8922", "0.8987", "0.8898", "0.6826"}, {"0.9950", "0.9034", "0.9122", "0.8830", "0.6845"},
    {"0.9430", "0.9415", "0.9033", "0.8646", "0.6564"}, {"0.9418", "0.9042", "0.8906", "0.8548", "0.6361"},
    {"0.8823", "0.8153", "0.6849", "0.7426", "0.6776"}, {"0.8909", "0.8758", "0.9018", "0.8838", "0.7045"},
    {"0.8124", "0.8970", "0.8646", "0.8501", "0.6508"}, {"0.7316", "0.9053", "0.8124", "0.8065", "0.6149"},
    {"0.8434", "0.8770", "0.8991", "0.8836", "0.6352"}, {"0.9470", "0.9188", "0.9191", "0.9276", "0.6464"},
    {"0.9370", "0.8884", "0.9005", "0.9176", "0.6262"}, {"0.9827", "0.9077", "0.8805", "0.8779", "0.6636"},
    {"0.5561", "0.7371", "0.8409", "0.8068", "0.7930"}, {"0.9128", "0.9191", "0.8859", "0.8972", "0.6329"},
    {"0.9370", "0.8930", "0.9100", "0.9253", "0.6465"},
};
constexpr Five kFixedMeans = {"0.8803 ± 0.1085", "0.8850 ± 0.0478", "0.8736 ± 0.0575", "0.8674 ± 0.0484",
                              "0.6634 ± 0.0420"};
constexpr const char* kOracleNote =
    "Oracle: pooling, k and metric chosen on the test windows of each fit, an upper bound and not a result. ";

std::optional<Spread> without_deviation(std::optional<Spread> spread) {
    if (spread) spread->deviation.reset();
    return spread;
}

std::optional<Spread> only_deviation(const std::optional<Spread>& spread) {
    if (!spread || !spread->deviation) return std::nullopt;
    return Spread{*spread->deviation, std::nullopt, spread->values};
}

// Mean over the runs of each fold that both have.
Pairs fold_pairs(const Set& pu, const Fits& ours, const Fits& theirs, const std::string& stratum) {
    Pairs out;
    for (const int64_t fold : pu.folds()) {
        const auto a = pu.spread(of_fold(ours, fold), auroc_of("knn", stratum));
        const auto b = pu.spread(of_fold(theirs, fold), auroc_of("knn", stratum));
        if (!a || !b) continue;
        out.first.push_back(a->mean);
        out.second.push_back(b->mean);
    }
    return out;
}

}  // namespace

void pu_main(const Sets& sets, Exhibit& out) {
    const Set& pu = sets.pu;
    const Fits fits = pu.fits("cmr");
    out.note += kOracleNote;
    out.note += "Artificial and real: of the choice that is best over all faults.";
    out.corner = "fold";
    out.columns = {"run 1", "run 2", "run 3", "mean", "deviation"};
    const std::vector<int64_t> runs = pu.there() ? pu.experiment().seeds : std::vector<int64_t>();
    const auto add = [&](const std::string& name, const Fits& some, const Number& of, const Five& published) {
        std::vector<Entry> cells;
        for (size_t run = 0; run < 3; ++run)
            cells.push_back(
                number(run < runs.size() ? without_deviation(pu.spread(of_seed(some, runs[run]), of)) : std::nullopt,
                       published[run]));
        const auto all = pu.spread(some, of);
        cells.push_back(number(without_deviation(all), published[3]));
        cells.push_back(number(only_deviation(all), published[4]));
        out.add(name, std::move(cells));
    };
    for (int64_t fold = 0; fold < std::ssize(kFolds); ++fold)
        add(kFolds[fold], of_fold(fits, fold), oracle_auroc(""), kOracleFolds[fold]);
    add("mean over folds", fits, oracle_auroc(""), {"0.9313", "0.9281", "0.9297", "0.9297", "0.0351"});
    add("artificial", fits, stratum_of_oracle("artificial"), {"", "", "", "0.8601", ""});
    add("real", fits, stratum_of_oracle("real"), {"", "", "", "0.9803", ""});
}

void pu_main_bars(const Sets& sets, Exhibit& out) {
    const Fits fits = sets.pu.fits("cmr");
    out.note += kOracleNote;
    out.corner = "fold";
    out.columns = {"fixed", "oracle"};
    for (int64_t fold = 0; fold < std::ssize(kFolds); ++fold) {
        const Fits some = of_fold(fits, fold);
        out.add(kFolds[fold], {number(sets.pu.spread(some, auroc_of("knn")), kFixedFolds[fold][0]),
                               number(sets.pu.spread(some, oracle_auroc("")), kOracleFolds[fold][3])});
    }
    Exhibit seen = out;  // a fold that was not tried would be an empty group
    std::erase_if(seen.rows, [](const Exhibit::Row& row) { return !row.cells[0].answered(); });
    if (auto chart = bars_by_row(seen)) out.charts.push_back(std::move(*chart));
    const auto mean = [&](const char* name, const char* stratum, const char* fixed, const char* oracle) {
        out.add(name, {number(sets.pu.spread(fits, auroc_of("knn", stratum)), fixed),
                       number(sets.pu.spread(fits, stratum_of_oracle(stratum)), oracle)});
    };
    mean("mean over folds", "", "0.8803 ± 0.1085", "0.9297 ± 0.0351");
    mean("artificial", "artificial", "0.7919", "0.8601");
    mean("real", "real", "0.9445", "0.9803");
}

void pu_fixed_perfold(const Sets& sets, Exhibit& out) {
    out.corner = "fold";
    out.columns.assign(kMethods.begin(), kMethods.end());
    const auto add = [&](const std::string& name, std::optional<int64_t> fold, const Five& published) {
        std::vector<Entry> cells;
        for (size_t m = 0; m < kMethods.size(); ++m) {
            const Fits fits = sets.pu.fits(kMethods[m]);
            cells.push_back(number(sets.pu.spread(fold ? of_fold(fits, *fold) : fits, auroc_of("knn")), published[m]));
        }
        out.add(name, std::move(cells));
    };
    for (int64_t fold = 0; fold < std::ssize(kFolds); ++fold) add(kFolds[fold], fold, kFixedFolds[fold]);
    add("mean over folds", std::nullopt, kFixedMeans);
}

void pu_wilcoxon(const Sets& sets, Exhibit& out) {
    out.note += "Wilcoxon's signed-rank test on the means of the folds over runs, two-sided, not corrected.";
    out.corner = "cmr against";
    out.columns = {"p", "median difference", "folds won", "folds won, artificial faults"};
    struct Row {
        const char *method, *p, *median, *won, *won_artificial;
    };
    for (const Row& row : {Row{"usad", "0.64", "0.015", "9 of 15", "10 of 15"},
                           {"vae", "0.52", "0.027", "9 of 15", "10 of 15"},
                           {"ae", "0.25", "0.016", "11 of 15", "11 of 15"},
                           {"svdd", "0.001", "", "14 of 15", "14 of 15"}}) {
        const Fits ours = sets.pu.fits("cmr"), theirs = sets.pu.fits(row.method);
        const Pairs all = fold_pairs(sets.pu, ours, theirs, "");
        const auto won = [](const Pairs& pairs) {
            const std::vector<double> differences = pairs.differences();
            return pairs.count() == 0
                       ? std::string()
                       : fmt::format("{} of {}", std::ranges::count_if(differences, [](double d) { return d > 0; }),
                                     pairs.count());
        };
        const bool differ = all.count() > 0 && all.first != all.second;
        out.add(row.method,
                {words(differ ? fmt::format("{:.2g}", eval::wilcoxon_signed_rank(all.first, all.second).p_value) : "",
                       row.p),
                 words(all.count() > 0 ? fmt::format("{:.3f}", eval::median(all.differences())) : "", row.median),
                 words(won(all), row.won),
                 words(won(fold_pairs(sets.pu, ours, theirs, "artificial")), row.won_artificial)});
    }
}

void pu_coverage(const Sets& sets, Exhibit& out) {
    out.note += "A ratio near 1: the bank does not cover what is healthy in this fold.";
    out.corner = "fold";
    out.columns = {"faulty over healthy", "healthy test windows", "faulty windows"};
    constexpr int64_t kHard = 12;
    const Fits fits = sets.pu.fits("cmr");
    const auto healthy = score_number("knn", [](const ScoreResult& s) { return s.healthy_mean; });
    const auto faulty = score_number("knn", [](const ScoreResult& s) { return s.faulty_mean; });
    const Fits hard = of_fold(fits, kHard);
    out.add(kFolds[kHard],
            {number(sets.pu.spread(hard, coverage_of("knn")), "1.045", 3),
             number(sets.pu.spread(hard, healthy), "0.115", 3), number(sets.pu.spread(hard, faulty), "0.120", 3)});
    std::vector<double> ratios;
    for (const int64_t fold : sets.pu.folds())
        if (const auto ratio = sets.pu.spread(of_fold(fits, fold), coverage_of("knn")); ratio && fold != kHard)
            ratios.push_back(ratio->mean);
    const auto of_others = [&](double value) {
        return ratios.empty() ? std::nullopt : std::optional(Spread{value, std::nullopt, std::ssize(ratios)});
    };
    out.add("the others, mean",
            {number(of_others(ratios.empty() ? 0 : eval::summarise(ratios).mean), "3.487", 3), nothing(), nothing()});
    out.add("the others, least",
            {number(of_others(ratios.empty() ? 0 : std::ranges::min(ratios)), "1.519", 3), nothing(), nothing()});
}

}  // namespace cmr::study::paper
