#include "score/fit_detector.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/coupling.h"
#include "data/memory.h"
#include "data/window_matrix.h"
#include "linear/mechanism.h"
#include "score/combine/cross_fit.h"
#include "score/combine/unseen.h"
#include "score/memory.h"
#include "score/scorers/knn_bank.h"

namespace cmr::score {
namespace {

constexpr int64_t kGolden = 4;  // windows kept with their scores

// Those of the recipe that can be had from this network, or this method, and the one that explains.
template <typename From>
std::vector<const ScorerKind*> chosen_kinds(const std::vector<std::string>& only, const From& from) {
    for (const std::string& name : only) scorer_named(name);  // InputError for one that there is not
    std::vector<const ScorerKind*> out;
    for (const ScorerKind& kind : scorer_kinds()) {
        const bool wanted = only.empty() || kind.explains || std::ranges::count(only, kind.name) > 0;
        if (wanted && kind.possible_with(from)) out.push_back(&kind);
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

// Healthy windows as they will be scored. Where training skips some, an event that falls between would not be counted
// against the promise.
std::vector<data::Window> judged_windows(const data::Dataset& dataset, const recipe::Recipe& recipe,
                                         const std::vector<data::Window>& fitted) {
    const recipe::Window& shape = recipe.window;
    if (shape.judging_stride() == shape.training_stride()) return fitted;
    const std::vector<data::SampleRange> stretches = data::covered(fitted, shape.length);
    std::set<int32_t> recordings;
    for (const data::SampleRange& stretch : stretches) recordings.insert(stretch.recording);
    std::vector<data::Window> out;
    for (const int32_t recording : recordings)
        data::cut_windows(dataset, recording, shape, shape.judging_stride(), out);
    std::erase_if(out, [&](const data::Window& w) {
        return w.state != data::State::kHealthy || !data::is_inside(stretches, w, shape.length);
    });
    return out;
}

HealthyTrace trace_of(const data::Dataset& dataset, const recipe::Recipe& recipe,
                      const std::vector<data::Window>& windows) {
    HealthyTrace out;
    const int64_t stride = recipe.window.judging_stride();
    out.period_s = static_cast<double>(stride) / dataset.rate_hz;
    if (recipe.split.kind == "leave-units-out") {
        std::set<std::string> machines;
        for (const data::Window& w : windows) machines.insert(dataset.recordings[w.recording].unit);
        out.machines = std::ssize(machines);
    }
    int32_t segment = -1;
    for (size_t i = 0; i < windows.size(); ++i) {
        const bool goes_on = i > 0 && data::is_consecutive(dataset, windows[i - 1], windows[i], stride);
        segment += goes_on ? 0 : 1;
        out.segment.push_back(segment);
        out.end_s.push_back(data::end_of(dataset, windows[i], recipe.window.length));
    }
    return out;
}

// Those that count. One that takes the place of another silences it.
std::vector<const ScorerKind*> voices_of(const std::vector<const ScorerKind*>& kinds) {
    std::vector<const ScorerKind*> out;
    for (const ScorerKind* kind : kinds) {
        const auto replaces = [&](const ScorerKind* other) { return other->instead_of == kind->name; };
        if (kind->voice && std::ranges::none_of(kinds, replaces)) out.push_back(kind);
    }
    return out;
}

// By the windows that the network has not seen, and a linear mechanism that has not seen them either.
Gates gates_of(const Healthy& healthy, const std::vector<int64_t>& fitted, std::vector<int64_t> unseen,
               const Foretell& foretell) {
    std::vector<int64_t> seen;
    std::ranges::set_difference(fitted, unseen, std::back_inserter(seen));
    std::erase_if(unseen, [&](int64_t row) { return !std::ranges::binary_search(fitted, row); });
    if (std::ssize(seen) < linear::kRidgeBlocks) return {};
    const int64_t effects = std::ssize(healthy.preprocessing.effects);
    std::optional<linear::WindowRidge> ridge;
    {
        const Features windows = healthy.chosen(seen).features;
        ridge.emplace(windows.causes, windows.effects, effects);
    }
    const Features windows = healthy.chosen(unseen).features;
    return fit_gates(ridge->residuals(windows.causes, windows.effects), foretell(unseen), effects,
                     healthy.preprocessing.inputs.foretold_from());
}

// Opens the gates as far as the unseen windows prove it. Those windows; none where all gates stay closed: where the
// network has seen all, nothing can be held against it.
std::vector<int64_t> open_gates(Healthy& healthy, const std::vector<int64_t>& fitted, std::vector<int64_t> unseen,
                                const Foretell& foretell) {
    if (!unseen.empty()) healthy.gates = gates_of(healthy, fitted, unseen, foretell);
    if (!any_open(healthy.gates)) unseen.clear();
    return unseen;
}

std::vector<NamedScorer> fit_scorers(const std::vector<const ScorerKind*>& kinds, const Healthy& bank) {
    std::vector<NamedScorer> out;
    for (const ScorerKind* kind : kinds) out.push_back({kind, kind->fit(bank)});
    return out;
}

std::vector<int64_t> channels_of(const model::Preprocessing& used) {
    std::vector<int64_t> out = used.causes;
    out.insert(out.end(), used.effects.begin(), used.effects.end());
    return out;
}

// Voices were cross-fitted; what stands beside them is shown as it is.
Matrix single_scores(const CrossFitted& judged, const std::vector<const ScorerKind*>& voices,
                     const std::vector<NamedScorer>& scorers, const Healthy& healthy) {
    Matrix out(std::ssize(healthy.windows), std::ssize(scorers));
    constexpr int64_t kSome = 64;
    for (int64_t first = 0; first < out.rows; first += kSome) {
        std::vector<int64_t> rows(std::min(kSome, out.rows - first));
        std::iota(rows.begin(), rows.end(), first);
        const Features some = healthy.chosen(rows).features;
        for (size_t k = 0; k < scorers.size(); ++k) {
            const auto voice = std::ranges::find(voices, scorers[k].kind);
            const std::vector<float> own =
                voice == voices.end() ? scorers[k].scorer->judge(some).scores : std::vector<float>();
            for (const int64_t i : rows)
                out.row(i)[k] = own.empty() ? judged.scores.row(i)[voice - voices.begin()] : own[i - first];
        }
    }
    return out;
}

Explainer explainer_of(const Pipeline& pipeline, const Healthy& healthy) {
    const Matrix &causes = healthy.features.causes, &effects = healthy.features.effects;
    const int64_t cause_count = std::ssize(healthy.preprocessing.causes),
                  effect_count = std::ssize(healthy.preprocessing.effects);
    return {ChannelRanges(effects, effect_count), ChannelRanges(causes, cause_count),
            ChannelRanges(pipeline.mechanism().residuals(causes, effects), effect_count)};
}

// Evenly spaced.
GoldenWindows golden_of(const Pipeline& pipeline, const data::Dataset& dataset,
                        const std::vector<data::Window>& healthy) {
    std::vector<data::Window> chosen;
    const int64_t windows = std::ssize(healthy), count = std::min(windows, kGolden);
    for (int64_t i = 0; i < count; ++i) chosen.push_back(healthy[i * windows / count]);
    GoldenWindows out{data::raw_windows(dataset, chosen, pipeline.features().length()), {}};
    out.scores = pipeline.score(out.samples).values;
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

void check_fold(const recipe::Recipe& recipe, const data::Fold& fold, const model::Preprocessing& preprocessing) {
    const data::FoldWindows runs = data::runs_of(fold);
    check_blocks(std::ssize(healthy_windows(recipe, runs)), recipe.score.blocks);
    const int64_t windows = std::ssize(bank_windows(recipe, runs));
    for (const ScorerKind* kind : chosen_kinds(recipe.score.only, model::method_named(recipe.model.method)))
        if (kind->bank_rows) check_neighbours(recipe.score.k, kind->bank_rows(Setting{recipe, preprocessing}, windows));
}

Detector fit_detector(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                      model::Preprocessing preprocessing, model::Model network, Provenance provenance,
                      const FitProgress& progress) {
    const std::vector<const ScorerKind*> kinds = chosen_kinds(recipe.score.only, network);
    const std::vector<const ScorerKind*> voices = voices_of(kinds);
    const bool foretells = can_foretell(network.config) &&
                           std::ranges::any_of(voices, [](const ScorerKind* kind) { return kind->learned(); });
    FeatureExtractor extract(std::move(preprocessing), std::move(network), recipe.window.length,
                             {.poolings = {recipe.score.pooling}});
    const data::FoldWindows runs = data::runs_of(fold);
    const std::vector<data::Window> fitted = healthy_windows(recipe, runs),
                                    windows = judged_windows(dataset, recipe, fitted);
    const std::vector<int64_t> fitted_rows = rows_of(fitted, windows);
    Healthy embedded{dataset,
                     recipe,
                     extract.preprocessing(),
                     coupled_effects(dataset, recipe, fold, extract.preprocessing()),
                     windows,
                     embed(extract, dataset, windows)};
    // Embedding, each block left out, and all at the end.
    const int64_t steps = std::ssize(blocks_of(embedded)) + 2;
    int64_t done = 0;
    const auto step_done = [&] {
        if (progress) progress(++done, steps);
    };
    step_done();
    Foretell foretell = [&](const std::vector<int64_t>& rows) {
        std::vector<data::Window> some;
        for (const int64_t row : rows) some.push_back(windows[row]);
        return embed(extract, dataset, some, {.poolings = {}, .foretelling = true})[kUnforetold];
    };
    std::vector<int64_t> unseen;
    if (foretells) unseen = unseen_rows(windows, fold, recipe.window.length);
    unseen = open_gates(embedded, fitted_rows, std::move(unseen), foretell);
    if (unseen.empty())
        foretell = {};
    else
        extract.foretell();
    CrossFitted judged = cross_fit(embedded, fitted_rows, voices, foretell, step_done);
    move_seen(judged.scores, voices, unseen);
    std::vector<std::string> names;
    for (const ScorerKind* kind : voices) names.emplace_back(kind->name);
    Combined combined({names, judged.scores});
    Attribution attribution(combined, voices, judged, unseen);

    // Two such, of the bank and of all, never stand in memory together.
    std::vector<NamedScorer> scorers;
    const std::vector<int64_t> bank = rows_of(bank_windows(recipe, runs), windows);
    const bool apart = bank.size() < fitted.size();
    if (apart) scorers = fit_scorers(kinds, embedded.chosen(bank));
    const Healthy healthy = embedded.chosen(fitted_rows);  // with their samples
    if (!apart) scorers = fit_scorers(kinds, healthy);
    const Matrix single = single_scores(judged, voices, scorers, embedded);

    Conditions conditions(dataset, extract.preprocessing().scaler, data::covered(fitted, recipe.window.length),
                          recipe.window.length);
    SensorHealth health(dataset, channels_of(extract.preprocessing()), fitted, recipe.window.length,
                        recipe.score.blocks);
    Pipeline pipeline(std::move(extract), std::move(scorers), std::move(combined), std::move(attribution),
                      CauseNovelty(healthy));
    Explainer explainer = explainer_of(pipeline, healthy);
    HealthyScores scores(pipeline.with_combined(single), trace_of(dataset, recipe, windows), recipe);
    GoldenWindows golden = golden_of(pipeline, dataset, fitted);
    return {.provenance = std::move(provenance),
            .recipe = recipe,
            .channels = dataset.channels,
            .fold = runs,
            .pipeline = std::move(pipeline),
            .explainer = std::move(explainer),
            .healthy = std::move(scores),
            .alarm = {},
            .conditions = std::move(conditions),
            .health = std::move(health),
            .golden = std::move(golden)};
}

int64_t memory_to_fit(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t windows) {
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    const int64_t window = channels * recipe.window.length, embedding = channels * recipe.model.width;
    // The windows; up to a limit, once more those of causes and effects side by side, and those that principal
    // components are found of; pooled embeddings in two copies and scaled.
    const int64_t joined = std::min(windows * window, kMostJoinedNumbers);
    const int64_t effects = std::ranges::count(dataset.channels, true, &data::Channel::effect);
    const int64_t judged = windows * (recipe.window.training_stride() / recipe.window.judging_stride());
    const int64_t copies = windows * window + judged * 3 * data::kPooledNumbers * embedding + 2 * joined;
    // Sums of a regression, one for each block and what is made of them, in double.
    constexpr int64_t kSums = 20;
    const int64_t outputs = effects * std::max(recipe.window.length, 2 * recipe.model.width);
    const int64_t sums = outputs > linear::kOutputsAtOnce
                             ? linear::kDirections * (kSums * linear::kOutputsAtOnce + 4 * outputs)
                             : kSums * std::min(windows, linear::kMostInputs) * outputs;
    // The one on lagged causes has few outputs: squares of its inputs, of each block, without it, and on the way.
    const int64_t inputs = lagged_inputs(dataset, recipe),
                  squares = 3 * linear::kRidgeBlocks + 1 + 7 * std::min<int64_t>(thread_count(), linear::kRidgeBlocks);
    return 4 * copies + 8 * std::max(sums, squares * inputs * inputs) + bytes_of_lagged_windows(dataset, recipe);
}

void check_memory_to_fit(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t windows) {
    const int64_t wanted = memory_to_fit(dataset, recipe, windows), free = available_memory();
    if (wanted > free)
        throw SystemError(
            "{}: fitting the detector on {} windows needs about {} of memory beside the samples, more than the {} free",
            dataset.name, with_commas(windows), bytes_text(wanted), bytes_text(free));
}

}  // namespace cmr::score
