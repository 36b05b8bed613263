#pragma once
// Small datasets in memory. A recording is noise in every channel, healthy and without gaps until a test says
// otherwise.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "data/windows.h"
#include "recipe/recipe.h"

namespace cmr::test {

inline data::Samples samples_of(const std::vector<float>& values) {
    data::Samples out;
    out.append(values);
    return out;
}

// `effects` says of each channel whether it is one.
inline data::Dataset make_dataset(const std::vector<bool>& effects = {false, true}) {
    data::Dataset out;
    out.name = "synthetic";
    out.rate_hz = 1.0;
    for (size_t i = 0; i < effects.size(); ++i)
        out.channels.push_back({.name = fmt::format("c{}", i), .effect = effects[i], .group = "g"});
    out.parts = {{.name = "fit", .role = "fit", .files = 0}, {.name = "test", .role = "test", .files = 0}};
    out.strata = {"weak", "severe"};
    return out;
}

inline data::Recording& add_recording(data::Dataset& dataset, int64_t length, uint64_t seed, int32_t part = 0) {
    Rng rng(seed);
    data::Recording& out = dataset.recordings.emplace_back();
    out.name = fmt::format("file{}.csv", dataset.recordings.size() - 1);
    out.part = part;
    for (size_t c = 0; c < dataset.channels.size(); ++c) {
        std::vector<float> values(length);
        for (float& value : values) value = static_cast<float>(rng.normal());
        out.channels.push_back(samples_of(values));
    }
    out.segments = {{0, length, 0.0}};
    out.spans = {{.begin = 0, .end = length}};
    ++dataset.parts[part].files;
    return out;
}

// Sets the state of samples begin … end-1, which must lie in one span.
inline void mark(data::Recording& recording, int64_t begin, int64_t end, data::State state, int32_t stratum = -1,
                 int32_t event = -1) {
    std::vector<data::Span> spans;
    for (const data::Span& span : recording.spans) {
        if (span.end <= begin || span.begin >= end) {
            spans.push_back(span);
            continue;
        }
        data::Span before = span, after = span;
        before.end = begin;
        after.begin = end;
        if (before.begin < before.end) spans.push_back(before);
        spans.push_back({begin, end, state, stratum, event});
        if (after.begin < after.end) spans.push_back(after);
    }
    recording.spans = spans;
}

inline void make_absent(data::Recording& recording, int64_t channel, int64_t sample) {
    recording.channels[channel].values()[sample] = std::nanf("");
    ++recording.absent;
}

// Samples from `begin` on become those of another recording from `source_begin` on.
inline void copy_samples(const data::Recording& source, int64_t source_begin, data::Recording& into, int64_t begin,
                         int64_t count) {
    for (size_t c = 0; c < into.channels.size(); ++c) {
        const auto from = source.channels[c].values().subspan(source_begin, count);
        const std::vector<float> values(from.begin(), from.end());  // the two may overlap
        std::ranges::copy(values, into.channels[c].values().subspan(begin).begin());
    }
}

inline recipe::Recipe make_recipe(int64_t length, int64_t stride) {
    recipe::Recipe out;
    out.name = "synthetic";
    out.window.length = length;
    out.window.stride = stride;
    return out;
}

// One by one, which samples the windows hold, each side widened by `margin`.
inline std::set<std::pair<int32_t, int64_t>> sample_set(const std::vector<data::Window>& windows, int64_t length,
                                                        int64_t margin = 0) {
    std::set<std::pair<int32_t, int64_t>> out;
    for (const data::Window& w : windows)
        for (int64_t i = w.begin - margin; i < w.begin + length + margin; ++i) out.emplace(w.recording, i);
    return out;
}

}  // namespace cmr::test
