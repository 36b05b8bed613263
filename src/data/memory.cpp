#include "data/memory.h"

#include <algorithm>
#include <array>
#include <cmath>

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

}  // namespace cmr::data
