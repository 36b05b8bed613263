#include "study/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "eval/f1.h"
#include "eval/metrics.h"
#include "eval/ranking.h"
#include "eval/summary.h"
#include "linear/pca.h"
#include "model/parameters.h"
#include "score/features/pooling.h"
#include "score/fit_detector.h"
#include "score/scorers/kept_bank.h"
#include "study/machines.h"
#include "study/marginals.h"
#include "study/promise.h"
#include "study/rules.h"

namespace cmr::study {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMapPoints = 400;  // of each kind

// Test windows, in the order of the run.
struct Test {
    std::vector<int64_t> rows;  // of the run
    std::vector<data::Window> windows;
    std::vector<uint8_t> faulty;
    std::vector<int64_t> stratum;
    std::vector<int64_t> recording;
};

Test test_of(const score::ScoreRun& run, const data::Dataset& dataset) {
    Test out;
    for (size_t i = 0; i < run.windows.size(); ++i) {
        const score::ScoredWindow& w = run.windows[i];
        if (w.split != "test") continue;
        out.rows.push_back(static_cast<int64_t>(i));
        out.windows.push_back(w.window);
        out.faulty.push_back(w.window.state == data::State::kFaulty);
        out.stratum.push_back(w.window.stratum);
        out.recording.push_back(w.window.recording);
    }
    const auto faulty = std::ranges::count(out.faulty, 1);
    if (faulty == 0 || faulty == std::ssize(out.faulty))
        throw InputError("{}: {} test windows, all {}; a study needs both kinds", dataset.name, out.faulty.size(),
                         faulty == 0 ? "healthy" : "faulty");
    return out;
}

// What stealth and F1 are told of: healthy windows and the faults that count in tables of all experiments.
struct Counted {
    int64_t stratum = -1;         // of the faults; -1: all
    std::vector<size_t> windows;  // of the test
    Test test;                    // they alone

    std::vector<double> of(const std::vector<double>& scores) const {
        std::vector<double> out;
        for (const size_t i : windows) out.push_back(scores[i]);
        return out;
    }
    bool has_faults() const { return std::ranges::count(test.faulty, 1) > 0; }
};

Counted counted_of(const Test& test, const std::string& stratum, const data::Dataset& dataset) {
    Counted out;
    if (!stratum.empty()) {
        out.stratum = std::ranges::find(dataset.strata, stratum) - dataset.strata.begin();
        if (out.stratum == std::ssize(dataset.strata))
            throw InputError("{}: no faults of stratum \"{}\"", dataset.name, stratum);
    }
    for (size_t i = 0; i < test.rows.size(); ++i) {
        if (test.faulty[i] != 0 && out.stratum >= 0 && test.stratum[i] != out.stratum) continue;
        out.windows.push_back(i);
        out.test.rows.push_back(test.rows[i]);
        out.test.windows.push_back(test.windows[i]);
        out.test.faulty.push_back(test.faulty[i]);
        out.test.stratum.push_back(test.stratum[i]);
        out.test.recording.push_back(test.recording[i]);
    }
    return out;
}

std::vector<double> column_of(const Matrix& values, const std::vector<std::string>& names, const std::string& name,
                              const std::vector<int64_t>* rows = nullptr) {
    const auto at = std::ranges::find(names, name) - names.begin();
    if (at == std::ssize(names)) throw InputError("the detector has no score \"{}\"", name);
    std::vector<double> out;
    const int64_t count = rows ? std::ssize(*rows) : values.rows;
    for (int64_t i = 0; i < count; ++i) out.push_back(values.row(rows ? (*rows)[i] : i)[at]);
    return out;
}

std::vector<StratumResult> named(const std::vector<eval::StratumAuroc>& strata, const data::Dataset& dataset) {
    std::vector<StratumResult> out;
    for (const eval::StratumAuroc& s : strata)
        if (s.stratum >= 0) out.push_back({dataset.strata[s.stratum], s.faulty, s.auroc});
    return out;
}

// Healthy windows and those faulty ones that `choose` takes; NaN where it takes none.
template <typename Choose>
double auroc_of_some(const std::vector<double>& scores, const std::vector<uint8_t>& faulty, const Choose& choose) {
    std::vector<double> some;
    std::vector<uint8_t> labels;
    for (size_t i = 0; i < scores.size(); ++i)
        if (faulty[i] == 0 || choose(i)) {
            some.push_back(scores[i]);
            labels.push_back(faulty[i]);
        }
    return std::ranges::count(labels, 1) > 0 ? eval::auroc(some, labels) : kNone;
}

std::vector<StealthResult> by_stealth(const Cell& cell, const std::vector<double>& scores, const Test& test,
                                      const std::vector<double>& marginal, const std::vector<double>& healthy) {
    std::vector<StealthResult> out;
    for (const double percentile : cell.stealthy) {
        const double threshold = eval::quantile(healthy, percentile / 100);
        const auto is_stealthy = [&](size_t i) { return marginal[i] < threshold; };
        StealthResult& result = out.emplace_back();
        result.percentile = percentile;
        for (size_t i = 0; i < scores.size(); ++i)
            if (test.faulty[i] != 0) ++(is_stealthy(i) ? result.stealthy_windows : result.blunt_windows);
        result.stealthy = auroc_of_some(scores, test.faulty, is_stealthy);
        result.blunt = auroc_of_some(scores, test.faulty, [&](size_t i) { return !is_stealthy(i); });
    }
    return out;
}

// Samples of the test instead of windows.
class Points {
  public:
    Points(const Counted& counted, const data::Dataset& dataset, int64_t length) : length_(length) {
        const Test& test = counted.test;
        for (size_t first = 0; first < test.windows.size();) {
            Piece& piece = pieces_.emplace_back();
            piece.first = first;
            piece.recording = test.recording[first];
            for (; first < test.windows.size() && test.recording[first] == piece.recording; ++first)
                piece.begins.push_back(test.windows[first].begin);
            const data::Recording& r = dataset.recordings[piece.recording];
            piece.labels.assign(r.length(), 0);
            for (const data::Span& span : r.spans)
                if (span.state == data::State::kFaulty)
                    std::fill(piece.labels.begin() + span.begin, piece.labels.begin() + span.end, 1);
        }
    }

    // F1 raw and adjusted.
    std::pair<double, double> f1(const std::vector<double>& scores) const {
        std::vector<double> values;
        std::vector<uint8_t> labels;
        std::vector<int64_t> recordings;
        for (const Piece& piece : pieces_) {
            const std::span<const double> own(scores.data() + piece.first, piece.begins.size());
            const auto points = eval::point_scores(own, piece.begins, length_, std::ssize(piece.labels));
            for (size_t i = 0; i < points.size(); ++i)
                if (!std::isinf(points[i])) {  // covered by a test window that counts
                    values.push_back(points[i]);
                    labels.push_back(piece.labels[i]);
                    recordings.push_back(piece.recording);
                }
        }
        return {eval::best_f1(values, labels).f1, eval::best_f1_point_adjusted(values, labels, recordings).f1};
    }

  private:
    struct Piece {
        int64_t recording = 0;
        size_t first = 0;
        std::vector<int64_t> begins;
        std::vector<uint8_t> labels;  // per sample
    };
    int64_t length_;
    std::vector<Piece> pieces_;
};

ScoreResult judged_score(const std::string& name, const std::vector<double>& scores, const data::Dataset& dataset,
                         const Test& test, const Counted& counted) {
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
    out.strata = named(judged.strata, dataset);
    return out;
}

void measure_scores(const Cell& cell, const score::Detector& detector, const data::Dataset& dataset,
                    const score::ScoreRun& run, const Test& test, const Counted& counted, Result& out) {
    std::vector<double> marginal, healthy;
    if (!cell.stealthy.empty()) {
        marginal = column_of(run.scores.values, run.scores.names, "marginal", &counted.test.rows);
        healthy = column_of(detector.healthy.scores, detector.names(), "marginal");
    }
    std::optional<Points> points;
    if (cell.pointwise && counted.has_faults()) points.emplace(counted, dataset, detector.recipe.window.length);
    const score::Gates gates = detector.pipeline.gates();
    double open = 0;
    for (const score::Gate& gate : gates) open += gate.open / static_cast<double>(gates.size());
    for (const std::string& name : run.scores.names) {
        const std::vector<double> scores = column_of(run.scores.values, run.scores.names, name, &test.rows);
        ScoreResult& result = out.scores.emplace_back(judged_score(name, scores, dataset, test, counted));
        const bool joined = score::is_joined(name);
        result.learned = joined || score::scorer_named(name).learned();
        if (!joined) result.weight = !detector.pipeline.combined().holds(name) ? 0 : result.learned ? open : 1;
        result.machines = by_machine(out.machines, dataset, scores, test.recording, test.faulty);
        const std::vector<double> own = counted.of(scores);
        if (!cell.stealthy.empty()) result.stealth = by_stealth(cell, own, counted.test, marginal, healthy);
        if (points) std::tie(result.point_f1, result.point_adjusted_f1) = points->f1(own);
    }
}

// The voices joined in other ways, on the faults that count. They were cross-fitted on the healthy windows.
void measure_rules(const score::Detector& detector, const score::ScoreRun& run, const Test& test, Result& out) {
    const std::vector<std::string>& voices = detector.pipeline.combined().voices();
    const auto columns = [&](const Matrix& values, const std::vector<std::string>& names,
                             const std::vector<int64_t>& rows) {
        Matrix some(std::ssize(rows), std::ssize(voices));
        for (size_t k = 0; k < voices.size(); ++k) {
            const std::vector<double> column = column_of(values, names, voices[k], &rows);
            for (int64_t i = 0; i < some.rows; ++i) some.row(i)[k] = static_cast<float>(column[i]);
        }
        return some;
    };
    std::vector<int64_t> all(detector.healthy.scores.rows);
    std::iota(all.begin(), all.end(), 0);
    const Matrix healthy = columns(detector.healthy.scores, detector.names(), all);
    const Matrix tested = columns(run.scores.values, run.scores.names, test.rows);
    for (const Rule& rule : rules())
        out.rules.push_back({std::string(rule.name), eval::auroc(rule.join(healthy, tested), test.faulty)});
}

// most_numbers: of a bank.
void measure_grid(const Cell& cell, const std::vector<std::string>& poolings, int64_t most_numbers,
                  const score::Features& bank, const score::Features& windows, const data::Dataset& dataset,
                  const Test& test, Result& out) {
    for (const std::string& name : poolings) {
        const score::Pooling pooling(name, bank);
        const Matrix healthy = pooling(bank), queries = pooling(windows);
        for (const std::string& metric : cell.metrics) {
            const score::KeptBank kept(healthy, score::metric_named(metric), most_numbers);
            std::vector<int64_t> ks;
            std::ranges::copy_if(cell.ks, std::back_inserter(ks), [&](int64_t k) { return k <= kept.search().rows(); });
            const Matrix distances = kept.search().score_each(queries, ks);
            for (size_t i = 0; i < ks.size(); ++i) {
                std::vector<double> scores;
                for (int64_t row = 0; row < distances.rows; ++row) scores.push_back(distances.row(row)[i]);
                out.grid.push_back({name, metric, ks[i], eval::auroc(scores, test.faulty),
                                    named(eval::auroc_per_stratum(scores, test.faulty, test.stratum), dataset)});
            }
        }
    }
}

void measure_map(const Matrix& bank, const Matrix& windows, const data::Dataset& dataset, const Test& test,
                 Result& out) {
    const linear::Pca pca = linear::fit_pca(bank, 2);
    if (pca.components() < 2) return;
    const Matrix healthy = pca.transform(bank), others = pca.transform(windows);
    const auto add = [&](const Matrix& points, const std::vector<int64_t>& rows, const std::string& kind) {
        const int64_t count = std::min<int64_t>(kMapPoints, std::ssize(rows));
        for (int64_t i = 0; i < count; ++i) {
            const auto row = points.row(rows[i * std::ssize(rows) / count]);
            out.map.push_back({row[0], row[1], kind});
        }
    };
    std::vector<int64_t> all(bank.rows);
    for (int64_t i = 0; i < bank.rows; ++i) all[i] = i;
    add(healthy, all, "bank");
    std::map<std::string, std::vector<int64_t>> kinds;
    for (size_t i = 0; i < test.faulty.size(); ++i) {
        const std::string fault = test.stratum[i] >= 0 ? dataset.strata[test.stratum[i]] : "faulty";
        kinds[test.faulty[i] != 0 ? fault : "healthy"].push_back(static_cast<int64_t>(i));
    }
    for (const auto& [kind, rows] : kinds) add(others, rows, kind);
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
    const Test test = test_of(run, dataset);
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
    const Counted counted = counted_of(test, cell.stratum, dataset);
    measure_scores(cell, detector, dataset, run, test, counted, out);
    if (counted.has_faults()) measure_rules(detector, run, counted.test, out);
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
    measure_grid(cell, embedding.poolings, score::bank_limit(detector.recipe, score::kMostEmbeddingNumbers), bank,
                 windows, dataset, test, out);
    measure_map(bank["effects.std"], windows["effects.std"], dataset, test, out);
    return run;
}

}  // namespace cmr::study
