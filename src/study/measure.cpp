#include "study/measure.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "eval/f1.h"
#include "eval/metrics.h"
#include "model/parameters.h"
#include "score/features/pooling.h"
#include "score/fit_detector.h"
#include "score/scorers/kept_bank.h"
#include "study/embedding_grid.h"
#include "study/embedding_map.h"
#include "study/machines.h"
#include "study/marginals.h"
#include "study/named_strata.h"
#include "study/points.h"
#include "study/promise.h"
#include "study/stealth.h"
#include "study/test_windows.h"
#include "study/tried_rules.h"

namespace cmr::study {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ScoreResult judged_score(const std::string& name, const std::vector<double>& scores, const data::Dataset& dataset,
                         const TestWindows& test, const CountedWindows& counted) {
    const eval::Metrics judged = eval::compute_metrics(scores, test.faulty, test.stratum, test.recording);
    ScoreResult out;
    out.name = name;
    out.learned = true;
    out.auroc = judged.auroc;
    out.average_precision = judged.average_precision;
    out.vus_pr = judged.vus_pr;
    out.best_f1 = out.adjusted_f1 = out.point_f1 = out.point_adjusted_f1 = kNone;
    if (counted.has_faults()) {
        const std::vector<double> own = counted.of(scores);
        out.best_f1 = eval::best_f1(own, counted.test.faulty).f1;
        out.adjusted_f1 = eval::best_f1_point_adjusted(own, counted.test.faulty, counted.test.recording).f1;
    }
    out.healthy_mean = judged.healthy_mean;
    out.faulty_mean = judged.faulty_mean;
    out.strata = named_strata(judged.strata, dataset);
    return out;
}

// Marginal scores of the windows that are known to be healthy. By the protocol "paper" each is judged as the tested
// ones are, else by healthy windows of other blocks.
std::vector<double> healthy_marginal(const score::Detector& detector, const score::ScoreRun& run) {
    if (detector.recipe.split.protocol != "paper")
        return score_column(detector.healthy.scores, detector.names(), "marginal");
    const std::vector<data::Window> known = score::healthy_windows(detector.recipe, detector.fold);
    std::vector<int64_t> rows;
    for (size_t i = 0; i < run.windows.size(); ++i)
        if (std::ranges::binary_search(known, run.windows[i].window)) rows.push_back(static_cast<int64_t>(i));
    return score_column(run.scores.values, run.scores.names, "marginal", &rows);
}

void measure_scores(const Cell& cell, const score::Detector& detector, const data::Dataset& dataset,
                    const score::ScoreRun& run, const TestWindows& test, const CountedWindows& counted, Result& out) {
    std::vector<double> marginal, healthy;
    if (!cell.stealthy.empty()) {
        marginal = score_column(run.scores.values, run.scores.names, "marginal", &counted.test.rows);
        healthy = healthy_marginal(detector, run);
    }
    std::optional<Points> points;
    if (cell.pointwise && counted.has_faults()) points.emplace(counted, dataset, detector.recipe.window.length);
    const score::Gates gates = detector.pipeline.gates();
    double open = 0;
    for (const score::Gate& gate : gates) open += gate.open / static_cast<double>(gates.size());
    for (const std::string& name : run.scores.names) {
        const std::vector<double> scores = score_column(run.scores.values, run.scores.names, name, &test.rows);
        ScoreResult& result = out.scores.emplace_back(judged_score(name, scores, dataset, test, counted));
        const bool joined = score::is_joined(name);
        result.learned = joined || score::scorer_named(name).learned();
        if (!joined) result.weight = !detector.pipeline.combined().holds(name) ? 0 : result.learned ? open : 1;
        result.machines = by_machine(out.machines, dataset, scores, test.recording, test.faulty);
        const std::vector<double> own = counted.of(scores);
        if (!cell.stealthy.empty())
            result.stealth = by_stealth(cell.stealthy, own, counted.test.faulty, marginal, healthy);
        if (points) {
            const Points::F1 f1 = points->f1(own);
            result.point_f1 = f1.raw;
            result.point_adjusted_f1 = f1.adjusted;
        }
    }
}

}  // namespace

score::ScoreRun measure(const Cell& cell, const score::Detector& detector, const data::Dataset& dataset, Result& out) {
    const recipe::Recipe& recipe = detector.recipe;
    const model::Method& method = model::method_named(recipe.model.method);
    score::EmbedOptions embedding{
        .poolings = {},
        .decoding = cell.reconstruction && method.native == model::Native::kNone && recipe.model.effect_weight > 0};
    std::ranges::copy_if(cell.poolings, std::back_inserter(embedding.poolings), [&](const std::string& pooling) {
        return method.knows_causes || !score::pooling_named(pooling).needs_causes();
    });
    score::EmbeddingCapture kept{embedding, {}};
    score::ScoreRun run = score::run(detector, dataset, /*stride=*/0, &kept);
    const TestWindows test = test_windows_of(run, dataset);
    out.recipe = recipe.name;
    out.fold_name = detector.provenance.fold;
    out.main_score = recipe.score.main;
    out.train_windows = std::ssize(data::windows_of(detector.fold.train));
    out.faulty_windows = std::ranges::count(test.faulty, 1);
    out.healthy_windows = std::ssize(test.faulty) - out.faulty_windows;
    out.parameters = model::parameter_count(detector.pipeline.preprocessing().config);
    out.fingerprint = detector.provenance.fingerprint;
    out.machines = machines_of(recipe, dataset, test.recording, test.faulty);
    out.variations = marginal_variations(dataset);
    const CountedWindows counted = counted_of(test, cell.stratum, dataset);
    measure_scores(cell, detector, dataset, run, test, counted, out);
    if (counted.has_faults()) out.rules = tried_rules(detector, run, counted.test);
    if (method.knows_causes) out.promise.push_back(promise_of(detector, dataset, run));

    out.windows_per_second = static_cast<double>(run.windows.size()) / run.seconds;
    const score::Features windows = kept.pooled.chosen(test.rows);
    const score::Features bank =
        score::embed(detector.pipeline.features(), dataset, score::bank_windows(recipe, detector.fold),
                     {.poolings = embedding.poolings});
    if (embedding.decoding)
        out.scores.push_back(judged_score("reconstruction",
                                          {windows["native"].values.begin(), windows["native"].values.end()}, dataset,
                                          test, counted));
    out.grid =
        embedding_grid(cell, embedding.poolings, score::bank_limit(detector.recipe, score::kMostEmbeddingNumbers), bank,
                       windows, test, dataset);
    out.map = embedding_map(bank["effects.std"], windows["effects.std"], test, dataset);
    return run;
}

}  // namespace cmr::study
