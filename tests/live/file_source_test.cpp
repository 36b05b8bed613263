#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "live/collected.h"
#include "live/probe.h"
#include "live/sources/table.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using test::wait_until;
using testing::ElementsAre;
using testing::HasSubstr;

class ForcedClock final : public Clock {
  public:
    double wall_s() const override { return 500; }
    double steady_s() const override { return now; }
    std::atomic<double> now = 0;
};

class FileSource : public testing::Test {
  protected:
    FileSource() {
        settings.name = "log";
        settings.kind = "file";
        settings.path = (folder / "plant.csv").string();
        settings.asset = "a";
        context.folder = folder / "state";
        context.place = "plant.toml:3";
        std::filesystem::create_directories(context.folder);
    }
    void append(const std::string& text, const std::string& name = "plant.csv") const {
        std::ofstream(folder / name, std::ios::app) << text;
    }
    void rename(const std::string& from, const std::string& to) const {
        std::filesystem::rename(folder / from, folder / to);
    }
    void start() {
        source = make_source(settings, context);
        source->start(sink);
    }
    bool comes(size_t count) const {
        return wait_until([&] { return sink.size() >= count; });
    }
    // Long enough that what is to come would have come.
    void settle() const { std::this_thread::sleep_for(std::chrono::milliseconds(400)); }

    test::TemporaryFolder folder;
    SourceSettings settings;
    SourceContext context;
    ForcedClock clock;  // for those who want it
    test::Collected sink;
    std::unique_ptr<Source> source;
};

TEST_F(FileSource, LinesAreReadWhenTheyAreWhole) {
    start();
    append("time,A\n1,10\n2,2");
    ASSERT_TRUE(comes(1));
    settle();
    EXPECT_THAT(sink.readings(), ElementsAre(Reading{"a", "A", 1, 10}));
    append("0\n3,30\n");
    ASSERT_TRUE(comes(3));
    EXPECT_THAT(sink.readings(),
                ElementsAre(Reading{"a", "A", 1, 10}, Reading{"a", "A", 2, 20}, Reading{"a", "A", 3, 30}));
    EXPECT_TRUE(wait_until([&] { return source->status().received == 3; }));
    EXPECT_TRUE(source->status().connected);
    EXPECT_EQ(source->status().bytes, 15);
}

TEST_F(FileSource, ARenamedFileIsReadToItsEndAndTheNewOneFromItsBeginning) {
    start();
    append("time,A\n1,1\n");
    ASSERT_TRUE(comes(1));
    rename("plant.csv", "plant.csv.1");
    append("2,2\n", "plant.csv.1");  // the writer has not noticed yet
    append("time,A\n3,3\n");
    ASSERT_TRUE(comes(3));
    append("4,4\n", "plant.csv.1");
    append("5,5\n");
    ASSERT_TRUE(comes(5));
    settle();
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}));
}

TEST_F(FileSource, AFileThatWasCutShortIsReadFromItsBeginning) {
    start();
    append("time,A\n1,1\n2,2\n");
    ASSERT_TRUE(comes(2));
    std::filesystem::resize_file(folder / "plant.csv", 0);
    append("time,A\n3,3\n");
    ASSERT_TRUE(comes(3));
    // Even when it has grown beyond its former length before anyone looked.
    std::filesystem::resize_file(folder / "plant.csv", 0);
    append("time,A\n4,4\n5,5\n6,6\n7,7\n");
    ASSERT_TRUE(comes(7));
    settle();
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}}));
}

TEST_F(FileSource, AfterARestartItGoesOnWhereItWasWhateverTheFileIsCalledNow) {
    start();
    append("time,A\n1,1\n");
    ASSERT_TRUE(comes(1));
    source->stop();
    append("2,2\n");
    start();
    ASSERT_TRUE(comes(2));
    source->stop();
    append("3,3\n");
    rename("plant.csv", "plant.csv.1");
    append("time,A\n4,4\n");
    start();
    ASSERT_TRUE(comes(4));
    settle();
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}}));
}

// A file that did not grow for long is not held open; its last lines may come just before it is renamed.
TEST_F(FileSource, AFileThatRestedAndIsRenamedWithItsLastLinesIsReadToItsEnd) {
    context.clock = &clock;
    start();
    std::map<int, int> expected;
    for (int file = 0; file < 5; ++file) {
        append(fmt::format("time,A\n{},{}\n", 2 * file, 2 * file));
        ASSERT_TRUE(comes(expected.size() + 1));
        clock.now = clock.now + 1000;
        settle();
        append(fmt::format("{},{}\n", 2 * file + 1, 2 * file + 1));
        rename("plant.csv", fmt::format("plant.csv.{}", file));
        expected[2 * file] = expected[2 * file + 1] = 1;
        ASSERT_TRUE(comes(expected.size()));
    }
    EXPECT_EQ(sink.values(), expected);
}

TEST_F(FileSource, AFileThatWasSeenButNotReadYetIsFoundByItsNewName) {
    append("time,A\n");  // nothing to read below it
    start();
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(context.folder / "place.json"); }));
    source->stop();
    append("1,1\n");
    rename("plant.csv", "plant.csv.1");
    append("time,A\n2,2\n");
    start();
    ASSERT_TRUE(comes(2));
    settle();
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {2, 1}}));
}

TEST_F(FileSource, WhatTheSinkWouldNotTakeIsKept) {
    sink.fail(true);
    start();
    append("time,A\n1,1\n");
    ASSERT_TRUE(wait_until([&] { return sink.failures() >= 2; }));
    EXPECT_THAT(source->status().detail, HasSubstr("no space left"));
    EXPECT_FALSE(source->status().connected);
    sink.fail(false);
    ASSERT_TRUE(comes(1));
    settle();
    EXPECT_EQ(sink.size(), 1u);
    EXPECT_TRUE(source->status().connected);
}

TEST_F(FileSource, RowsThatCannotBeReadAreCountedAndNamed) {
    settings.max_message = 100;
    start();
    append("time,A\n1,1\n2,2,2\n" + std::string(500, '7') + "\n3,3\n");
    ASSERT_TRUE(comes(2));
    settle();
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {3, 1}}));
    EXPECT_EQ(source->status().refused, 2);
}

TEST_F(FileSource, ManyFilesNameTheirAssets) {
    settings.path = (folder / "{asset}-*.csv").string();
    settings.asset.clear();
    append("time,A\n1,1\n", "pump-monday.csv");
    start();
    append("time,A\n2,2\n", "fan-monday.csv");
    append("time,A\n3,3\n", "pump-tuesday.csv");
    ASSERT_TRUE(comes(3));
    std::map<std::string, int> assets;
    for (const Reading& reading : sink.readings()) ++assets[reading.asset];
    EXPECT_EQ(assets, (std::map<std::string, int>{{"fan", 1}, {"pump", 2}}));
}

TEST_F(FileSource, AFileThatIsNotThereOrIsNoTableIsTold) {
    start();
    ASSERT_TRUE(wait_until([&] { return !source->status().detail.empty(); }));
    EXPECT_THAT(source->status().detail, HasSubstr("no such file yet"));
    append("stamp,A\n1,1\n");
    ASSERT_TRUE(wait_until([&] { return source->status().detail.find("no column 'time'") != std::string::npos; }));
    EXPECT_FALSE(source->status().connected);
}

TEST_F(FileSource, OtherFormatsAreReadLineByLine) {
    settings.format = "json";
    start();
    append("{\"time\": 1, \"A\": 1}\n{\"time\": 2, \"A\": 2}\n");
    ASSERT_TRUE(comes(2));
    source->stop();
    settings.format = "line-protocol";
    settings.path = (folder / "lines").string();
    start();
    append("m A=3 3000000000\n", "lines");
    ASSERT_TRUE(comes(3));
    EXPECT_EQ(sink.readings().back(), (Reading{"a", "A", 3, 3}));
}

TEST_F(FileSource, ImpossibleSettingsAreRefused) {
    settings.topics = {"a"};
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "'log'", "no use for 'topics'"});
    settings.topics.clear();
    settings.format = "sparkplug";
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "'sparkplug'", "csv, json"});
    settings.format.clear();
    settings.path.clear();
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "needs 'path'"});
    settings.kind = "fax";
    test::expect_input_error([&] { make_source(settings, context); }, {"'fax'", "file, stdin, http, mqtt"});
}

// Rows are written and files renamed while the reader is killed again and again.
TEST_F(FileSource, KilledAtAnyMomentItLosesNothing) {
    test::Probe probe(folder, {"kind=file", "name=log", "asset=a", "path=" + settings.path});
    Rng rng(7);
    int row = 0;
    for (int round = 0; round < 10; ++round) {
        probe.start();
        const int rows = 40 + static_cast<int>(rng.below(60));
        for (int i = 0; i < rows; ++i) {
            if (row % 100 == 0) {
                // What nobody has seen before it is renamed has never been ours.
                if (row > 0) {
                    ASSERT_TRUE(wait_until([&] { return probe.values().contains(row - 100); }));
                    rename("plant.csv", "plant.csv." + std::to_string(row));
                }
                append("time,A\n");
            }
            append(fmt::format("{},{}\n", row, row));
            ++row;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(200)));
        probe.kill();
    }
    probe.start();
    ASSERT_TRUE(wait_until([&] { return static_cast<int>(probe.values().size()) == row; }))
        << probe.values().size() << " of " << row;
    probe.kill();
}

}  // namespace
}  // namespace cmr::live
