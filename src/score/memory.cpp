#include "score/memory.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/memory.h"
#include "linear/mechanism.h"
#include "model/methods/method.h"
#include "model/parameters.h"
#include "model/preprocessing.h"
#include "score/scorers/kept_bank.h"
#include "score/scorers/scorer.h"

namespace cmr::score {
namespace {

constexpr int64_t kFloat = sizeof(float);

// Of a score file: one of each kind, and the joined ones.
int64_t score_columns() { return std::ssize(scorer_kinds()) + 3; }

// As if every channel moved.
model::Config expected_config(const data::Dataset& dataset, const recipe::Recipe& recipe) {
    std::vector<data::Channel> causes, effects;
    for (const data::Channel& channel : dataset.channels) (channel.effect ? effects : causes).push_back(channel);
    model::Config out;
    static_cast<recipe::Model&>(out) = recipe.model;
    out.effect_input = model::effect_input(recipe.model);
    const linear::LaggedRidge unfitted({}, std::ssize(causes), std::ssize(effects), 0);
    out.groups = model::Inputs(causes, effects, out.effect_input, unfitted).groups();
    return out;
}

int64_t windows_of(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    int64_t windows = 0;
    for (const data::Recording& recording : dataset.recordings) {
        if (dataset.parts[recording.part].role == "unused") continue;
        for (const data::Segment& segment : recording.segments) {
            const int64_t length = segment.end - segment.begin;
            if (length >= recipe.window.length) windows += (length - recipe.window.length) / stride + 1;
        }
    }
    return windows;
}

}  // namespace

ScoringMemory memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t model_bytes,
                              int64_t stride) {
    // A model's numbers are bytes or floats in its file, floats or doubles in memory, and there in layouts that are
    // quick to compute with. While it is read the file is there, too.
    constexpr int64_t kLoading = 7, kLoaded = 4;
    ScoringMemory out;
    out.loading = kLoading * model_bytes;
    out.model = kLoaded * model_bytes;
    out.samples = data::bytes_in_memory(dataset);
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    const int64_t windows = windows_of(dataset, recipe, stride > 0 ? stride : recipe.window.stride);
    // Each window's samples in a few copies and its pooled embeddings, so many windows at a time.
    constexpr int64_t kCopies = 5;
    out.batch = std::min(windows, data::windows_at_a_time(channels, recipe.window.length)) * channels * kFloat *
                    (kCopies * recipe.window.length + data::kPooledNumbers * recipe.model.width) +
                bytes_of_lagged_windows(dataset, recipe);
    // Numbers in vectors that grow, the facts of a window, and all of it as letters in a text that grows.
    constexpr int64_t kFacts = 200, kLetters = 9;
    const int64_t columns = score_columns() + channels;
    out.scores = windows * (2 * columns * kFloat + kFacts + 2 * columns * kLetters);
    return out;
}

int64_t expected_model_bytes(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t healthy_windows) {
    const model::Config config = expected_config(dataset, recipe);
    const model::FeatureCounts features = model::method_named(config.method).features(config);
    const int64_t length = recipe.window.length, windows = std::max<int64_t>(1, healthy_windows);
    const int64_t effects = std::ranges::count(dataset.channels, true, &data::Channel::effect),
                  causes = std::ssize(dataset.channels) - effects;
    // A number is a byte, but a float where the paper's protocol keeps all.
    const auto bank = [&](int64_t columns, int64_t most) {
        const int64_t limit = bank_limit(recipe, most),
                      rows = kept_count(windows, std::max<int64_t>(1, columns), limit);
        return columns * rows * (limit == KeptBank::kExact ? kFloat : 1);
    };
    // Weights, and half of a float for the basis of inputs that are many.
    const auto ridge = [&](int64_t inputs, int64_t outputs, int64_t most) {
        const int64_t kept = std::min({inputs, windows, most});
        return kept * (outputs + inputs / 2) * kFloat;
    };
    return kFloat * model::parameter_count(config) + 2 * bank(features.effects, kMostEmbeddingNumbers) +
           bank(2 * features.causes, kMostEmbeddingNumbers) +
           bank(std::ssize(dataset.channels) * length, kMostWindowNumbers) +
           ridge(2 * features.causes, 2 * features.effects, linear::kDirections) +
           ridge(causes * length, effects * length, linear::kMostInputs) +
           ridge(lagged_inputs(dataset, recipe), effects, std::numeric_limits<int64_t>::max()) +
           windows * score_columns() * kFloat;
}

int64_t lagged_inputs(const data::Dataset& dataset, const recipe::Recipe& recipe) {
    const int64_t causes = std::ranges::count(dataset.channels, false, &data::Channel::effect);
    return causes * (std::min(recipe.score.lags, recipe.window.length - 1) + 1);
}

int64_t bytes_of_lagged_windows(const data::Dataset& dataset, const recipe::Recipe& recipe) {
    const int64_t rows = std::max<int64_t>(1, recipe.window.length - recipe.score.lags);
    return thread_count() * rows * lagged_inputs(dataset, recipe) * static_cast<int64_t>(sizeof(double));
}

void check_memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    const ScoringMemory need = memory_to_score(dataset, recipe, /*model_bytes=*/0, stride);
    const int64_t wanted = need.batch + need.scores, free = available_memory();  // the rest is there already
    if (wanted <= free) return;
    throw SystemError(
        "{}: scoring needs about {} of memory beside the samples, more than the {} that are free; {}", dataset.name,
        bytes_text(wanted), bytes_text(free),
        need.scores > need.batch ? "a larger stride makes fewer windows (--set window.stride=N)"
        : need.samples > 0
            ? "with `data.storage=disk` the samples are kept in a file; a model of shorter windows takes less"
            : "a model of shorter windows takes less");
}

}  // namespace cmr::score
