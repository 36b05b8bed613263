#include "data/leakage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"

namespace cmr::data {
namespace {

std::string describe(const Dataset& dataset, const SampleRange& stretch) {
    return fmt::format("{} samples {} to {}", dataset.recordings[stretch.recording].name, stretch.begin,
                       stretch.end - 1);
}

void refuse_overlap(const Dataset& dataset, const std::vector<SampleRange>& a, const std::vector<SampleRange>& b,
                    int64_t purge, const char* what) {
    auto left = a.begin();
    for (const SampleRange& right : b) {
        while (left != a.end() && (left->recording < right.recording ||
                                   (left->recording == right.recording && left->end + purge <= right.begin)))
            ++left;
        if (left != a.end() && left->recording == right.recording && right.end + purge > left->begin)
            throw InputError("leakage: {}: {} and {}{}", what, describe(dataset, *left), describe(dataset, right),
                             purge > 0 ? fmt::format(" (purge gap: {} samples)", purge) : "");
    }
}

void refuse_unhealthy(const Dataset& dataset, const std::vector<Window>& windows, int64_t length, const char* side) {
    for (const Window& window : windows) {
        const Recording& recording = dataset.recordings[window.recording];
        const int64_t end = window.begin + length;
        if (window.begin < 0 || end > recording.length())
            throw InputError("leakage: a {} window leaves its recording: {}", side,
                             describe(dataset, {window.recording, window.begin, end}));
        auto span = std::ranges::upper_bound(recording.spans, window.begin, {}, &Span::end);
        for (; span != recording.spans.end() && span->begin < end; ++span)
            if (span->state != State::kHealthy)
                throw InputError("leakage: a {} window holds {} samples: {}", side, name(span->state),
                                 describe(dataset, {window.recording, window.begin, end}));
    }
    for (const SampleRange& stretch : covered(windows, length)) {
        const Recording& recording = dataset.recordings[stretch.recording];
        if (recording.absent == 0) continue;
        for (const Samples& channel : recording.channels)
            for (int64_t i = stretch.begin; i < stretch.end; ++i)
                if (std::isnan(channel[i]))
                    throw InputError("leakage: a {} window holds absent samples: {} sample {}", side, recording.name,
                                     i);
    }
}

template <typename Key>
void refuse_common(const std::vector<Window>& train, const std::vector<Window>& test, const Key& key,
                   const char* what) {
    std::set<std::string> seen;
    for (const Window& w : train) seen.insert(key(w));
    for (const Window& w : test)
        if (seen.contains(key(w))) throw InputError("leakage: the {} {} is in training and in test", what, key(w));
}

// Recordings of one machine at the same time are the same experiment, whatever the files are called.
void refuse_same_time(const Dataset& dataset, const std::vector<SampleRange>& train,
                      const std::vector<SampleRange>& test) {
    struct Times {
        double start_s, end_s;
        SampleRange stretch;
    };
    const auto times = [&](const std::vector<SampleRange>& side) {
        std::map<std::string, std::vector<Times>> out;
        for (const SampleRange& s : side) {
            const Recording& recording = dataset.recordings[s.recording];
            if (!recording.dated) continue;
            // What lies between two segments was not recorded here.
            auto segment = std::ranges::upper_bound(recording.segments, s.begin, {}, &Segment::end);
            for (; segment != recording.segments.end() && segment->begin < s.end; ++segment) {
                const SampleRange piece{s.recording, std::max(s.begin, segment->begin), std::min(s.end, segment->end)};
                out[recording.unit].push_back({time_of(recording, piece.begin, dataset.rate_hz),
                                               time_of(recording, piece.end - 1, dataset.rate_hz), piece});
            }
        }
        return out;
    };
    const auto trained = times(train), tested = times(test);
    for (const auto& [unit, ones] : tested) {
        const auto others = trained.find(unit);
        if (others == trained.end()) continue;
        for (const Times& one : ones)
            for (const Times& other : others->second)
                if (one.stretch.recording != other.stretch.recording && one.start_s <= other.end_s &&
                    other.start_s <= one.end_s)
                    throw InputError("leakage: {} (training) and {} (test) were recorded at the same time",
                                     describe(dataset, other.stretch), describe(dataset, one.stretch));
    }
}

// The part of `where` that a side covers, piece by piece.
std::vector<SampleRange> parts_of(const std::vector<SampleRange>& side, const SampleRange& where) {
    std::vector<SampleRange> out;
    auto piece = std::ranges::lower_bound(side, SampleRange{where.recording, where.begin, 0});
    if (piece != side.begin() && std::prev(piece)->recording == where.recording) --piece;
    for (; piece != side.end() && piece->recording == where.recording && piece->begin < where.end; ++piece)
        if (piece->end > where.begin)
            out.push_back({where.recording, std::max(where.begin, piece->begin), std::min(where.end, piece->end)});
    return out;
}

void refuse_copies(const Dataset& dataset, const std::vector<Copy>& copies, const std::vector<SampleRange>& train,
                   const std::vector<SampleRange>& test, const char* side) {
    for (const Copy& copy : copies) {
        const SampleRange here{copy.recording, copy.begin, copy.begin + copy.samples};
        const SampleRange there{copy.source, copy.source_begin, copy.source_begin + copy.samples};
        // A signal that repeats may be found in one direction only, so the copy may be on either side.
        for (const bool here_is_test : {true, false})
            for (const SampleRange& used : parts_of(here_is_test ? test : train, here)) {
                const int64_t shift = copy.source_begin - copy.begin;
                const SampleRange same{there.recording, used.begin + shift, used.end + shift};
                if (parts_of(here_is_test ? train : test, same).empty()) continue;
                throw InputError("leakage: {} ({}) is a copy of {} (training)",
                                 describe(dataset, here_is_test ? here : there), side,
                                 describe(dataset, here_is_test ? there : here));
            }
    }
}

}  // namespace

LeakageCheck::LeakageCheck(const Dataset& dataset, const recipe::Recipe& recipe)
    : dataset_(dataset), recipe_(recipe), copies_(find_copies(dataset)) {}

void LeakageCheck::operator()(const Fold& fold) const {
    const int64_t length = recipe_.window.length;
    const recipe::Split& split = recipe_.split;
    refuse_unhealthy(dataset_, fold.train, length, "training");
    refuse_unhealthy(dataset_, fold.validation, length, "validation");
    const std::vector<SampleRange> train = covered(fold.train, length), test = covered(fold.test, length);
    refuse_overlap(dataset_, train, test, split.purge, "training and test windows share or touch samples");
    refuse_overlap(dataset_, train, covered(fold.validation, length), split.purge,
                   "training and validation windows share or touch samples");
    if (split.protocol == "paper") {
        // The shared windows must be the same windows, not halves of others.
        std::vector<Window> only_test;
        std::ranges::set_difference(fold.test, fold.validation, std::back_inserter(only_test));
        if (split.held_out == "validation")
            refuse_overlap(dataset_, covered(fold.validation, length), covered(only_test, length), 0,
                           "validation and test windows share samples");
    } else {
        refuse_overlap(dataset_, covered(fold.validation, length), test, split.purge,
                       "validation and test windows share or touch samples");
    }
    if (split.kind == "leave-units-out")
        refuse_common(
            fold.train, fold.test, [&](const Window& w) { return dataset_.recordings[w.recording].unit; }, "unit");
    if (split.kind == "by-file")
        refuse_common(
            fold.train, fold.test, [&](const Window& w) { return dataset_.recordings[w.recording].name; }, "file");
    refuse_same_time(dataset_, train, test);
    refuse_copies(dataset_, copies_, train, test, "test");
    refuse_copies(dataset_, copies_, train, covered(fold.validation, length), "validation");
}

}  // namespace cmr::data
