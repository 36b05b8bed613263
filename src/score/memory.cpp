#include "score/memory.h"

#include <algorithm>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/memory.h"

namespace cmr::score {
namespace {

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

ScoringMemory memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    ScoringMemory out;
    out.samples = data::bytes_in_memory(dataset);
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    const int64_t windows = windows_of(dataset, recipe, stride > 0 ? stride : recipe.window.stride);
    // Each window's samples in a few copies and its pooled embeddings, so many windows at a time.
    constexpr int64_t kFloat = sizeof(float), kCopies = 5;
    out.batch = std::min(windows, data::windows_at_a_time(channels, recipe.window.length)) * channels * kFloat *
                (kCopies * recipe.window.length + data::kPooledNumbers * recipe.model.width);
    // Numbers in vectors that grow, the facts of a window, and all of it as letters in a text that grows.
    constexpr int64_t kScores = 20, kFacts = 200, kLetters = 9;
    const int64_t columns = kScores + channels;
    out.scores = windows * (2 * columns * kFloat + kFacts + 2 * columns * kLetters);
    return out;
}

void check_memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    const ScoringMemory need = memory_to_score(dataset, recipe, stride);
    const int64_t wanted = need.batch + need.scores, free = available_memory();  // the rest is there already
    if (wanted <= free) return;
    throw SystemError(
        "{}: scoring needs about {} of memory beside the samples, more than the {} that are free; {}", dataset.name,
        bytes_text(wanted), bytes_text(free),
        need.scores > need.batch ? "a larger --stride makes fewer windows"
        : need.samples > 0
            ? "with `data.storage=disk` the samples are kept in a file; a model of shorter windows takes less"
            : "a model of shorter windows takes less");
}

}  // namespace cmr::score
