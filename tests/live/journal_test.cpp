#include "live/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "live/partner.h"
#include "live/snapshot.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

namespace fs = std::filesystem;

const Names kNames = {{"a", "b"}, {{"x", "y"}, {"z"}}};

std::vector<Sample> some(int i) {
    const double t = 100.5 + i;
    return {{0, 0, t, 1.5f}, {0, 1, t, -2}, {1, 0, t, static_cast<float>(i)}, {0, 1, t + 0.25, 7}};
}

std::vector<Sample> read_back(const fs::path& folder, uint64_t after, Replayed* out = nullptr,
                              const Names& names = kNames) {
    std::vector<Sample> samples;
    const Replayed replayed = replay(folder, after, names, [&](std::span<const Sample> group) {
        samples.insert(samples.end(), group.begin(), group.end());
    });
    if (out) *out = replayed;
    return samples;
}

TEST(Journal, GivesBackWhatItTookInOrder) {
    const TestFolder folder;
    std::vector<Sample> wanted;
    uint64_t group = 0;
    for (int run = 0; run < 3; ++run) {
        Journal journal(folder.path(), group, kNames);
        for (int i = 0; i < 5; ++i) {
            group = journal.append(some(10 * run + i));
            const auto more = some(10 * run + i);
            wanted.insert(wanted.end(), more.begin(), more.end());
        }
    }
    Replayed replayed;
    EXPECT_EQ(read_back(folder.path(), 0, &replayed), wanted);
    EXPECT_EQ(replayed.last_group, 15u);
    EXPECT_EQ(replayed.damage, "");
    EXPECT_EQ(read_back(folder.path(), 13).size(), 2 * some(0).size());
}

TEST(Journal, GoesByNamesSoThatOtherNumbersDoNoHarm) {
    const TestFolder folder;
    Journal journal(folder.path(), 0, kNames);
    journal.append(some(1));
    const Names others = {{"new", "b", "a"}, {{"q"}, {"z", "w"}, {"y"}}};  // x is not watched any more
    EXPECT_EQ(read_back(folder.path(), 0, nullptr, others),
              (std::vector<Sample>{{2, 0, 101.5, -2}, {1, 0, 101.5, 1}, {2, 0, 101.75, 7}}));
}

TEST(Journal, LeavesOutAGroupThatWasCutShort) {
    const TestFolder folder;
    {
        Journal journal(folder.path(), 0, kNames);
        journal.append(some(1));
        journal.append(some(2));
    }
    const fs::path file = fs::directory_iterator(folder.path())->path();
    const auto whole = fs::file_size(file);
    for (const int less : {1, 3, 20}) {
        fs::resize_file(file, whole - less);
        Replayed replayed;
        EXPECT_EQ(read_back(folder.path(), 0, &replayed), some(1));
        EXPECT_EQ(replayed.last_group, 1u);
        EXPECT_EQ(replayed.damage, "") << "a crash does that";
    }
    Journal journal(folder.path(), 1, kNames);
    journal.append(some(3));
    EXPECT_EQ(read_back(folder.path(), 1), some(3));
}

TEST(Journal, NoticesADamagedByte) {
    const TestFolder folder;
    {
        Journal journal(folder.path(), 0, kNames);
        journal.append(some(1));
    }
    const fs::path file = fs::directory_iterator(folder.path())->path();
    Journal(folder.path(), 1, kNames).append(some(2));
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(40).put('!');
    Replayed replayed;
    EXPECT_EQ(read_back(folder.path(), 0, &replayed), some(2));
    EXPECT_NE(replayed.damage, "");
}

TEST(Journal, ForgetsSegmentsThatASnapshotCovers) {
    const TestFolder folder;
    for (const uint64_t last : {0, 2, 4}) {
        Journal journal(folder.path(), last, kNames);
        journal.append(some(1));
        journal.append(some(2));
    }
    Journal journal(folder.path(), 6, kNames);
    const int64_t before = journal.bytes();
    journal.forget(3);
    EXPECT_EQ(read_back(folder.path(), 3).size(), 3 * some(0).size()) << "group 3 is in a segment with 4";
    EXPECT_LT(journal.bytes(), before);
    journal.forget(6);
    EXPECT_EQ(journal.bytes(), 0);
}

TEST(Snapshot, IsReadBackOrRefused) {
    const TestFolder folder;
    const fs::path file = folder.path() / "snapshot";
    EXPECT_FALSE(read_snapshot(file));
    write_snapshot(file, {17, {{"a", std::string("\0x", 2)}, {"b", ""}}});
    const auto back = read_snapshot(file);
    EXPECT_EQ(back->group, 17u);
    EXPECT_EQ(back->assets,
              (std::vector<std::pair<std::string, std::string>>{{"a", std::string("\0x", 2)}, {"b", ""}}));
    fs::resize_file(file, fs::file_size(file) - 1);
    test::expect_input_error([&] { read_snapshot(file); }, {"snapshot", "begin anew"});
    std::ofstream(file) << "something else";
    test::expect_input_error([&] { read_snapshot(file); }, {"snapshot"});
}

}  // namespace
}  // namespace cmr::live
