#include "score/detector.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "data/coupling.h"
#include "model/encoder.h"
#include "score/combine/rehearsal.h"
#include "score/combine/unseen.h"

namespace cmr::score {
namespace {

constexpr int64_t kGolden = 4;          // windows kept with their scores
constexpr int64_t kSomeWindows = 1024;  // scored at a time

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

HealthyTrace trace_of(const data::Dataset& dataset, const recipe::Recipe& recipe,
                      const std::vector<data::Window>& windows) {
    HealthyTrace out;
    const int64_t length = recipe.window.length;
    const int64_t stride = recipe.window.training_stride();
    out.period_s = static_cast<double>(stride) / dataset.rate_hz;
    int32_t stretch = -1;
    for (size_t i = 0; i < windows.size(); ++i) {
        const data::Window& w = windows[i];
        const bool goes_on = i > 0 && data::is_consecutive(dataset, windows[i - 1], w, stride);
        stretch += goes_on ? 0 : 1;
        out.stretch.push_back(stretch);
        out.end_s.push_back(data::time_of(dataset.recordings[w.recording], w.begin + length - 1, dataset.rate_hz) +
                            1 / dataset.rate_hz);
    }
    return out;
}

// A sensor that sends 1e38 for "no value" is far off, and its squares must still be numbers.
void hold(Matrix& causes, Matrix& effects) {
    for (Matrix* samples : {&causes, &effects})
        for (float& value : samples->values) value = std::clamp(value, -model::kLargestSample, model::kLargestSample);
}

std::vector<data::Window> some_windows(const std::vector<data::Window>& windows, size_t first) {
    return {windows.begin() + static_cast<int64_t>(first),
            windows.begin() + static_cast<int64_t>(std::min(windows.size(), first + kSomeWindows))};
}

Matrix column_of(std::vector<float> values) {
    Matrix out(std::ssize(values), 1);
    out.values = std::move(values);
    return out;
}

}  // namespace

std::vector<data::Window> healthy_windows(const recipe::Recipe& recipe, const data::Fold& fold) {
    std::vector<data::Window> out = fold.train;
    const bool tested = recipe.split.protocol == "paper" && recipe.split.held_out == "validation+test";
    if (!tested) out.insert(out.end(), fold.validation.begin(), fold.validation.end());
    std::ranges::sort(out);
    return out;
}

std::vector<float> Scores::column(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError("there is no score \"{}\"", name);
    std::vector<float> out(values.rows);
    for (int64_t i = 0; i < values.rows; ++i) out[i] = values.row(i)[found - names.begin()];
    return out;
}

Detector Detector::fit(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                       model::Preprocessing preprocessing, model::Model network, Origin origin) {
    Detector out;
    out.origin_ = std::move(origin);
    out.recipe_ = recipe;
    out.channels_ = dataset.channels;
    out.preprocessing_ = std::make_unique<model::Preprocessing>(std::move(preprocessing));
    out.network_ = std::move(network);
    const bool learned = !out.network_.tensors.empty();
    if (!learned) out.network_.config = out.preprocessing_->config;
    if (learned)
        out.embedder_ = make_embedder(out.network_, out.preprocessing_->inputs,
                                      {.cause_encoded = recipe.score.pooling == "cause-encoder"});
    const std::vector<std::string>& only = recipe.score.only;
    for (const std::string& name : only) scorer_named(name);  // InputError for one that there is not
    for (const ScorerKind& kind : scorer_kinds()) {
        const bool wanted = only.empty() || kind.name == "lagged" || std::ranges::count(only, kind.name) > 0;
        if (wanted && kind.possible_with(out.network_)) out.kinds_.push_back(&kind);
    }

    const int64_t length = recipe.window.length, blocks = recipe.score.blocks;
    const std::vector<data::Window> windows = healthy_windows(recipe, fold);
    const Matrix causes = out.preprocessing_->cause_windows(dataset, windows, length);
    const Matrix effects = out.preprocessing_->effect_windows(dataset, windows, length);
    const Healthy healthy{dataset,
                          recipe,
                          *out.preprocessing_,
                          coupled_effects(dataset, recipe, fold, *out.preprocessing_),
                          windows,
                          out.features(causes, effects)};
    std::vector<Features> rehearsed;
    std::vector<std::vector<int64_t>> channels;
    const Rng rng = Rng(static_cast<uint64_t>(out.origin_.seed)).split("rehearsal");
    for (const Rehearsal& kind : rehearsals()) {
        Rehearsed faults =
            rehearse(kind, effects, std::ssize(out.preprocessing_->effects), blocks, rng.split(kind.name));
        rehearsed.push_back(out.features(causes, std::move(faults.effects)));
        channels.push_back(std::move(faults.channel));
    }
    const std::span<const ScorerKind* const> counted = out.counted();
    std::vector<CrossFitted> judged = cross_fit(healthy, counted, rehearsed);
    rehearsed.clear();
    for (const ScorerKind* kind : out.kinds_) out.scorers_.push_back(kind->fit(healthy));

    // Where the network has seen all windows, nothing can be held against it, and it has no say. What is fitted without
    // it was judged by other windows throughout.
    std::vector<int64_t> unseen = learned ? unseen_rows(windows, fold, length) : std::vector<int64_t>();
    const bool trusted = !unseen.empty();
    move_seen(judged[0].scores, counted, unseen);
    if (!trusted) {
        unseen.resize(windows.size());
        std::iota(unseen.begin(), unseen.end(), 0);
    }
    std::vector<Matrix> faulty;
    for (size_t i = 1; i < judged.size(); ++i) faulty.push_back(judged[i].scores);
    std::vector<bool> is_learned, eligible;
    for (const ScorerKind* kind : counted) {
        is_learned.push_back(kind->learned());
        eligible.push_back(trusted || !kind->learned());
    }
    out.learned_ = Combined(judged[0].scores, faulty, unseen, learned ? is_learned : eligible);
    out.combined_ = Combined(judged[0].scores, faulty, unseen, eligible);
    out.localiser_ = Localiser(counted, judged, channels, unseen, eligible);
    out.novelty_ = std::make_unique<CauseNovelty>(healthy);
    out.ranges_ = std::make_unique<EffectRanges>(effects, std::ssize(out.preprocessing_->effects));
    for (size_t k = 0; k < out.kinds_.size(); ++k) {
        ScorerReport& standing = out.reports_.emplace_back();
        standing.name = out.kinds_[k]->name;
        standing.learned = out.kinds_[k]->learned();
        if (k >= counted.size()) continue;
        standing.weight = out.combined_.weights()(static_cast<int64_t>(k));
        for (const Matrix& faults : faulty)
            standing.auroc.push_back(rehearsed_auroc(judged[0].scores, faults, unseen, static_cast<int64_t>(k)));
    }
    const std::vector<float> combined = out.combined_(judged[0].scores);
    Matrix all_scores = std::move(judged[0].scores);
    for (size_t k = counted.size(); k < out.scorers_.size(); ++k)
        all_scores = concat_columns(all_scores, column_of(out.scorers_[k]->score(healthy.features)));
    out.healthy_scores_ = out.with_combined(all_scores);
    out.healthy_ = trace_of(dataset, recipe, windows);
    out.healthy_.score.assign(combined.begin(), combined.end());
    out.tail_ = Tail(combined);

    out.golden_causes_ = evenly_spaced_rows(causes, kGolden);
    out.golden_effects_ = evenly_spaced_rows(effects, kGolden);
    out.golden_scores_ = out.score(out.golden_causes_, out.golden_effects_).values;
    return out;
}

std::span<const ScorerKind* const> Detector::counted() const {
    const auto control = std::ranges::find(kinds_, false, &ScorerKind::combined);
    return {kinds_.begin(), control};
}

std::vector<std::string> Detector::names() const {
    std::vector<std::string> out;
    for (const ScorerKind* kind : kinds_) out.emplace_back(kind->name);
    out.emplace_back("learned");
    out.emplace_back("combined");
    return out;
}

void Detector::set_calibration(const Calibration& calibration, const AlarmRule& rule) {
    calibration_ = calibration;
    rule_ = rule;
}

double Detector::threshold() const { return calibration_ ? calibration_->threshold : tail_.healthy().back(); }

Features Detector::features(Matrix causes, Matrix effects) const {
    if (embedder_) return embedder_->embed(std::move(causes), std::move(effects));
    Features out;
    out.causes = std::move(causes);
    out.effects = std::move(effects);
    return out;
}

Matrix Detector::with_combined(const Matrix& scores) const {
    const std::vector<float> learned = learned_(scores), combined = combined_(scores);
    return concat_columns(concat_columns(scores, column_of(learned)), column_of(combined));
}

Scores Detector::score(Matrix causes, Matrix effects) const {
    hold(causes, effects);
    return score_features(features(std::move(causes), std::move(effects)));
}

Scores Detector::score_features(const Features& windows) const {
    Scores out{names(), {}, {}, {}};
    Matrix single(windows.rows(), std::ssize(kinds_));
    for (size_t k = 0; k < scorers_.size(); ++k) {
        const std::vector<float> scores = scorers_[k]->score(windows);
        for (int64_t i = 0; i < single.rows; ++i) single.row(i)[k] = scores[i];
    }
    out.values = with_combined(single);
    for (const data::Channel& channel : preprocessing_->inputs.effects()) out.channels.push_back(channel.name);
    out.by_channel = localiser_(scorers_[localiser_.kind()]->by_channel(windows));
    return out;
}

Scores Detector::score(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                       EmbeddingCapture* kept) const {
    Scores out;
    const int64_t length = recipe_.window.length;
    const auto own = kept && embedder_ ? make_embedder(network_, preprocessing_->inputs, kept->extras) : nullptr;
    for (size_t first = 0; first < windows.size() || first == 0; first += kSomeWindows) {
        const std::vector<data::Window> some = some_windows(windows, first);
        Matrix causes = preprocessing_->cause_windows(dataset, some, length);
        Matrix effects = preprocessing_->effect_windows(dataset, some, length);
        hold(causes, effects);
        Features all =
            own ? own->embed(std::move(causes), std::move(effects)) : features(std::move(causes), std::move(effects));
        Scores more = score_features(all);
        if (kept) {
            all.causes = all.effects = {};
            kept->pooled.append(all);
        }
        if (first == 0) {
            out = std::move(more);
            continue;
        }
        out.values.values.insert(out.values.values.end(), more.values.values.begin(), more.values.values.end());
        out.values.rows += more.values.rows;
        out.by_channel.values.insert(out.by_channel.values.end(), more.by_channel.values.begin(),
                                     more.by_channel.values.end());
        out.by_channel.rows += more.by_channel.rows;
    }
    return out;
}

Features Detector::embed(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                         EmbedOptions extras) const {
    if (!embedder_) throw InputError("this detector has no network, so its windows have no embeddings");
    const auto own = make_embedder(network_, preprocessing_->inputs, extras);
    const int64_t length = recipe_.window.length;
    Features out;
    for (size_t first = 0; first < windows.size(); first += kSomeWindows) {
        const std::vector<data::Window> some = some_windows(windows, first);
        Features more = own->embed(preprocessing_->cause_windows(dataset, some, length),
                                   preprocessing_->effect_windows(dataset, some, length));
        more.causes = more.effects = {};
        out.append(more);
    }
    return out;
}

Evidence Detector::evidence(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    const int64_t length = recipe_.window.length;
    const Features all = features(preprocessing_->cause_windows(dataset, windows, length),
                                  preprocessing_->effect_windows(dataset, windows, length));
    Evidence out{localiser_(scorers_[localiser_.kind()]->by_channel(all)), (*ranges_)(all.effects), {}};
    for (const data::Window& window : windows) out.moved.push_back(moved_constants(dataset, window));
    return out;
}

double Detector::cause_level(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    CMR_ASSERT(!windows.empty(), "causes of some windows");
    const int64_t length = recipe_.window.length;
    const int64_t stride = recipe_.window.training_stride();
    const Features all = features(preprocessing_->cause_windows(dataset, windows, length),
                                  preprocessing_->effect_windows(dataset, windows, length));
    return novelty_->level(all, 1 + (windows.back().begin - windows.front().begin) / stride);
}

std::vector<std::string> Detector::moved_constants(const data::Dataset& dataset, const data::Window& window) const {
    std::vector<std::string> out;
    for (size_t c = 0; c < channels_.size(); ++c) {
        if (channels_[c].effect || !preprocessing_->scaler.constant(static_cast<int64_t>(c))) continue;
        const auto samples =
            dataset.recordings[window.recording].channels[c].values().subspan(window.begin, recipe_.window.length);
        const float constant = preprocessing_->scaler.least[c];
        if (std::ranges::any_of(samples, [&](float value) { return value != constant; }))
            out.push_back(channels_[c].name);
    }
    return out;
}

const linear::LaggedRidge& Detector::mechanism() const {
    const auto lagged = std::ranges::find(kinds_, std::string_view("lagged"), &ScorerKind::name);
    CMR_ASSERT(lagged != kinds_.end(), "the linear mechanism is always fitted");
    return *scorers_[lagged - kinds_.begin()]->mechanism();
}

std::vector<double> Detector::cause_shares(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                                           int64_t effect) const {
    const int64_t length = recipe_.window.length;
    return mechanism().cause_shares(preprocessing_->cause_windows(dataset, windows, length),
                                    preprocessing_->effect_windows(dataset, windows, length), effect);
}

std::vector<float> Detector::expected(const data::Dataset& dataset, int32_t recording, int64_t begin, int64_t end,
                                      int64_t effect) const {
    const data::Window all{.recording = recording, .begin = begin};
    const int64_t length = end - begin;
    const Matrix residuals = mechanism().residuals(preprocessing_->cause_windows(dataset, {all}, length),
                                                   preprocessing_->effect_windows(dataset, {all}, length));
    const int64_t channel = preprocessing_->effects[effect], known = length - mechanism().lags();
    const auto samples = dataset.recordings[recording].channels[channel].values();
    const double unit = mechanism().ridge().deviation(effect) * preprocessing_->scaler.deviation[channel];
    std::vector<float> out(length, std::numeric_limits<float>::quiet_NaN());
    for (int64_t t = 0; t < known; ++t)
        out[length - known + t] =
            static_cast<float>(samples[end - known + t] - residuals.row(0)[effect * known + t] * unit);
    return out;
}

}  // namespace cmr::score
