#pragma once
// All tables and figures of the paper that have numbers. A new one is a function in a file of this folder and a row in
// items.cpp.

#include <span>

#include "study/paper/exhibit.h"
#include "study/paper/sets.h"

namespace cmr::study::paper {

struct Item {
    const char* label;
    const char* what;
    std::vector<Set Sets::*> sets;  // that it needs
    void (*fill)(const Sets& sets, Exhibit& out);
};

std::span<const Item> items();

// Each of them, answered or not, in the order of the paper. None where the runs have none of its datasets.
std::vector<Exhibit> make_exhibits(const Sets& sets);

// Which there are, and how much of each is ours.
ResultTable contents(const std::vector<Exhibit>& exhibits);

// One configuration for all folds, and what is chosen per fold with the labels at hand.
void pu_main(const Sets& sets, Exhibit& out);
void pu_main_bars(const Sets& sets, Exhibit& out);
void pu_fixed_perfold(const Sets& sets, Exhibit& out);
void pu_wilcoxon(const Sets& sets, Exhibit& out);
void pu_coverage(const Sets& sets, Exhibit& out);
void pu_baselines(const Sets& sets, Exhibit& out);
void pu_own_encoder(const Sets& sets, Exhibit& out);
void pu_strategy(const Sets& sets, Exhibit& out);
void pu_heatmap(const Sets& sets, Exhibit& out);
void pu_bearings(const Sets& sets, Exhibit& out);
void zema_main(const Sets& sets, Exhibit& out);
void zema_baselines(const Sets& sets, Exhibit& out);
void zema_k(const Sets& sets, Exhibit& out);
void swat_f1(const Sets& sets, Exhibit& out);
void swat_stealthy(const Sets& sets, Exhibit& out);
void swat_baselines(const Sets& sets, Exhibit& out);
void swat_k(const Sets& sets, Exhibit& out);
void marginals(const Sets& sets, Exhibit& out);
void master(const Sets& sets, Exhibit& out);
void methods(const Sets& sets, Exhibit& out);
void scoring(const Sets& sets, Exhibit& out);
void baselines(const Sets& sets, Exhibit& out);
void hard_subset(const Sets& sets, Exhibit& out);
void stop_gradient(const Sets& sets, Exhibit& out);
void pu_stop_gradient(const Sets& sets, Exhibit& out);
void zema_stop_gradient(const Sets& sets, Exhibit& out);
void pu_mechanism_weight(const Sets& sets, Exhibit& out);
void pu_reconstruction_weights(const Sets& sets, Exhibit& out);
void zema_cause_weight(const Sets& sets, Exhibit& out);
void swat_cause_weight(const Sets& sets, Exhibit& out);

// What the runs were made with.
void settings_summary(const Sets& sets, Exhibit& out);
void datasets(const Sets& sets, Exhibit& out);
void training_inference(const Sets& sets, Exhibit& out);
void architecture(const Sets& sets, Exhibit& out);

}  // namespace cmr::study::paper
