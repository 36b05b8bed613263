#include "data/copies.h"

#include <gtest/gtest.h>

#include <set>

#include "base/parallel.h"
#include "data/synthetic.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::copy_samples;
using test::make_dataset;

bool equal_samples(const Dataset& dataset, const Copy& copy, int64_t offset) {
    const Recording &a = dataset.recordings[copy.recording], &b = dataset.recordings[copy.source];
    const int64_t i = copy.begin + offset, j = copy.source_begin + offset;
    if (i < 0 || j < 0 || i >= a.length() || j >= b.length()) return false;
    for (size_t c = 0; c < a.channels.size(); ++c)
        if (a.channels[c][i] != b.channels[c][j]) return false;
    return true;
}

bool lists(const std::vector<Copy>& copies, const Copy& wanted) {
    return std::ranges::any_of(copies, [&](const Copy& c) {
        return c.recording == wanted.recording && c.source == wanted.source && c.begin == wanted.begin &&
               c.source_begin == wanted.source_begin && c.samples == wanted.samples;
    });
}

// Every pair of stretches of at least 63 equal samples, as long as they go, found by comparing all with all.
std::vector<Copy> by_comparing(const Dataset& dataset) {
    std::vector<Copy> out;
    const auto count = static_cast<int32_t>(dataset.recordings.size());
    for (int32_t a = 0; a < count; ++a)
        for (int32_t b = 0; b < count; ++b)
            for (int64_t i = 0; i < dataset.recordings[a].length(); ++i)
                for (int64_t j = 0; j < dataset.recordings[b].length(); ++j) {
                    Copy copy{a, i, b, j, 0};
                    if ((a == b && i == j) || equal_samples(dataset, copy, -1)) continue;
                    while (equal_samples(dataset, copy, copy.samples)) ++copy.samples;
                    if (copy.samples >= 63) out.push_back(copy);
                }
    return out;
}

TEST(Copies, AreThoseThatComparingAllWithAllFinds) {
    Rng rng(8);
    int64_t planted = 0;
    for (int round = 0; round < 40; ++round) {
        Dataset dataset = make_dataset();
        for (uint64_t i = 0; i < 3; ++i) add_recording(dataset, 100 + rng.below(120), rng.next());
        for (uint64_t copies = rng.below(4); copies > 0; --copies) {
            const auto a = rng.below(3), b = rng.below(3);
            Recording &from = dataset.recordings[a], &into = dataset.recordings[b];
            const auto samples = static_cast<int64_t>(20 + rng.below(80));
            copy_samples(from, rng.below(from.length() - samples + 1), into, rng.below(into.length() - samples + 1),
                         samples);
        }
        const auto found = find_copies(dataset), wanted = by_comparing(dataset);
        planted += static_cast<int64_t>(wanted.size());
        for (const Copy& copy : wanted)
            EXPECT_TRUE(lists(found, copy)) << round << ": " << copy.recording << "@" << copy.begin << " = "
                                            << copy.source << "@" << copy.source_begin << " × " << copy.samples;
        for (const Copy& copy : found) {  // nothing else, and each whole
            EXPECT_GE(copy.samples, 63);
            for (int64_t i = 0; i < copy.samples; ++i) EXPECT_TRUE(equal_samples(dataset, copy, i));
            EXPECT_FALSE(equal_samples(dataset, copy, -1));
            EXPECT_FALSE(equal_samples(dataset, copy, copy.samples));
        }
    }
    EXPECT_GT(planted, 20);
}

// Does the copy have 8 changes within 63 samples? Counted one stretch after the other.
bool moves(const Dataset& dataset, const Copy& copy) {
    for (int64_t first = 0; first + 63 <= copy.samples; ++first) {
        int64_t changes = 0;
        for (int64_t i = first + 1; i < first + 63; ++i)
            changes +=
                !equal_samples(dataset, {copy.recording, copy.begin + i, copy.recording, copy.begin + i - 1, 1}, 0);
        if (changes >= 8) return true;
    }
    return false;
}

TEST(Copies, OfAFewValuesAndLongConstantsAreFoundWhereTheyMove) {
    Rng rng(5);
    int64_t planted = 0, still = 0;
    for (int round = 0; round < 60; ++round) {
        Dataset dataset = make_dataset({false});
        for (uint64_t i = 0; i < 3; ++i)
            for (float& value : add_recording(dataset, 150 + rng.below(150), rng.next()).channels[0].values())
                value = static_cast<float>(rng.below(4));
        for (uint64_t constants = rng.below(6); constants > 0; --constants) {
            const auto values = dataset.recordings[rng.below(3)].channels[0].values();
            const uint64_t samples = 20 + rng.below(60), begin = rng.below(values.size() - samples);
            std::ranges::fill(values.subspan(begin, samples), 1.0f);
        }
        Recording &from = dataset.recordings[0], &into = dataset.recordings[1];
        const auto samples = static_cast<int64_t>(63 + rng.below(60));
        copy_samples(from, rng.below(from.length() - samples + 1), into, rng.below(into.length() - samples + 1),
                     samples);
        const auto found = find_copies(dataset);
        for (const Copy& copy : by_comparing(dataset)) {
            if (!moves(dataset, copy)) {
                ++still;
                continue;
            }
            ++planted;
            const bool told = std::ranges::any_of(found, [&](const Copy& c) {
                return c.recording == copy.recording && c.source == copy.source && c.begin >= copy.begin &&
                       c.begin - c.source_begin == copy.begin - copy.source_begin;
            });
            EXPECT_TRUE(told) << round << ": " << copy.recording << "@" << copy.begin << " × " << copy.samples;
        }
        for (const Copy& copy : found) {
            EXPECT_GE(copy.samples, 63);
            for (int64_t i = 0; i < copy.samples; ++i) EXPECT_TRUE(equal_samples(dataset, copy, i));
        }
    }
    EXPECT_GT(planted, 100);
    EXPECT_GT(still, 0) << "constants were met";
}

TEST(Copies, OfWholeRecordingsAreToldEvenWhereTheyMoveOnce) {
    Dataset dataset = make_dataset({false});
    for (const int64_t step : {40, 40, 41}) {
        const auto values = add_recording(dataset, 100, 1).channels[0].values();
        for (int64_t i = 0; i < 100; ++i) values[i] = i < step ? 0.0f : 1.0f;
    }
    std::ranges::fill(add_recording(dataset, 100, 1).channels[0].values(), 7.0f);
    std::ranges::fill(add_recording(dataset, 100, 1).channels[0].values(), 7.0f);
    const auto found = find_copies(dataset);
    EXPECT_EQ(found.size(), 2u) << "not the one that steps later, nor the constants";
    EXPECT_TRUE(lists(found, {0, 0, 1, 0, 100}));
    EXPECT_TRUE(lists(found, {1, 0, 0, 0, 100}));
}

TEST(Copies, WithTheSameShiftButNoiseBetweenAreTwo) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 1000, 1);
    add_recording(dataset, 1000, 2);
    copy_samples(dataset.recordings[0], 0, dataset.recordings[1], 0, 100);
    copy_samples(dataset.recordings[0], 700, dataset.recordings[1], 700, 100);
    const auto found = find_copies(dataset);
    EXPECT_EQ(found.size(), 4u);  // each in both directions
    EXPECT_TRUE(lists(found, {1, 0, 0, 0, 100}));
    EXPECT_TRUE(lists(found, {1, 700, 0, 700, 100}));
    EXPECT_TRUE(lists(found, {0, 700, 1, 700, 100}));
}

TEST(Copies, AreFoundInEveryRecordingThatHasOne) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 400, 1);
    for (int i = 1; i < 5; ++i) copy_samples(dataset.recordings[0], 0, add_recording(dataset, 400, i + 1), 0, 400);
    const auto found = find_copies(dataset);
    std::set<std::pair<int32_t, int32_t>> pairs;
    for (const Copy& copy : found) {
        EXPECT_EQ(copy.samples, 400);
        pairs.emplace(copy.recording, copy.source);
    }
    EXPECT_EQ(pairs.size(), 20u);
}

TEST(Copies, MustAgreeInEveryChannel) {
    Dataset dataset = make_dataset();
    add_recording(dataset, 200, 1);
    copy_samples(dataset.recordings[0], 0, add_recording(dataset, 200, 2), 0, 200);
    for (float& value : dataset.recordings[1].channels[1].values()) value += 1.0f;
    EXPECT_TRUE(find_copies(dataset).empty());
}

TEST(Copies, AreTheSameForAnyNumberOfThreads) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 5; ++i) add_recording(dataset, 300, i);
    for (int i = 1; i < 5; ++i) copy_samples(dataset.recordings[0], 40 * i, dataset.recordings[i], 10 * i, 80);
    const int before = thread_count();
    std::vector<std::vector<Copy>> found;
    for (const int threads : {1, 2, 5}) {
        set_thread_count(threads);
        found.push_back(find_copies(dataset));
    }
    set_thread_count(before);
    ASSERT_FALSE(found[0].empty());
    for (const auto& other : found) {
        ASSERT_EQ(other.size(), found[0].size());
        for (const Copy& copy : found[0]) EXPECT_TRUE(lists(other, copy));
    }
}

}  // namespace
}  // namespace cmr::data
