#include "data/memory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/channels.h"
#include "io/file.h"

namespace cmr::data {
namespace {

constexpr int64_t kFloat = sizeof(float);

// 0 where the file does not begin with lines of text.
double mean_line_bytes(const fs::path& path) {
    std::array<std::byte, 1 << 18> piece;
    io::InputFile file(path);
    const size_t got = file.read(piece);
    const auto begin = piece.begin(), end = piece.begin() + static_cast<int64_t>(got);
    if (got == 0 || std::find(begin, end, std::byte{0}) != end) return 0;
    const auto lines = std::count(begin, end, std::byte{'\n'});
    return static_cast<double>(got) / static_cast<double>(std::max<int64_t>(1, lines));
}

int64_t windows_of(const Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    int64_t windows = 0;
    for (const Recording& recording : dataset.recordings) {
        if (dataset.parts[recording.part].role == "unused") continue;
        for (const Segment& segment : recording.segments) {
            const int64_t length = segment.end - segment.begin;
            if (length >= recipe.window.length) windows += (length - recipe.window.length) / stride + 1;
        }
    }
    return windows;
}

}  // namespace

int64_t expected_sample_bytes(const fs::path& file, const recipe::Recipe& recipe) {
    std::error_code error;
    const auto bytes = static_cast<double>(fs::file_size(file, error));
    if (error) return 0;
    const double line_bytes = mean_line_bytes(file);
    if (line_bytes == 0) return static_cast<int64_t>(bytes);  // a packed double takes about as much as a float
    const double per_line = recipe.data.layout == "cycles" ? recipe.data.rate_hz * recipe.data.cycle_s
                                                           : static_cast<double>(source_channels(recipe).size());
    return static_cast<int64_t>(std::ceil(bytes / line_bytes) * per_line) * kFloat;
}

int64_t bytes_in_memory(const Dataset& dataset) {
    int64_t bytes = 0;
    for (const Recording& recording : dataset.recordings)
        for (const Samples& samples : recording.channels)
            if (samples.storage() == Storage::kMemory) bytes += samples.size() * kFloat;
    return bytes;
}

int64_t windows_at_a_time(int64_t channels, int64_t length) {
    return std::clamp<int64_t>((1 << 24) / (channels * length), 16, 1024);
}

ScoringMemory memory_to_score(const Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
    ScoringMemory out;
    out.samples = bytes_in_memory(dataset);
    const auto channels = static_cast<int64_t>(dataset.channels.size());
    const int64_t windows = windows_of(dataset, recipe, stride > 0 ? stride : recipe.window.stride);
    // Each window's samples in a few copies and its pooled embeddings, so many windows at a time.
    constexpr int64_t kCopies = 5;
    out.batch = std::min(windows, windows_at_a_time(channels, recipe.window.length)) * channels * kFloat *
                (kCopies * recipe.window.length + kPooledNumbers * recipe.model.width);
    // Numbers in vectors that grow, the facts of a window, and all of it as letters in a text that grows.
    constexpr int64_t kScores = 20, kFacts = 200, kLetters = 9;
    const int64_t columns = kScores + channels;
    out.scores = windows * (2 * columns * kFloat + kFacts + 2 * columns * kLetters);
    return out;
}

void check_memory_to_score(const Dataset& dataset, const recipe::Recipe& recipe, int64_t stride) {
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

}  // namespace cmr::data
