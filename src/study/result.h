#pragma once
// What one cell of a study gave: every number that tables and figures are made of. One line of JSON. A number that is
// added begins as NaN: results of earlier versions do not have it.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "study/study.h"

namespace cmr::study {

struct StratumResult {
    std::string name;
    int64_t faulty = 0;
    double auroc = 0;
};

// Faults that each sensor alone does not show, and those that it does.
struct StealthResult {
    double percentile = 0;
    int64_t stealthy_windows = 0, blunt_windows = 0;
    double stealthy = 0, blunt = 0;  // AUROC; NaN where there are none
};

// A damaged machine, as the recipe describes it.
struct MachineFacts {
    std::string name, kind, place;
    int64_t severity = 0;
    int64_t windows = 0;  // faulty ones of the test
};

struct MachineResult {
    std::string name;
    double auroc = 0;  // against all healthy windows
    double mean = 0;   // of the score itself, on its faulty windows
};

// How far a channel's faulty samples are from its healthy ones, see marginals.h.
struct ChannelVariation {
    std::string channel;
    double distance = 0;
};

struct ScoreResult {
    std::string name;
    bool learned = false;  // belongs to the cell's method, also as a sum of its scores; controls do not
    double auroc = 0, average_precision = 0, vus_pr = 0;
    double best_f1 = 0, adjusted_f1 = 0;         // of windows; the second is inflated
    double point_f1 = 0, point_adjusted_f1 = 0;  // of samples; NaN where not asked for
    double healthy_mean = 0, faulty_mean = 0;    // of the score itself, on test windows
    // In the combined score: 1 of a voice, of the mechanism how much of it is the network's, 0 of one that does not
    // count; NaN of the combined score itself.
    double weight = std::numeric_limits<double>::quiet_NaN();
    std::vector<StratumResult> strata;
    std::vector<StealthResult> stealth;
    std::vector<MachineResult> machines;
};

// One way to join the voices, see rules.h.
struct RuleResult {
    std::string name;
    double auroc = 0;
};

// A promise of false alarms, see promise.h. Rates are per day.
struct PromiseResult {
    std::string verdict;  // kept, broken, void, refused, too short
    double promised = 0, low = 0, high = 0;
    double seen = 0, days = 0;  // in the healthy time of the test
    double in_alarm = 0;        // share of it
    int64_t found = 0, faults = 0;
    std::string why;  // some of the time is void
};

struct GridResult {
    std::string pooling, metric;
    int64_t k = 0;
    double auroc = 0;
    std::vector<StratumResult> strata;
};

// Windows in the plane of the first two principal components of the healthy embeddings.
struct MapPoint {
    double x = 0, y = 0;
    std::string kind;  // bank, healthy, or the stratum of a fault
};

struct Result {
    std::string id;
    std::string status;  // done, failed
    std::string reason;  // of a failure
    std::string experiment, recipe, method, fold_name, protocol;
    int64_t seed = 0, fold = 0;
    std::string main_score;
    int64_t train_windows = 0, healthy_windows = 0, faulty_windows = 0;  // the last two of the test
    int64_t parameters = 0, epochs = 0, threads = 0;
    int64_t most_epochs = 0;  // that it was allowed; 0 in results of earlier versions
    double fit_seconds = 0, score_seconds = 0, windows_per_second = 0, peak_mb = 0;
    std::string version, fingerprint, isa;
    std::vector<ScoreResult> scores;
    std::vector<RuleResult> rules;
    std::vector<PromiseResult> promise;  // one, or none where results are of an earlier version
    std::vector<GridResult> grid;
    std::vector<MapPoint> map;
    std::vector<MachineFacts> machines;        // in the order of the recipe
    std::vector<ChannelVariation> variations;  // of every effect

    const ScoreResult* score(const std::string& name) const {
        for (const ScoreResult& s : scores)
            if (s.name == name) return &s;
        return nullptr;
    }
};

template <Is<StratumResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("faulty", c.faulty, "windows");
    visit("auroc", c.auroc, "against all healthy windows");
}

template <Is<StealthResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("percentile", c.percentile, "");
    visit("stealthy_windows", c.stealthy_windows, "");
    visit("blunt_windows", c.blunt_windows, "");
    visit("stealthy", c.stealthy, "AUROC");
    visit("blunt", c.blunt, "AUROC");
}

template <Is<MachineFacts> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("kind", c.kind, "of the damage");
    visit("place", c.place, "of the damage");
    visit("severity", c.severity, "");
    visit("windows", c.windows, "faulty");
}

template <Is<MachineResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("auroc", c.auroc, "against all healthy windows");
    visit("mean", c.mean, "of the score");
}

template <Is<ChannelVariation> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("channel", c.channel, "");
    visit("distance", c.distance, "total variation");
}

template <Is<RuleResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("auroc", c.auroc, "");
}

template <Is<PromiseResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("verdict", c.verdict, "");
    visit("promised", c.promised, "per day");
    visit("low", c.low, "per day");
    visit("high", c.high, "per day");
    visit("seen", c.seen, "per day");
    visit("days", c.days, "healthy ones of the test");
    visit("in_alarm", c.in_alarm, "share of that time");
    visit("found", c.found, "faults");
    visit("faults", c.faults, "");
    visit("why", c.why, "some of the time is void");
}

template <Is<ScoreResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("learned", c.learned, "");
    visit("auroc", c.auroc, "");
    visit("average_precision", c.average_precision, "");
    visit("vus_pr", c.vus_pr, "");
    visit("best_f1", c.best_f1, "");
    visit("adjusted_f1", c.adjusted_f1, "");
    visit("point_f1", c.point_f1, "");
    visit("point_adjusted_f1", c.point_adjusted_f1, "");
    visit("healthy_mean", c.healthy_mean, "");
    visit("faulty_mean", c.faulty_mean, "");
    visit("weight", c.weight, "in the combined score");
    visit("strata", c.strata, "");
    visit("stealth", c.stealth, "");
    visit("machines", c.machines, "");
}

template <Is<GridResult> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("pooling", c.pooling, "");
    visit("metric", c.metric, "");
    visit("k", c.k, "");
    visit("auroc", c.auroc, "");
    visit("strata", c.strata, "");
}

template <Is<MapPoint> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("x", c.x, "");
    visit("y", c.y, "");
    visit("kind", c.kind, "");
}

template <Is<Result> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("id", c.id, "");
    visit("status", c.status, "");
    visit("reason", c.reason, "");
    visit("experiment", c.experiment, "");
    visit("recipe", c.recipe, "");
    visit("method", c.method, "");
    visit("fold_name", c.fold_name, "");
    visit("protocol", c.protocol, "");
    visit("seed", c.seed, "");
    visit("fold", c.fold, "");
    visit("main_score", c.main_score, "");
    visit("train_windows", c.train_windows, "");
    visit("healthy_windows", c.healthy_windows, "");
    visit("faulty_windows", c.faulty_windows, "");
    visit("parameters", c.parameters, "");
    visit("epochs", c.epochs, "");
    visit("most_epochs", c.most_epochs, "that it was allowed");
    visit("threads", c.threads, "");
    visit("fit_seconds", c.fit_seconds, "");
    visit("score_seconds", c.score_seconds, "");
    visit("windows_per_second", c.windows_per_second, "");
    visit("peak_mb", c.peak_mb, "");
    visit("version", c.version, "");
    visit("fingerprint", c.fingerprint, "");
    visit("isa", c.isa, "");
    visit("scores", c.scores, "");
    visit("rules", c.rules, "");
    visit("promise", c.promise, "");
    visit("grid", c.grid, "");
    visit("map", c.map, "");
    visit("machines", c.machines, "");
    visit("variations", c.variations, "");
}

}  // namespace cmr::study
