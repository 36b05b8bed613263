#include "score/fit_detector.h"

#include <algorithm>
#include <numeric>

#include "data/coupling.h"
#include "data/memory.h"
#include "linear/mechanism.h"
#include "score/combine/rehearsal.h"
#include "score/combine/unseen.h"

namespace cmr::score {
namespace {

constexpr int64_t kGolden = 4;  // windows kept with their scores
// Windows that faults are rehearsed on: an AUROC of so many is within about 0.02.
constexpr int64_t kMostRehearsed = 256;

// Those of the recipe that can be had from this network, and the one that explains.
std::vector<const ScorerKind*> chosen_kinds(const std::vector<std::string>& only, const model::Model& network) {
    for (const std::string& name : only) scorer_named(name);  // InputError for one that there is not
    std::vector<const ScorerKind*> out;
    for (const ScorerKind& kind : scorer_kinds()) {
        const bool wanted = only.empty() || kind.explains || std::ranges::count(only, kind.name) > 0;
        if (wanted && kind.possible_with(network)) out.push_back(&kind);
    }
    return out;
}

// Effects whose linear R² from the causes is high enough; all where none is.
std::vector<int64_t> coupled_effects(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                                     const model::Preprocessing& preprocessing) {
    const auto r2 = data::linear_r2(dataset, data::covered(fold.train, recipe.window.length), preprocessing.scaler);
    std::vector<int64_t> out, all;
    for (size_t i = 0; i < preprocessing.effects.size(); ++i) {
        all.push_back(static_cast<int64_t>(i));
        if (r2[preprocessing.effects[i]] > recipe.screening.coupled_r2) out.push_back(static_cast<int64_t>(i));
    }
    return out.empty() ? all : out;
}

// Where some of the windows stand among all; both ascending.
std::vector<int64_t> rows_of(const std::vector<data::Window>& some, const std::vector<data::Window>& all) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < all.size(); ++i)
        if (std::ranges::binary_search(some, all[i])) out.push_back(static_cast<int64_t>(i));
    return out;
}

HealthyTrace trace_of(const data::Dataset& dataset, const recipe::Recipe& recipe,
                      const std::vector<data::Window>& windows) {
    HealthyTrace out;
    const int64_t stride = recipe.window.training_stride();
    out.period_s = static_cast<double>(stride) / dataset.rate_hz;
    int32_t segment = -1;
    for (size_t i = 0; i < windows.size(); ++i) {
        const bool goes_on = i > 0 && data::is_consecutive(dataset, windows[i - 1], windows[i], stride);
        segment += goes_on ? 0 : 1;
        out.segment.push_back(segment);
        out.end_s.push_back(data::end_of(dataset, windows[i], recipe.window.length));
    }
    return out;
}

// Healthy windows and faults made from them, judged by scorers that did not see them.
struct Rehearsed {
    std::vector<const ScorerKind*> kinds;        // that count in the combined score
    std::vector<std::string> names;              // theirs
    CrossFitted healthy;                         // the windows themselves
    std::vector<CrossFitted> faults;             // per kind of rehearsed fault
    std::vector<std::vector<int64_t>> channels;  // that were spoiled
};

// rows: of which faults are made.
Rehearsed rehearse_all(const FeatureExtractor& extract, const Healthy& healthy,
                       const std::vector<const ScorerKind*>& kinds, const std::vector<int64_t>& rows, uint64_t seed) {
    Rehearsed out;
    std::ranges::copy_if(kinds, std::back_inserter(out.kinds), [](const ScorerKind* kind) { return kind->combined; });
    for (const ScorerKind* kind : out.kinds) out.names.emplace_back(kind->name);
    std::vector<Rng> rngs;
    for (const Rehearsal& kind : rehearsals()) rngs.push_back(Rng(seed).split("rehearsal").split(kind.name));
    out.channels.resize(rngs.size());
    const auto spoil = [&](size_t kind, const Features& block, const std::vector<int64_t>& chosen) {
        SpoiledWindows faults =
            rehearse(rehearsals()[kind], block.effects, std::ssize(healthy.preprocessing.effects), chosen, rngs[kind]);
        out.channels[kind].insert(out.channels[kind].end(), faults.channel.begin(), faults.channel.end());
        return extract(chosen_rows(block.causes, chosen), std::move(faults.effects));
    };
    out.faults = cross_fit(healthy, out.kinds, {rngs.size(), rows, spoil});
    out.healthy = std::move(out.faults.front());
    out.faults.erase(out.faults.begin());
    return out;
}

// Which windows weights are learned from.
struct Jury {
    std::vector<int64_t> rows;       // that no network has seen, or all where none may count
    std::vector<int64_t> rehearsed;  // evenly spaced ones of them
    bool any_learned, trusted;

    bool eligible(const ScorerKind& kind) const { return trusted || !kind.learned(); }
    bool learned(const ScorerKind& kind) const { return any_learned ? kind.learned() : eligible(kind); }
};

// Where the network has seen all windows, nothing can be held against it, and it may not count. What is fitted without
// it was judged by other windows throughout.
Jury choose_jury(const Healthy& healthy, const data::Fold& fold, const std::vector<const ScorerKind*>& kinds) {
    Jury out;
    out.any_learned =
        std::ranges::any_of(kinds, [](const ScorerKind* kind) { return kind->combined && kind->learned(); });
    if (out.any_learned) out.rows = unseen_rows(healthy.windows, fold, healthy.recipe.window.length);
    out.trusted = !out.rows.empty();
    if (!out.trusted) {
        out.rows.resize(healthy.windows.size());
        std::iota(out.rows.begin(), out.rows.end(), 0);
    }
    const auto rows = std::ssize(out.rows), some = std::min(rows, kMostRehearsed);
    for (int64_t i = 0; i < some; ++i) out.rehearsed.push_back(out.rows[i * rows / some]);
    return out;
}

RehearsalReport report_of(const Rehearsed& rehearsed, const Jury& jury, const std::vector<NamedScorer>& scorers,
                          const Combined& combined, const Attribution& attribution) {
    RehearsalReport out;
    for (const NamedScorer& each : scorers) {
        ScorerReport& report = out.scorers.emplace_back();
        report.name = each.name();
        report.learned = each.kind->learned();
        report.weight = combined.weight(report.name);
        const auto judged = std::ranges::find(rehearsed.kinds, each.kind);
        if (judged == rehearsed.kinds.end()) continue;
        for (const CrossFitted& faults : rehearsed.faults)
            report.auroc.push_back(rehearsed_auroc(rehearsed.healthy.scores, faults.scores, jury.rehearsed,
                                                   judged - rehearsed.kinds.begin()));
    }
    out.effect_named = attribution.hit_rate(rehearsed.kinds, rehearsed.faults, rehearsed.channels);
    return out;
}

// What counts was cross-fitted; a control, which stands at the end, is shown as it is.
Matrix single_scores(const Rehearsed& rehearsed, const std::vector<NamedScorer>& scorers, const Features& healthy) {
    Matrix out(healthy.rows(), std::ssize(scorers));
    constexpr int64_t kSome = 64;
    for (int64_t first = 0; first < out.rows; first += kSome) {
        std::vector<int64_t> rows(std::min(kSome, out.rows - first));
        std::iota(rows.begin(), rows.end(), first);
        const Features some = healthy.chosen(rows);
        for (size_t k = 0; k < scorers.size(); ++k) {
            const auto judged = std::ranges::find(rehearsed.kinds, scorers[k].kind);
            const std::vector<float> own =
                judged == rehearsed.kinds.end() ? scorers[k].scorer->judge(some).scores : std::vector<float>();
            for (const int64_t i : rows)
                out.row(i)[k] =
                    own.empty() ? rehearsed.healthy.scores.row(i)[judged - rehearsed.kinds.begin()] : own[i - first];
        }
    }
    return out;
}

GoldenWindows golden_of(const Pipeline& pipeline, const Features& healthy) {
    GoldenWindows out{evenly_spaced_rows(healthy.causes, kGolden), evenly_spaced_rows(healthy.effects, kGolden), {}};
    out.scores = pipeline.score(pipeline.features()(out.causes, out.effects)).values;
    return out;
}

}  // namespace

std::vector<data::Window> healthy_windows(const recipe::Recipe& recipe, const data::FoldWindows& fold) {
    std::vector<data::Window> out = data::windows_of(fold.train);
    const bool tested = recipe.split.protocol == "paper" && recipe.split.held_out == "validation+test";
    if (!tested) {
        const std::vector<data::Window> validation = data::windows_of(fold.validation);
        out.insert(out.end(), validation.begin(), validation.end());
    }
    std::ranges::sort(out);
    return out;
}

std::vector<data::Window> bank_windows(const recipe::Recipe& recipe, const data::FoldWindows& fold) {
    return recipe.split.protocol == "paper" ? data::windows_of(fold.train) : healthy_windows(recipe, fold);
}

Detector fit_detector(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                      model::Preprocessing preprocessing, model::Model network, Provenance provenance) {
    FeatureExtractor extract(std::move(preprocessing), std::move(network), recipe.window.length,
                             {.poolings = {recipe.score.pooling}, .decoding = false});
    const data::FoldWindows runs = data::runs_of(fold);
    const std::vector<data::Window> windows = healthy_windows(recipe, runs);
    const Healthy embedded{dataset,
                           recipe,
                           extract.preprocessing(),
                           coupled_effects(dataset, recipe, fold, extract.preprocessing()),
                           windows,
                           embed(extract, dataset, windows)};
    const std::vector<const ScorerKind*> kinds = chosen_kinds(recipe.score.only, extract.network());
    const Jury jury = choose_jury(embedded, fold, kinds);
    Rehearsed rehearsed =
        rehearse_all(extract, embedded, kinds, jury.rehearsed, static_cast<uint64_t>(provenance.seed));
    if (jury.trusted) move_seen(rehearsed.healthy.scores, rehearsed.kinds, jury.rows);
    std::vector<bool> voices, learned_voices;
    for (const ScorerKind* kind : rehearsed.kinds) {
        voices.push_back(jury.eligible(*kind));
        learned_voices.push_back(jury.learned(*kind));
    }

    std::vector<NamedScorer> scorers;
    const auto fit_on = [&](const Healthy& bank) {
        for (const ScorerKind* kind : kinds) scorers.push_back({kind, kind->fit(bank)});
    };
    // Two such, of the bank and of all, never stand in memory together.
    const std::vector<int64_t> bank = rows_of(bank_windows(recipe, runs), windows);
    const bool apart = bank.size() < windows.size();
    if (apart) fit_on(embedded.chosen(bank));
    const Healthy healthy = embedded.chosen(rows_of(windows, windows));  // with their samples
    if (!apart) fit_on(healthy);
    std::vector<Matrix> faulty;
    for (const CrossFitted& faults : rehearsed.faults) faulty.push_back(faults.scores);
    const NamedScores judged{rehearsed.names, rehearsed.healthy.scores};
    Combined learned(judged, faulty, jury.rehearsed, learned_voices);
    Combined combined(judged, faulty, jury.rehearsed, voices);
    Attribution attribution(combined, rehearsed.kinds, rehearsed.healthy, jury.rows);
    RehearsalReport report = report_of(rehearsed, jury, scorers, combined, attribution);
    const Matrix single = single_scores(rehearsed, scorers, healthy.features);
    Explainer explainer{CauseNovelty(healthy),
                        EffectRanges(healthy.features.effects, std::ssize(healthy.preprocessing.effects))};

    Pipeline pipeline(std::move(extract), std::move(scorers), std::move(learned), std::move(combined),
                      std::move(attribution));
    HealthyScores scores(pipeline.with_combined(single), trace_of(dataset, recipe, windows));
    GoldenWindows golden = golden_of(pipeline, healthy.features);
    return {.provenance = std::move(provenance),
            .recipe = recipe,
            .channels = dataset.channels,
            .fold = runs,
            .pipeline = std::move(pipeline),
            .explainer = std::move(explainer),
            .rehearsal = std::move(report),
            .healthy = std::move(scores),
            .alarm = {},
            .golden = std::move(golden)};
}

int64_t memory_to_fit(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t windows) {
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    const int64_t window = channels * recipe.window.length, embedding = channels * recipe.model.width;
    // The windows; up to a limit, once more those of causes and effects side by side, and those that principal
    // components are found of; pooled embeddings in two copies and scaled.
    const int64_t joined = std::min(windows * window, kMostJoinedNumbers);
    const int64_t copies = windows * (window + 3 * data::kPoolings * embedding) + 2 * joined;
    // Sums of a regression, one for each block and what is made of them, in double.
    constexpr int64_t kSums = 20;
    const int64_t effects = std::ranges::count(dataset.channels, true, &data::Channel::effect);
    const int64_t outputs = effects * std::max(recipe.window.length, 2 * recipe.model.width);
    const int64_t sums = outputs > linear::kOutputsAtOnce
                             ? linear::kDirections * (kSums * linear::kOutputsAtOnce + 4 * outputs)
                             : kSums * std::min(windows, linear::kMostInputs) * outputs;
    return 4 * copies + 8 * sums + (int64_t{300} << 20);  // and libtorch itself
}

}  // namespace cmr::score
