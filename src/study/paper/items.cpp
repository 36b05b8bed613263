#include "study/paper/items.h"

#include <fmt/format.h>

namespace cmr::study::paper {
namespace {

constexpr Set Sets::*kPu = &Sets::pu;
constexpr Set Sets::*kZema = &Sets::zema;
constexpr Set Sets::*kSwat = &Sets::swat;

}  // namespace

std::span<const Item> items() {
    static const std::vector<Item> all = {
        {"tab:settings_summary", "Settings that matter most", {kPu, kZema, kSwat}, settings_summary},
        {"tab:datasets", "The three datasets", {kPu, kZema, kSwat}, datasets},
        {"fig:pu_main",
         "Paderborn fold by fold, one configuration for all and the best of each fold",
         {kPu},
         pu_main_bars},
        {"subsec:pu_main-wilcoxon",
         "Paderborn, cmr against each rival over the means of the folds",
         {kPu},
         pu_wilcoxon},
        {"subsec:pu_main-coverage",
         "Paderborn, mean k-NN distance to the healthy bank: why fold 12 fails",
         {kPu},
         pu_coverage},
        {"tab:swat_pointf1", "SWaT, best F1 of samples", {kSwat}, swat_f1},
        {"tab:synth_master", "Every method on the three datasets, AUROC", {kPu, kZema, kSwat}, master},
        {"fig:synth_methods", "cmr and the two strongest rivals on the three datasets", {kPu, kZema, kSwat}, methods},
        {"subsec:base_zema_swat",
         "Total variation between the healthy and the faulty samples of an effect",
         {kPu, kZema, kSwat},
         marginals},
        {"subsec:base_ownencoder",
         "Paderborn, the same encoders by reconstruction and by k-NN, one split",
         {kPu},
         pu_own_encoder},
        {"fig:synth_scoring", "Native score and k-NN on the same embeddings", {kPu, kZema, kSwat}, scoring},
        {"tab:swat_stealthy",
         "SWaT, stealthy and blunt attacks, AUROC against all healthy windows",
         {kSwat},
         swat_stealthy},
        {"tab:hard_subset", "The faults that are hard to tell on each dataset, AUROC", {kPu, kSwat}, hard_subset},
        {"fig:pu_heatmap", "Paderborn, AUROC of k-NN by pooling and k, cosine", {kPu}, pu_heatmap},
        {"fig:synth_stopgrad",
         "With and without the stop-gradient on the three datasets",
         {kPu, kZema, kSwat},
         stop_gradient},
        {"tab:training_inference", "Settings of training and scoring", {kPu, kZema, kSwat}, training_inference},
        {"tab:architecture", "The network", {kPu, kZema, kSwat}, architecture},
        {"tab:pu_bearings", "Paderborn, bearing by bearing: does the score rise with the damage?", {kPu}, pu_bearings},
        {"tab:pu_main", "Paderborn fold by fold and run by run, the best of each fold", {kPu}, pu_main},
        {"tab:pu_fixed_perfold", "Paderborn fold by fold, one configuration for all", {kPu}, pu_fixed_perfold},
        {"tab:zema_main", "ZeMA seed by seed, with and without the stop-gradient", {kZema}, zema_main},
        {"tab:pu_baselines", "Paderborn, every method on one split", {kPu}, pu_baselines},
        {"tab:zema_baselines", "ZeMA, every method at its best k", {kZema}, zema_baselines},
        {"fig:baselines_all", "Every method, dataset by dataset", {kPu, kZema, kSwat}, baselines},
        {"tab:swat_baselines", "SWaT, every method at its best score", {kSwat}, swat_baselines},
        {"fig:pu_currvib",
         "Paderborn, weights of the reconstruction of causes and effects, one split",
         {kPu},
         pu_reconstruction_weights},
        {"tab:pu_gamma", "Paderborn, weight of the mechanism, one split", {kPu}, pu_mechanism_weight},
        {"tab:pu_strategy", "Paderborn, poolings, each at its best k and metric", {kPu}, pu_strategy},
        {"tab:pu_stopgrad", "Paderborn with and without the stop-gradient, one split", {kPu}, pu_stop_gradient},
        {"tab:zema_stopgrad",
         "ZeMA with and without the stop-gradient, each at its best k",
         {kZema},
         zema_stop_gradient},
        {"tab:zema_ksweep", "ZeMA, k of k-NN", {kZema}, zema_k},
        {"tab:swat_cmr", "SWaT, k of k-NN, and the residual", {kSwat}, swat_k},
        {"tab:zema_beta", "ZeMA, weight of the reconstruction of the cause", {kZema}, zema_cause_weight},
        {"tab:swat_beta", "SWaT, weight of the reconstruction of the causes", {kSwat}, swat_cause_weight},
    };
    return all;
}

std::vector<Exhibit> make_exhibits(const Sets& sets) {
    std::vector<Exhibit> out;
    if (!sets.any()) return out;
    for (const Item& item : items()) {
        Exhibit& exhibit =
            out.emplace_back(Exhibit{.label = item.label, .what = item.what, .note = "", .corner = "", .columns = {}});
        for (const auto set : item.sets)
            if (const std::string caveat = (sets.*set).caveat(); !caveat.empty())
                exhibit.note += fmt::format("Ours of {}. ", caveat);
        item.fill(sets, exhibit);
        while (exhibit.note.ends_with(' ')) exhibit.note.pop_back();
    }
    return out;
}

ResultTable contents(const std::vector<Exhibit>& exhibits) {
    ResultTable out{.name = "paper",
                    .title = "Tables and figures of the paper, ours beside what was published",
                    .note = "Numbers that the runs at hand have, of those that the table or figure asks for.",
                    .corner = "label",
                    .columns = {"what", "ours"},
                    .rows = {}};
    for (const Exhibit& exhibit : exhibits)
        out.rows.push_back(
            {exhibit.label,
             {exhibit.what,
              exhibit.answered() == 0 ? "no data" : fmt::format("{} of {}", exhibit.answered(), exhibit.asked())}});
    return out;
}

}  // namespace cmr::study::paper
