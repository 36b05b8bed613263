// ZeMA: seeds, methods and neighbours. Each at the k that is best on the test windows, as the paper has it.

#include <fmt/format.h>

#include <array>

#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr const char* kBestK = "Oracle: each at the k that is best on the test windows.";
constexpr std::array<const char*, 3> kStrata = {"", "weak", "severe"};

std::string k_words(const std::optional<int64_t>& k) { return k ? std::to_string(*k) : ""; }

std::vector<Entry> strata_of(const Set& zema, const Fits& fits, std::optional<int64_t> k,
                             const std::array<const char*, 3>& published) {
    std::vector<Entry> out;
    for (size_t i = 0; i < kStrata.size(); ++i)
        out.push_back(number(zema.spread(fits, zema.knn(k, kStrata[i])), published[i]));
    return out;
}

}  // namespace

void zema_main(const Sets& sets, Exhibit& out) {
    out.note += kBestK;
    out.corner = "stop-gradient and seed";
    out.columns = {"k", "overall", "weak", "severe"};
    struct Row {
        int64_t seed;  // 0: all
        std::array<const char*, 3> published;
    };
    const auto add = [&](bool stopped, const char* k, const std::vector<Row>& rows) {
        const Fits fits = sets.zema.with_gradient(stopped);
        const auto best = sets.zema.best_k(fits);
        for (const Row& row : rows) {
            std::vector<Entry> cells =
                strata_of(sets.zema, row.seed == 0 ? fits : of_seed(fits, row.seed), best, row.published);
            cells.insert(cells.begin(), words(k_words(best), k));
            out.add(
                fmt::format("{}, {}", stopped ? "with" : "without", row.seed == 0 ? "mean" : std::to_string(row.seed)),
                std::move(cells));
        }
    };
    add(false, "20",
        {{1337, {"0.9897", "0.9794", "1.0000"}},
         {9999, {"0.9881", "0.9765", "0.9997"}},
         {777, {"0.9752", "0.9506", "0.9997"}},
         {0, {"0.9843 ± 0.0065", "0.9688", "0.9998"}}});
    add(true, "50",
        {{1337, {"0.9084", "0.8311", "0.9857"}},
         {9999, {"0.9858", "0.9716", "1.0000"}},
         {777, {"0.8921", "0.8102", "0.9740"}},
         {0, {"0.9288 ± 0.0409", "0.8710", "0.9866"}}});
}

void zema_stop_gradient(const Sets& sets, Exhibit& out) {
    out.note += kBestK;
    out.corner = "stop-gradient";
    out.columns = {"k", "overall", "weak", "severe"};
    const Set& zema = sets.zema;
    const auto add = [&](bool stopped, const char* k, const std::array<const char*, 3>& published) {
        const Fits fits = zema.with_gradient(stopped);
        const auto best = zema.best_k(fits);
        std::vector<Entry> cells = strata_of(zema, fits, best, published);
        cells.insert(cells.begin(), words(k_words(best), k));
        out.add(stopped ? "with" : "without", std::move(cells));
    };
    add(true, "50", {"0.9288 ± 0.0409", "0.8710", "0.9866"});
    add(false, "20", {"0.9843 ± 0.0065", "0.9688", "0.9998"});
    std::vector<Entry> difference = {nothing()};
    const std::array<const char*, 3> published = {"+0.0555", "+0.0978", "+0.0132"};
    for (size_t i = 0; i < published.size(); ++i) {
        const auto &with = out.rows[0].cells[i + 1].ours, &without = out.rows[1].cells[i + 1].ours;
        difference.push_back(
            words(with && without ? fmt::format("{:+.4f}", without->mean - with->mean) : "", published[i]));
    }
    out.add("without less with", std::move(difference));
}

void zema_baselines(const Sets& sets, Exhibit& out) {
    out.note += kBestK;
    out.corner = "method";
    out.columns = {"k", "k-NN", "native"};
    const Set& zema = sets.zema;
    const auto add = [&](const std::string& name, const Fits& fits, const char* k, const char* knn,
                         std::optional<std::string> native) {
        const auto best = zema.best_k(fits);
        out.add(name, {words(k_words(best), k), number(zema.spread(fits, zema.knn(best)), knn),
                       native ? number(zema.spread(fits, auroc_of("native")), *native) : nothing()});
    };
    add("vae", zema.fits("vae"), "50", "0.9979 ± 0.0006", "0.9115");
    add("cmr, no stop-gradient", zema.with_gradient(false), "20", "0.9843 ± 0.0065", std::nullopt);
    add("usad", zema.fits("usad"), "50", "0.9514 ± 0.0144", "0.5267");
    add("cmr, stop-gradient", zema.with_gradient(true), "50", "0.9288 ± 0.0409", std::nullopt);
    add("svdd", zema.fits("svdd"), "1", "0.8456 ± 0.0646", "0.5641");
    add("ae", zema.fits("ae"), "20", "0.7787 ± 0.1322", "0.3535");
    add("anomaly-transformer", zema.fits("anomaly-transformer"), "", "0.862", "");
}

void zema_k(const Sets& sets, Exhibit& out) {
    out.corner = "k";
    for (const char* side : {"stop-gradient", "no stop-gradient"})
        for (const char* stratum : kStrata)
            out.columns.push_back(std::string(side) + (*stratum ? std::string(", ") + stratum : ""));
    struct Row {
        int64_t k;
        std::array<const char*, 3> with, without;
    };
    for (const Row& row : {Row{1, {"0.8147", "0.7371", "0.8923"}, {"0.9709", "0.9430", "0.9988"}},
                           {5, {"0.8257", "0.7515", "0.9000"}, {"0.9717", "0.9442", "0.9993"}},
                           {10, {"0.8305", "0.7584", "0.9026"}, {"0.9723", "0.9448", "0.9998"}},
                           {20, {"0.9090", "0.8447", "0.9733"}, {"0.9843", "0.9688", "0.9998"}},
                           {50, {"0.9288", "0.8710", "0.9866"}, {"0.9561", "0.9210", "0.9912"}},
                           {100, {"0.9115", "0.8449", "0.9782"}, {"0.7967", "0.6929", "0.9005"}},
                           {200, {"0.3834", "0.3378", "0.4289"}, {"0.3857", "0.3486", "0.4229"}}}) {
        std::vector<Entry> cells;
        for (const bool stopped : {true, false})
            for (Entry& entry :
                 strata_of(sets.zema, sets.zema.with_gradient(stopped), row.k, stopped ? row.with : row.without)) {
                if (entry.ours) entry.ours->deviation.reset();
                cells.push_back(std::move(entry));
            }
        out.add(std::to_string(row.k), std::move(cells));
    }
}

}  // namespace cmr::study::paper
