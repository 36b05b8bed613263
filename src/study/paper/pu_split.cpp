// Paderborn on one split. The paper does not say which; here it is the first fold.

#include <fmt/format.h>

#include "study/paper/items.h"

namespace cmr::study::paper {
namespace {

constexpr int64_t kFold = 0;
constexpr const char* kNote = "Published values are of a single split that is not named, ours of fold 0. ";

}  // namespace

void pu_baselines(const Sets& sets, Exhibit& out) {
    out.note += kNote;
    out.corner = "method";
    out.columns = {"k-NN", "native"};
    struct Row {
        const char *method, *knn, *native;
    };
    for (const Row& row : {Row{"ae", "0.9072", "0.8486"},
                           {"vae", "0.9057", "0.6620"},
                           {"usad", "0.8990", "0.5367"},
                           {"svdd", "0.6458", "0.8920"},
                           {"anomaly-transformer", "out of memory", "out of memory"}}) {
        const Fits fits = of_fold(sets.pu.fits(row.method), kFold);
        out.add(row.method, {number(sets.pu.spread(fits, auroc_of("knn")), row.knn),
                             number(sets.pu.spread(fits, auroc_of("native")), row.native)});
    }
    const Fits ours = sets.pu.fits("cmr");
    out.add("cmr", {number(sets.pu.spread(of_fold(ours, kFold), auroc_of("knn")), "≈ 0.955"), nothing()});
    out.add("cmr, all folds, oracle", {number(sets.pu.spread(ours, oracle_auroc("")), "0.9297 ± 0.0351"), nothing()});
}

void pu_own_encoder(const Sets& sets, Exhibit& out) {
    out.note += kNote;
    out.corner = "encoder";
    out.columns = {"reconstruction", "k-NN"};
    const auto add = [&](const char* method, const char* score, const char* native, const char* knn) {
        const Fits fits = of_fold(sets.pu.fits(method), kFold);
        out.add(method, {number(sets.pu.spread(fits, auroc_of(score)), native),
                         number(sets.pu.spread(fits, auroc_of("knn")), knn)});
    };
    add("cmr", "reconstruction", "0.685", "0.955");
    add("ae", "native", "0.849", "0.907");
}

}  // namespace cmr::study::paper
