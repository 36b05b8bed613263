#include "data/samples.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

namespace cmr::data {
namespace {

int64_t open_files() {
    int64_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

TEST(Samples, MemoryAndDiskHoldTheSame) {
    Samples memory(Storage::kMemory), disk(Storage::kDisk);
    std::vector<float> wanted;
    for (int i = 0; i < 20'000; ++i) {
        const auto value = static_cast<float>(i) * 0.5f;
        if (i % 7 == 0) {
            const std::vector<float> piece(static_cast<size_t>(i % 40), value);
            for (Samples* samples : {&memory, &disk}) samples->append(piece);
            wanted.insert(wanted.end(), piece.begin(), piece.end());
        }
        for (Samples* samples : {&memory, &disk}) samples->push_back(value);
        wanted.push_back(value);
    }
    for (Samples* samples : {&memory, &disk}) {
        ASSERT_EQ(samples->size(), static_cast<int64_t>(wanted.size()));
        EXPECT_TRUE(std::ranges::equal(samples->values(), wanted));
        samples->seal();
        EXPECT_TRUE(std::ranges::equal(samples->values(), wanted)) << "sealed";
    }
}

TEST(Samples, GrowthOverPagesKeepsEveryValue) {
    for (const Storage storage : {Storage::kMemory, Storage::kDisk})
        for (const int64_t count : {1, 1023, 1024, 1025, 2048, 100'000}) {  // a page holds 1024
            Samples samples(storage);
            for (int64_t i = 0; i < count; ++i) samples.push_back(static_cast<float>(i));
            samples.seal();
            ASSERT_EQ(samples.size(), count);
            for (int64_t i = 0; i < count; ++i) ASSERT_EQ(samples[i], static_cast<float>(i));
        }
}

TEST(Samples, AnEmptyOneCanBeSealedAndRead) {
    for (const Storage storage : {Storage::kMemory, Storage::kDisk}) {
        Samples samples(storage);
        samples.append({});
        samples.seal();
        EXPECT_EQ(samples.size(), 0);
        EXPECT_TRUE(samples.values().empty());
        samples.reserve(10);
        samples.seal();
        EXPECT_EQ(samples.size(), 0);
    }
}

TEST(Samples, SealedValuesCanStillBeChanged) {
    for (const Storage storage : {Storage::kMemory, Storage::kDisk}) {
        Samples samples(storage);
        samples.append(std::vector<float>{1, NAN, 3});
        samples.seal();
        samples.values()[1] = 2;
        EXPECT_EQ(samples[1], 2.0f);
    }
}

TEST(Samples, ThousandsOfSealedDiskSamplesNeedNoDescriptors) {
    const int64_t before = open_files();
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlimit low = limit;
    low.rlim_cur = static_cast<rlim_t>(before + 20);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    std::vector<Samples> all;
    for (int i = 0; i < 3000; ++i) {
        all.emplace_back(Storage::kDisk);
        all.back().append(std::vector<float>(3, static_cast<float>(i)));
        all.back().seal();
    }
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_EQ(open_files(), before);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(all[static_cast<size_t>(i)][2], static_cast<float>(i));
}

TEST(Samples, SomeMemoryIsFree) { EXPECT_GT(memory_for_samples(), int64_t{1} << 20); }

}  // namespace
}  // namespace cmr::data
