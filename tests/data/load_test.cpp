#include "data/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

#include "base/parallel.h"
#include "base/rng.h"
#include "data/new_data.h"
#include "data/small_files.h"
#include "data/windows.h"
#include "io/mat/mat.h"
#include "simulate/mat_write.h"
#include "support/expect_input_error.h"
#include "support/shared_data.h"

namespace cmr::data {
namespace {

using test::expect_input_error;
using test::kCauseAndEffect;
using test::kCycles;
using test::kNoSharedData;
using test::shared_data;
using testing::ElementsAre;
using testing::NanSensitiveFloatEq;

const auto nan = NanSensitiveFloatEq(NAN);

fs::path recipes() { return fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes"; }

const std::string kRows = R"(
name = "plant"
[data]
obtain = "Ask the plant."
rate_hz = 1.0
[data.time]
column = "t"
[data.labels]
column = "state"
healthy = ["ok"]
faulty = ["leak", "clog"]
strata = ["leaking", "clogged"]
[[data.part]]
name = "runs"
files = "runs/{run}.csv"
)" + kCauseAndEffect;

class Loading : public test::SmallFiles {
  protected:
    Dataset load_text(const std::string& text, const std::vector<std::string>& settings = {}) {
        return load(recipe::parse_recipe(text, "r.toml", settings), folder_.path());
    }
    void expect_refused(const std::string& text, const std::vector<std::string>& settings,
                        const std::vector<std::string>& words) {
        expect_input_error([&] { load_text(text, settings); }, words);
    }
    // Two runs of the plant, the second in the order of names.
    void write_runs() {
        write("runs/1.csv",
              "t,y,state,u\n2020-01-01 00:00:00,10,ok,1\n2020-01-01 00:00:01,20, L eak,2\n"
              "2020-01-01 00:00:02,30,clog,3\n");
        write("runs/10.csv", "t,y,state,u\n2020-01-02 00:00:00,11,clog,5\n2020-01-02 00:00:01,12,ok,6\n");
        write("runs/2.csv", "t,y,state,u\n2020-01-03 00:00:00,0.5,OK,-1\n");
    }
    void write_rig() {
        write("rig/u.txt", "1\t2\t3\t4\n5\t6\t7\t8\n9\t10\t11\t12\n");
        write("rig/y.txt", "1\t3\n5\t7\n9\t11\n");
        write("rig/labels.txt", "0\t0\n1\t0\n1\t1\n");
    }
};

void expect_same(const Dataset& a, const Dataset& b) {
    EXPECT_EQ(a.strata, b.strata);
    EXPECT_EQ(a.units_left_out, b.units_left_out);
    ASSERT_EQ(a.recordings.size(), b.recordings.size());
    for (size_t r = 0; r < a.recordings.size(); ++r) {
        const Recording &x = a.recordings[r], &y = b.recordings[r];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.part, y.part);
        EXPECT_EQ(x.absent, y.absent);
        EXPECT_EQ(x.filled, y.filled);
        ASSERT_EQ(x.channels.size(), y.channels.size());
        for (size_t c = 0; c < x.channels.size(); ++c) {
            const auto left = x.channels[c].values(), right = y.channels[c].values();
            ASSERT_EQ(left.size(), right.size());
            EXPECT_EQ(std::memcmp(left.data(), right.data(), left.size_bytes()), 0) << x.name;
        }
        ASSERT_EQ(x.spans.size(), y.spans.size());
        for (size_t s = 0; s < x.spans.size(); ++s) {
            EXPECT_EQ(x.spans[s].begin, y.spans[s].begin);
            EXPECT_EQ(x.spans[s].state, y.spans[s].state);
            EXPECT_EQ(x.spans[s].stratum, y.spans[s].stratum);
        }
        ASSERT_EQ(x.segments.size(), y.segments.size());
        for (size_t s = 0; s < x.segments.size(); ++s) EXPECT_EQ(x.segments[s].begin, y.segments[s].begin);
    }
}

void expect_cover(const Dataset& dataset) {
    for (const Recording& recording : dataset.recordings) {
        int64_t next = 0;
        for (const Span& span : recording.spans) {
            ASSERT_EQ(span.begin, next) << recording.name;
            next = span.end;
        }
        ASSERT_EQ(next, recording.length()) << recording.name;
        next = 0;
        for (const Segment& segment : recording.segments) {
            ASSERT_EQ(segment.begin, next) << recording.name;
            next = segment.end;
        }
        ASSERT_EQ(next, recording.length()) << recording.name;
        for (const Samples& channel : recording.channels) ASSERT_EQ(channel.size(), recording.length());
        ASSERT_EQ(recording.channels.size(), dataset.channels.size());
    }
}

TEST_F(Loading, RowsWithTimesAndLabels) {
    write_runs();
    const Dataset dataset = load_text(kRows);
    expect_cover(dataset);
    ASSERT_EQ(dataset.recordings.size(), 3u);
    EXPECT_EQ(dataset.recordings[0].name, "runs/1.csv");
    EXPECT_EQ(dataset.recordings[1].name, "runs/2.csv");
    EXPECT_EQ(dataset.recordings[2].name, "runs/10.csv");
    EXPECT_EQ(dataset.strata, (std::vector<std::string>{"leaking", "clogged"})) << "in the order of the recipe";
    EXPECT_EQ(dataset.parts.at(0).files, 3);
    EXPECT_THAT(dataset.indices(true), ElementsAre(1));
    EXPECT_THAT(dataset.indices(false), ElementsAre(0));

    const Recording& first = dataset.recordings[0];
    EXPECT_THAT(first.channels[0].values(), ElementsAre(1, 2, 3));
    EXPECT_THAT(first.channels[1].values(), ElementsAre(10, 20, 30));
    ASSERT_EQ(first.spans.size(), 3u);
    EXPECT_EQ(first.spans[0].state, State::kHealthy);
    EXPECT_EQ(first.spans[1].stratum, 0);
    EXPECT_EQ(first.spans[2].stratum, 1);
    EXPECT_TRUE(first.dated);
    EXPECT_EQ(time_of(first, 2, 1.0) - time_of(first, 0, 1.0), 2.0);
    EXPECT_EQ(dataset.recordings[2].spans[0].stratum, 1) << "an index of the dataset, not of the file";
}

TEST_F(Loading, EveryMistakeInRowsIsFoundByFileAndLine) {
    const auto refused = [&](const std::string& text, std::vector<std::string> words,
                             const std::vector<std::string>& settings = {}) {
        SCOPED_TRACE(text);
        words.push_back(write("runs/1.csv", text).string());
        expect_refused(kRows, settings, words);
    };
    refused("t,y,state,u\n0,1,ok,1\n1,1,leek,1\n", {"1.csv:3: ", "'leek'", "'state'"});
    refused("t,y,state,u\n0,1,ok,1\n1,1,,1\n", {"1.csv:3: "});
    refused("t,y,state,u\n0,1,ok,1\n1,,ok,1\n", {"1.csv:3: ", "channel 'y' has no value", "drop-window"});
    refused("t,y,state,u\n0,1,ok,1\n1,1e300,ok,1\n", {"1.csv:3: ", "channel 'y' is infinite or too large"});
    refused("t,y,state,u\n0,1,ok,1\n1,high,ok,1\n", {"1.csv:3", "high"});
    refused("t,y,state,u\n0,1,ok,1\n,1,ok,1\n", {"1.csv:3: ", "no time stamp"});
    refused("t,y,state,u\n0,1,ok,1\n9,1,ok,1\n", {"1.csv:3: ", "9 s between"});
    refused("t,Y1,state,u\n0,1,ok,1\n", {"no column 'y'"});
    refused("t,y,stat,u\n0,1,ok,1\n", {"no column 'state'", "'stat'"});
    refused("time,y,state,u\n0,1,ok,1\n", {"no column 't'"});
    refused("t,y,state,u\n", {"no "});
    refused("t,y,state,u\n0,1,ok,1\n0.5,1,ok,1\n1,1,ok,1\n1.5,1,ok,1\n", {"0.5 s apart", "rate_hz = 1"});
    refused("", {"empty"});
}

TEST_F(Loading, OfSeveralBadFilesTheFirstIsNamedWhateverTheThreads) {
    for (int i = 0; i < 8; ++i) write("runs/" + std::to_string(i) + ".csv", "t,y,state,u\n0,1,bad,1\n");
    const int before = thread_count();
    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        expect_refused(kRows, {}, {"runs/0.csv:2: "});
    }
    set_thread_count(before);
}

TEST_F(Loading, GapsFollowThePolicy) {
    write("runs/1.csv", "t,y,state,u\n0,0,ok,1\n1,,ok,1\n2,2,ok,1\n5,5,ok,4\n6,6,ok,5\n7,7,ok,6\n");
    const Dataset dropped = load_text(kRows, {"data.gaps=drop-window"});
    expect_cover(dropped);
    EXPECT_EQ(dropped.recordings[0].segments.size(), 2u);
    EXPECT_EQ(dropped.recordings[0].absent, 1);
    EXPECT_THAT(dropped.recordings[0].channels[1].values(), ElementsAre(0, nan, 2, 5, 6, 7));

    const Dataset filled = load_text(kRows, {"data.gaps=interpolate", "data.max_gap=2"});
    expect_cover(filled);
    EXPECT_EQ(filled.recordings[0].segments.size(), 1u);
    EXPECT_EQ(filled.recordings[0].filled, 1 + 2 * 2);
    EXPECT_THAT(filled.recordings[0].channels[1].values(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(filled.recordings[0].channels[0].values(), ElementsAre(1, 1, 1, 2, 3, 4, 5, 6));

    const Dataset cut = load_text(kRows, {"data.gaps=interpolate", "data.max_gap=1"});
    EXPECT_EQ(cut.recordings[0].segments.size(), 2u);
    EXPECT_THAT(cut.recordings[0].channels[1].values(), ElementsAre(0, 1, 2, 5, 6, 7));
}

TEST_F(Loading, AFilledGapIsOfTheRowBefore) {
    write("runs/1.csv", "t,y,state,u\n0,0,ok,1\n1,1,leak,1\n4,4,ok,1\n5,5,ok,1\n");
    const Dataset dataset = load_text(kRows, {"data.gaps=interpolate", "data.max_gap=2"});
    const std::vector<Span>& spans = dataset.recordings[0].spans;
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[1].state, State::kFaulty);
    EXPECT_EQ(dataset.strata.at(spans[1].stratum), "leaking");
    EXPECT_EQ(spans[1].begin, 1);
    EXPECT_EQ(spans[1].end, 4);
}

TEST_F(Loading, StampsWithOffsetsAndEpochsOfEveryUnitAreOneClock) {
    const std::vector<std::string> files = {
        "t,y,state,u\n2015-12-22T18:00:00+02:00,1,ok,7\n2015-12-22T18:00:01+02:00,2,ok,8\n",
        "t,y,state,u\n2015-12-22T16:00:00Z,1,ok,7\n2015-12-22T16:00:01Z,2,ok,8\n",
        "t;y;state;u\n1450800000;1;ok;7\n1450800001;2;ok;8\n",
        "t,y,state,u\n1450800000000,1,ok,7\n1450800001000,2,ok,8\n",
        "t,y,state,u\n1450800000000000,1,ok,7\n1450800001000000,2,ok,8\n",
        "t,y,state,u\n1450800000000000000,1,ok,7\n1450800001000000000,2,ok,8\n",
    };
    for (const std::string& text : files) {
        write("runs/1.csv", text);
        const Dataset dataset = load_text(kRows);
        EXPECT_TRUE(dataset.recordings[0].dated) << text;
        EXPECT_EQ(dataset.recordings[0].segments.at(0).start_s, 1450800000) << text;
        EXPECT_EQ(time_of(dataset.recordings[0], 1, 1.0), 1450800001) << text;
    }
    write("runs/1.csv", "t,y,state,u\n42360.6666666667,1,ok,7\n42360.6666782407,2,ok,8\n");
    EXPECT_EQ(load_text(kRows, {"data.read.time_unit=excel-days"}).recordings[0].segments.at(0).start_s, 1450800000);
    write("runs/1.csv", "t,y,state,u\n0,1,ok,7\n1000,2,ok,8\n2000,2,ok,8\n");
    expect_refused(kRows, {}, {"1.csv:3: ", "1000 s between", "time_unit = \"ms\""});
    EXPECT_EQ(load_text(kRows, {"data.read.time_unit=ms"}).recordings[0].length(), 3);
}

TEST_F(Loading, RepeatedStampsKeepTheFirstRowAndItsLabel) {
    write("runs/1.csv", "t,y,state,u\n0,1,ok,7\n1,2,leak,8\n1,3,ok,9\n2,4,ok,10\n");
    expect_refused(kRows, {}, {"1.csv:4: ", "1 s stands twice", "keep-first"});
    const Dataset dataset = load_text(kRows, {"data.time.repeated=keep-first"});
    expect_cover(dataset);
    const Recording& recording = dataset.recordings[0];
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(7, 8, 10));
    EXPECT_EQ(recording.repeated, 1);
    EXPECT_EQ(recording.spans.at(1).state, State::kFaulty);
    EXPECT_EQ(recording.spans.at(1).end, 2);
}

TEST_F(Loading, RunsOfOneFileAreSegments) {
    write("runs/1.csv", "t,y,state,u\n0,1,ok,1\n1,2,ok,2\n2,3,ok,3\n0,4,leak,4\n1,5,leak,5\n");
    expect_refused(kRows, {}, {"1.csv:5: ", "back from 2 s to 0 s", "restarts"});
    const Dataset dataset = load_text(kRows, {"data.time.restarts=segment"});
    expect_cover(dataset);
    const Recording& recording = dataset.recordings[0];
    ASSERT_EQ(recording.segments.size(), 2u);
    EXPECT_EQ(recording.segments[1].begin, 3);
    EXPECT_EQ(time_of(recording, 4, 1.0), 1.0);
    recipe::Window shape;
    shape.length = 2;
    std::vector<Window> windows;
    cut_windows(dataset, 0, shape, 1, windows);
    ASSERT_EQ(windows.size(), 3u) << "none crosses from one run to the next";
    EXPECT_EQ(windows[1].begin, 1);
    EXPECT_EQ(windows[2].begin, 3);
    EXPECT_FALSE(is_consecutive(dataset, windows[1], windows[2], 2));
}

TEST_F(Loading, UnevenRowsAreResampled) {
    // Two sensors that report in turn; the second falls silent for five seconds.
    write("runs/1.csv", "t,y,state,u\n0,10,ok,1\n0.5,,ok,2\n1.5,13,leak,\n2.5,,ok,6\n3,16,ok,\n4,,ok,9\n8,21,ok,13\n");
    const std::vector<std::string> linear = {"data.time.resample=linear", "data.time.max_step_s=4",
                                             "data.gaps=drop-window"};
    const Dataset dataset = load_text(kRows, linear);
    expect_cover(dataset);
    const Recording& recording = dataset.recordings[0];
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(1, 3, 5, 7, 9, 10, 11, 12, 13));
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(10, 12, 14, 16, nan, nan, nan, nan, 21));
    EXPECT_EQ(recording.absent, 4);
    ASSERT_EQ(recording.spans.size(), 3u);
    EXPECT_EQ(recording.spans[1].begin, 2) << "the state of the last row, that of 1.5 s";
    EXPECT_EQ(recording.spans[1].end, 3);
    expect_refused(kRows, {linear[0], linear[1]},
                   {"runs/1.csv", "channel 'y' has no value to resample at 4 s", "drop-window"});
    const Dataset filled = load_text(kRows, {linear[0], linear[1], "data.gaps=interpolate", "data.max_gap=4"});
    EXPECT_THAT(filled.recordings[0].channels[1].values(), ElementsAre(10, 12, 14, 16, 17, 18, 19, 20, 21));
    const Dataset cut = load_text(kRows, {linear[0], "data.time.max_step_s=3", linear[2]});
    EXPECT_EQ(cut.recordings[0].segments.size(), 2u);
    EXPECT_EQ(cut.recordings[0].segments[1].start_s, 8);
}

TEST_F(Loading, ADayOfUnevenRowsEqualsTheEvenOneThatItWasTakenFrom) {
    std::string even = "t,y,state,u\n", uneven = even;
    Rng rng(4);
    for (int i = 0; i <= 2000; ++i) {
        const std::string row = fmt::format("{},{},ok,{}\n", i, 3 * i, 100 - i);
        even += row;
        if (i == 0 || i == 2000 || rng.uniform() < 0.6) uneven += row;
    }
    write("runs/1.csv", even);
    const Dataset wanted = load_text(kRows);
    write("runs/1.csv", uneven);
    const Dataset found = load_text(kRows, {"data.time.resample=linear", "data.time.max_step_s=60"});
    ASSERT_EQ(found.recordings[0].length(), 2001);
    for (int64_t i = 0; i < 2001; ++i)
        EXPECT_NEAR(found.recordings[0].channels[1][i], wanted.recordings[0].channels[1][i], 1e-3);
}

TEST_F(Loading, APartMayHaveItsOwnClock) {
    write("a/1.csv", "t,u,y\n0,1,2\n1,1,2\n6,1,2\n");
    write("b/1.csv", "stamp,u,y\n0,1,2\n1,1,2\n6,1,2\n");
    const std::string text =
        "name = \"x\"\n[data]\nrate_hz = 1.0\ngaps = \"drop-window\"\ntime = { column = \"t\", max_step_s = 9 }\n"
        "[[data.part]]\nname = \"a\"\nfiles = \"a/*.csv\"\nstate = \"healthy\"\n"
        "[[data.part]]\nname = \"b\"\nfiles = \"b/*.csv\"\nstate = \"faulty\"\n"
        "time = { column = \"stamp\", max_step_s = 2 }\n" +
        kCauseAndEffect;
    const Dataset dataset = load_text(text);
    EXPECT_EQ(dataset.recordings[0].segments.size(), 1u);
    EXPECT_EQ(dataset.recordings[1].segments.size(), 2u);
    const Dataset fresh = load_new(recipe::parse_recipe(text, "r.toml"), folder_ / "b/1.csv");
    EXPECT_EQ(fresh.recordings[0].segments.size(), 2u) << "the plant's next export is read as its part";
}

TEST_F(Loading, SkippedSamplesAreNotJudged) {
    write("runs/1.csv", "t,y,state,u\n0,,nonsense,1\n0,1,nonsense,1\n5,2,ok,7\n6,3,ok,8\n");
    const std::string part = "data.part=[{name = \"p\", files = \"runs/1.csv\", skip_samples = ";
    const Dataset dataset = load_text(kRows, {part + "2}]"});
    EXPECT_THAT(dataset.recordings[0].channels[0].values(), ElementsAre(7, 8));
    EXPECT_EQ(dataset.recordings[0].segments[0].start_s, 5);
    expect_refused(kRows, {part + "4}]"}, {"runs/1.csv", "no rows left after skip_samples = 4"});
}

TEST_F(Loading, KeepExcludesRows) {
    write("runs/1.csv", "t,y,state,u\n0,1,ok,0\n1,2,leak,1\n2,3,ok,1\n");
    const Dataset dataset = load_text(kRows, {"data.labels.keep_column=u", "data.labels.keep=[\"1\"]"});
    expect_cover(dataset);
    EXPECT_EQ(dataset.recordings[0].spans[0].state, State::kExcluded);
    EXPECT_EQ(dataset.recordings[0].spans[1].state, State::kFaulty);
    EXPECT_EQ(dataset.recordings[0].spans[2].state, State::kHealthy);
}

TEST_F(Loading, AnyOfSeveralLabelColumnsMakesARowFaulty) {
    write("runs/1.csv", "t,y,leak,clog,u\n0,1,0,0,5\n1,2,1,0,5\n2,3,1,1,5\n3,4,0,1,5\n4,5,0,0,5\n");
    const std::vector<std::string> labels = {
        "data.labels={column = \"\", strata = [], columns = [\"leak\", \"clog\"], healthy = [\"0\"], faulty = "
        "[\"1\"]}"};
    const Dataset dataset = load_text(kRows, labels);
    expect_cover(dataset);
    EXPECT_THAT(dataset.strata, ElementsAre("leak", "clog"));
    const auto& spans = dataset.recordings[0].spans;
    ASSERT_EQ(spans.size(), 4u);
    EXPECT_EQ(spans[0].state, State::kHealthy);
    EXPECT_EQ(spans[1].stratum, 0);
    EXPECT_EQ(spans[1].end, 3) << "of two the first names the stratum";
    EXPECT_EQ(spans[2].stratum, 1);
    EXPECT_EQ(spans[3].state, State::kHealthy);
    write("runs/1.csv", "t,y,leak,clog,u\n0,1,0,0,5\n1,2,1,7,5\n");
    expect_refused(kRows, labels, {"1.csv:3: ", "the label '7' in column 'clog'"});
}

TEST_F(Loading, LabelsMayLieInAFileBeside) {
    write("runs/1.csv", "t,y,u\n10,1,5\n11,2,5\n12,3,5\n13,4,5\n");
    write("labels/1.txt", "state\nok\nok\nleak\nok\n");
    const std::string by_row =
        "data.labels={file = \"labels/{run}.txt\", column = \"state\", healthy = [\"ok\"], faulty = [\"leak\"], "
        "strata = []";
    const Dataset dataset = load_text(kRows, {by_row + "}"});
    expect_cover(dataset);
    ASSERT_EQ(dataset.recordings[0].spans.size(), 3u);
    EXPECT_EQ(dataset.recordings[0].spans[1].begin, 2);
    EXPECT_EQ(dataset.recordings[0].spans[1].end, 3);
    EXPECT_EQ(dataset.recordings[0].spans[1].state, State::kFaulty);
    const std::string skipping =
        "data.part=[{name = \"p\", files = \"runs/{run}.csv\", time.column = \"t\", skip_samples = 2}]";
    EXPECT_EQ(load_text(kRows, {by_row + "}", skipping}).recordings[0].spans.at(0).state, State::kFaulty)
        << "rows are counted from the beginning of the file";

    write("labels/1.txt", "state\nok\nok\nleak\n");
    expect_refused(kRows, {by_row + "}"}, {"1.csv:5: no label", "labels/1.txt has only 3 rows"});
    write("labels/1.txt", "state\nok\nok\nleak\nok\nok\n");
    expect_refused(kRows, {by_row + "}"}, {"labels/1.txt: 5 rows, but", "1.csv has 4"});
    write("labels/1.txt", "state\nok\nok\nlaek\nok\n");
    expect_refused(kRows, {by_row + "}"}, {"labels/1.txt:4: the label 'laek'"});
    fs::remove(folder_ / "labels/1.txt");
    expect_refused(kRows, {by_row + "}"}, {"labels/1.txt"});
    const Dataset fresh = load_new(recipe::parse_recipe(kRows, "r.toml", {by_row + "}"}), folder_ / "runs/1.csv");
    EXPECT_EQ(fresh.recordings[0].spans.at(0).state, State::kUnknown) << "new data need no labels";

    write("labels/1.txt", "from,state\n9.5,ok\n11,leak\n12.5,ok\n");
    const Dataset timed = load_text(kRows, {by_row + ", time = \"from\"}"});
    ASSERT_EQ(timed.recordings[0].spans.size(), 3u);
    EXPECT_EQ(timed.recordings[0].spans[1].begin, 1) << "a label holds from its time on";
    EXPECT_EQ(timed.recordings[0].spans[1].end, 3);
    write("labels/1.txt", "from,state\n10.5,ok\n11,leak\n");
    expect_refused(kRows, {by_row + ", time = \"from\"}"}, {"1.csv:2: the labels of", "begin later"});
    write("labels/1.txt", "from,state\n10,ok\n9,leak\n");
    expect_refused(kRows, {by_row + ", time = \"from\"}"}, {"labels/1.txt:3: ", "goes back in column 'from'"});
}

TEST_F(Loading, FilesWithTheirOwnClocksAreJoinedByTime) {
    write("runs/1.csv",
          "t,y,state\n2020-01-01T01:00:00+01:00,1,ok\n2020-01-01T01:00:01+01:00,2,ok\n"
          "2020-01-01T01:00:02+01:00,3,ok\n2020-01-01T01:00:03+01:00,4,ok\n");
    // 2020-01-01 00:00:00 UTC is 1577836800; twice the rate, and it ends early.
    write("fast/1.txt",
          "ms;u\n1577836799500;0\n1577836800000;10\n1577836800500;20\n1577836801000;30\n1577836801500;"
          "40\n1577836802000;50\n");
    const auto with = [](const std::string& how, const std::string& more = "") {
        return std::vector<std::string>{
            "data.part=[{name = \"runs\", files = \"runs/{run}.csv\", join = [{files = \"fast/{run}.txt\", time = "
            "{column "
            "= \"ms\", max_step_s = 1, resample = \"" +
                how + "\"}}]}]",
            more.empty() ? "data.gaps=drop-window" : more};
    };
    const Dataset linear = load_text(kRows, with("linear"));
    expect_cover(linear);
    EXPECT_THAT(linear.recordings[0].channels[0].values(), ElementsAre(10, 30, 50, nan));
    EXPECT_THAT(linear.recordings[0].channels[1].values(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(linear.recordings[0].absent, 1);
    EXPECT_THAT(load_text(kRows, with("mean")).recordings[0].channels[0].values(), ElementsAre(15, 35, 50, nan));
    EXPECT_THAT(load_text(kRows, with("hold")).recordings[0].channels[0].values(), ElementsAre(10, 30, 50, 50));
    expect_refused(kRows, with("linear", "data.gaps=error"),
                   {"fast/1.txt: channel 'u' has no value to resample at 2020-01-01 00:00:03"});
    const Dataset fresh = load_new(recipe::parse_recipe(kRows, "r.toml", with("mean")), folder_ / "runs/1.csv");
    EXPECT_THAT(fresh.recordings[0].channels[0].values(), ElementsAre(15, 35, 50, nan)) << "as the recipe's own";
    fs::create_directories(folder_ / "elsewhere/runs");
    fs::copy_file(folder_ / "runs/1.csv", folder_ / "elsewhere/runs/1.csv");
    expect_input_error(
        [&] { load_new(recipe::parse_recipe(kRows, "r.toml", with("mean")), folder_ / "elsewhere/runs/1.csv"); },
        {"elsewhere/fast/1.txt"});
    write("fast/1.txt", "ms;v\n1577836799500;0\n");
    expect_refused(kRows, with("mean"), {"runs/1.csv", "no column 'u'"});
}

TEST_F(Loading, EventsNeedNeitherNamesNorTargets) {
    write("runs/1.csv", "t,u,y\n2020-01-01 00:00:00,1,1\n2020-01-01 00:00:01,1,1\n2020-01-01 00:00:02,1,1\n");
    write("e.csv", "from,to\n2020-01-01 00:00:01,2020-01-01 00:00:01\n");
    const Dataset dataset =
        load_text(kRows, {"data.labels={column = \"\", healthy = [], faulty = [], strata = []}",
                          "data.events={file = \"e.csv\", label = true, start = \"from\", end = \"to\", name = "
                          "\"\", target = \"\"}"});
    ASSERT_EQ(dataset.recordings[0].spans.size(), 3u);
    EXPECT_EQ(dataset.recordings[0].spans[1].state, State::kFaulty);
    EXPECT_EQ(dataset.events.at(0).name, "1");
    EXPECT_EQ(dataset.events.at(0).target, "");
}

TEST_F(Loading, MadeChannelsComeFromColumns) {
    write("runs/1.csv", "t,y,state,u\n0,1,ok,10\n1,3,ok,20\n2,7,ok,40\n");
    const std::vector<std::string> made = {
        "channels=[{role = \"cause\", group = \"d\", names = [\"d\"], columns = [\"u\", \"y\"], made = "
        "\"difference\"}, "
        "{role = \"effect\", group = \"v\", names = [\"v\"], columns = [\"y\"], made = \"derivative\"}]"};
    const Dataset dataset = load_text(kRows, made);
    expect_cover(dataset);
    EXPECT_EQ(dataset.channels[0].name, "d");
    EXPECT_THAT(dataset.recordings[0].channels[0].values(), ElementsAre(9, 17, 33));
    EXPECT_THAT(dataset.recordings[0].channels[1].values(), ElementsAre(2, 2, 4));
    const Dataset fresh = load_new(recipe::parse_recipe(kRows, "r.toml", made), folder_ / "runs/1.csv");
    EXPECT_THAT(fresh.recordings[0].channels[0].values(), ElementsAre(9, 17, 33));

    write_rig();
    const Dataset cycles =
        load_text(kCycles, {"channels=[{role = \"cause\", group = \"i\", names = [\"i\"], columns = [\"u\"], made = "
                            "\"integral\"}, {role = \"effect\", group = \"out\", names = [\"y\"]}]"});
    EXPECT_THAT(cycles.recordings[0].channels[0].values(),
                ElementsAre(0, 0.75f, 2, 3.75f, 0, 2.75f, 6, 9.75f, 0, 4.75f, 10, 15.75f))
        << "each cycle by itself";
}

TEST_F(Loading, PartsSayTheStateAndNameTheStratum) {
    write("a/7.csv", "u,y\n1,2\n");
    write("b/8.csv", "u,y\n3,4\n");
    const Dataset dataset = load_text(
        "name = \"x\"\n[data]\nrate_hz = 1.0\n[[data.part]]\nname = \"good\"\nfiles = \"a/*.csv\"\nstate = "
        "\"healthy\"\n"
        "stratum = \"none\"\n[[data.part]]\nname = \"bad\"\nfiles = \"b/{n}.csv\"\nstate = \"faulty\"\nrole = "
        "\"test\"\n"
        "stratum = \"{part} {n}\"\n" +
        kCauseAndEffect);
    expect_cover(dataset);
    ASSERT_EQ(dataset.recordings.size(), 2u);
    EXPECT_EQ(dataset.recordings[0].spans[0].stratum, -1) << "healthy rows have none";
    EXPECT_EQ(dataset.strata.at(dataset.recordings[1].spans[0].stratum), "bad 8");
    EXPECT_EQ(dataset.recordings[1].part, 1);
    EXPECT_EQ(dataset.parts[1].role, "test");
    EXPECT_FALSE(dataset.recordings[0].dated);
}

const std::string kUnits =
    "name = \"x\"\n[data]\nrate_hz = 1.0\n[[data.part]]\nname = \"p\"\nfiles = \"{unit}/{unit}_*.csv\"\n"
    "[[data.unit]]\nnames = [\"K(1..2)\"]\n[[data.unit]]\nnames = [\"KA\"]\nstate = \"faulty\"\nstratum = \"worn\"\n" +
    kCauseAndEffect;

TEST_F(Loading, UnitsTellWhatTheirFilesAreAndUnlistedOnesAreLeftOut) {
    for (const char* name : {"K(1)/K(1)_a.csv", "KA/KA_a.csv", "KA/KA_b.csv", "KX/KX_a.csv"}) write(name, "u,y\n1,2\n");
    const Dataset dataset = load_text(kUnits);
    ASSERT_EQ(dataset.recordings.size(), 3u);
    EXPECT_EQ(dataset.recordings[0].unit, "K(1)");
    EXPECT_EQ(dataset.recordings[0].spans[0].state, State::kHealthy);
    EXPECT_EQ(dataset.recordings[2].unit, "KA");
    EXPECT_EQ(dataset.recordings[2].spans[0].state, State::kFaulty);
    EXPECT_EQ(dataset.strata.at(dataset.recordings[2].spans[0].stratum), "worn");
    EXPECT_THAT(dataset.units_left_out, ElementsAre("KX"));
}

TEST_F(Loading, APartWithUnlistedUnitsOnlySaysSo) {
    write("KX/KX_a.csv", "u,y\n1,2\n");
    expect_refused(kUnits, {}, {"part 'p'", "KX/KX_a.csv", "[[data.unit]]"});
}

TEST_F(Loading, APartWithoutFilesTellsWhatWasLookedForAndWhereToGetIt) {
    expect_refused(kRows, {}, {"plant", "part 'runs'", folder_.path().string(), "runs/{run}.csv", "Ask the plant."});
}

TEST_F(Loading, AFileOfTwoPartsIsRefused) {
    write_runs();
    expect_refused(kRows + "[[data.part]]\nname = \"again\"\nfiles = \"runs/1*.csv\"\n", {},
                   {"runs/1.csv", "'runs'", "'again'"});
}

TEST_F(Loading, EventsLabelRowsAndTakeTheStratumOfThePart) {
    std::string rows = "t,u,y\n";
    for (int second = 0; second < 10; ++second) rows += fmt::format("2020-01-01 00:00:0{},{},1\n", second, second);
    write("runs/1.csv", rows);
    write("e.csv", "Attack #,Start Time,End Time,Attack Point\n9,2020-01-01 00:00:03,00:00:05,u\n");
    const std::string text =
        "name = \"x\"\n[data]\nrate_hz = 1.0\ntime.column = \"t\"\nevents = { file = \"e.csv\", label = true }\n"
        "[[data.part]]\nname = \"p\"\nfiles = \"runs/{run}.csv\"\nstratum = \"run {run}\"\n" +
        kCauseAndEffect;
    const Dataset dataset = load_text(text);
    expect_cover(dataset);
    const auto& spans = dataset.recordings[0].spans;
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[1].begin, 3);
    EXPECT_EQ(spans[1].end, 6);
    EXPECT_EQ(spans[1].state, State::kFaulty);
    EXPECT_EQ(spans[1].event, 0);
    EXPECT_EQ(dataset.events.at(0).name, "9");
    ASSERT_GE(spans[1].stratum, 0);
    EXPECT_EQ(dataset.strata.at(spans[1].stratum), "run 1");

    fs::remove(folder_ / "e.csv");
    expect_refused(text, {}, {"e.csv"});
}

TEST_F(Loading, ChannelsOfAnotherRateMustHaveTheirNumberOfSamples) {
    write("runs/1.csv", "u,y\n1,10\n2,20\n3,30\n4,40\n5,50\n6,60\n7,70\n8,80\n");
    const std::string text =
        "name = \"x\"\n[data]\nrate_hz = 1.0\n[[data.part]]\nname = \"p\"\nfiles = \"runs/*\"\n"
        "state = \"healthy\"\n" +
        kCauseAndEffect;
    const std::string channels =
        "channels=[{role = \"cause\", group = \"in\", names = [\"u\"]}, {role = \"effect\", "
        "group = \"out\", names = [\"y\"], rate_hz = ";
    expect_refused(text, {channels + "4.0}]"},
                   {"runs/1.csv", "channel 'y' has 8 samples, but 4 Hz means 32 where the others have 8"});
    expect_refused(text, {channels + "0.25}]"}, {"8 samples, but 0.25 Hz means 2"});
    expect_refused(text,
                   {"data.rate_hz=2.0",
                    "channels=[{role = \"cause\", group = \"in\", names = [\"u\"], "
                    "rate_hz = 1}, {role = \"effect\", group = \"out\", names = [\"y\"], rate_hz = 1}]"},
                   {"no channel has the data's rate of 2 Hz"});
}

TEST_F(Loading, SkippedSamplesAreTheSameStretchOfTimeAtEveryRate) {
    // A text table has one length, so only a very short one passes with two rates: y at half the rate, two of u skipped
    // are one of y.
    write("runs/1.csv", "u,y\n1,10\n2,20\n3,30\n");
    const Dataset dataset = load_text(
        "name = \"x\"\n[data]\nrate_hz = 1.0\n[[data.part]]\nname = \"p\"\nfiles = \"runs/*\"\nstate = \"healthy\"\n"
        "skip_samples = 2\n" +
        kCauseAndEffect + "rate_hz = 0.5\n");
    EXPECT_THAT(dataset.recordings[0].channels[0].values(), ElementsAre(3));
    EXPECT_THAT(dataset.recordings[0].channels[1].values(), ElementsAre(20));
}

// A MATLAB file like those of Paderborn: signals of three rates side by side, found by the names in a struct array.
TEST_F(Loading, SignalsOfSeveralRatesComeFromOneFile) {
    const auto numbers = [](std::vector<float> values) {
        simulate::MatValue out;
        out.rows = 1;
        out.columns = static_cast<int64_t>(values.size());
        out.numbers = std::move(values);
        return out;
    };
    const auto text = [](const char* words) {
        simulate::MatValue out;
        out.text = words;
        return out;
    };
    simulate::MatValue signals;
    signals.fields = {{"Name", {text("u"), text("y"), text("slow")}},
                      {"Data", {numbers({0, 1, 2, 3, 4, 5, 6, 7}), numbers({10, 12, 14, 16}), numbers({5, 9})}}};
    simulate::MatValue run;
    run.fields = {{"Y", {signals}}};
    fs::create_directories(folder_ / "rig/K1");
    simulate::write_mat(folder_ / "rig/K1/run_K1_1.mat", "run_K1_1", run);
    const Dataset dataset = load_text(R"(
name = "rig"
[data]
rate_hz = 4.0
[[data.part]]
name = "p"
files = "rig/{unit}/run_{unit}_{run}.mat"
state = "healthy"
[[channels]]
role = "cause"
group = "in"
names = ["u"]
columns = ["*.Y[u].Data"]
[[channels]]
role = "effect"
group = "out"
names = ["y"]
columns = ["*.Y[y].Data"]
rate_hz = 2.0
align = "linear"
[[channels]]
role = "effect"
group = "slow"
names = ["slow"]
columns = ["*.Y[slow].Data"]
rate_hz = 1.0
)");
    const Recording& recording = dataset.recordings.at(0);
    EXPECT_EQ(recording.unit, "K1");
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(10, 11, 12, 13, 14, 15, 16, 16));
    EXPECT_THAT(recording.channels[2].values(), ElementsAre(5, 5, 5, 5, 9, 9, 9, 9));
}

// Over 1,000 seconds a clock is three samples fast.
TEST_F(Loading, ClocksThatDriftAreStretched) {
    simulate::MatValue u, y, names_u, names_y, signals, run;
    for (int t = 0; t < 4000; ++t) u.numbers.push_back(static_cast<float>(t));
    for (int t = 0; t < 2003; ++t) y.numbers.push_back(static_cast<float>(t));
    u.rows = y.rows = 1;
    u.columns = 4000;
    y.columns = 2003;
    names_u.text = "u";
    names_y.text = "y";
    signals.fields = {{"Name", {names_u, names_y}}, {"Data", {u, y}}};
    run.fields = {{"Y", {signals}}};
    fs::create_directories(folder_ / "rig");
    simulate::write_mat(folder_ / "rig/1.mat", "run", run);
    const Dataset dataset = load_text(
        "name = \"x\"\n[data]\nrate_hz = 4.0\n[[data.part]]\nname = \"p\"\nfiles = \"rig/*.mat\"\n"
        "state = \"healthy\"\n"
        "[[channels]]\nrole = \"cause\"\ngroup = \"in\"\nnames = [\"u\"]\ncolumns = [\"*.Y[u].Data\"]\n"
        "[[channels]]\nrole = \"effect\"\ngroup = \"out\"\nnames = [\"y\"]\ncolumns = [\"*.Y[y].Data\"]\n"
        "rate_hz = 2.0\nalign = \"linear\"\n");
    const auto found = dataset.recordings.at(0).channels[1].values();
    ASSERT_EQ(found.size(), 4000u);
    for (const size_t t : {0, 2000, 3998}) EXPECT_NEAR(found[t], static_cast<double>(t) * 2003 / 4000, 0.1);
}

TEST_F(Loading, ValuesAreRoundedToTheStepOfTheirChannel) {
    write("runs/1.csv", "t,u,y,state\n0,1.26,1.26,ok\n1,-1.26,-1.26,ok\n2,2.974,2.974,ok\n");
    const std::string stepped = std::string(kRows) + "step = 0.5\n";  // of the last group: y
    const Recording rows = load_text(stepped).recordings.at(0);
    EXPECT_THAT(rows.channels[0].values(), ElementsAre(1.26f, -1.26f, 2.974f));
    EXPECT_THAT(rows.channels[1].values(), ElementsAre(1.5f, -1.5f, 3.0f));
    // As a file has them that was written with so many digits.
    write("runs/1.csv", "t,u,y,state\n0,1.26,1.3,ok\n1,-1.26,-1.3,ok\n2,2.974,3.0,ok\n");
    const Recording written = load_text(kRows).recordings.at(0);
    write("runs/1.csv", "t,u,y,state\n0,1.26,1.26,ok\n1,-1.26,-1.26,ok\n2,2.974,2.974,ok\n");
    const Recording read = load_text(std::string(kRows) + "step = 0.1\n").recordings.at(0);
    for (int64_t t = 0; t < 3; ++t) EXPECT_EQ(read.channels[1].values()[t], written.channels[1].values()[t]) << t;

    write_rig();
    const Recording cycles = load_text(std::string(kCycles) + "step = 4\n").recordings.at(0);
    EXPECT_THAT(cycles.channels[0].values(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    EXPECT_THAT(cycles.channels[1].values(), ElementsAre(0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12));
}

TEST_F(Loading, CyclesOfSeveralRates) {
    write_rig();
    const Dataset dataset = load_text(kCycles);
    expect_cover(dataset);
    ASSERT_EQ(dataset.recordings.size(), 1u);
    const Recording& recording = dataset.recordings[0];
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11));
    ASSERT_EQ(recording.segments.size(), 3u);
    EXPECT_EQ(recording.segments[1].start_s, 2.0);
    ASSERT_EQ(recording.spans.size(), 3u);
    EXPECT_EQ(recording.spans[0].state, State::kHealthy);
    EXPECT_EQ(recording.spans[1].state, State::kFaulty);
    EXPECT_EQ(dataset.strata.at(recording.spans[1].stratum), "weak");
    EXPECT_EQ(recording.spans[2].state, State::kExcluded);
    EXPECT_EQ(dataset.parts[0].files, 2);

    const Dataset slow = load_text(kCycles, {"data.rate_hz=1.0"});
    EXPECT_THAT(slow.recordings[0].channels[0].values(), ElementsAre(1.5f, 3.5f, 5.5f, 7.5f, 9.5f, 11.5f));
    EXPECT_THAT(slow.recordings[0].channels[1].values(), ElementsAre(1, 3, 5, 7, 9, 11));
}

TEST_F(Loading, EveryMistakeInCyclesNamesItsFile) {
    write_rig();
    write("rig/labels.txt", "0\t0\n1\t0\n");
    expect_refused(kCycles, {}, {(folder_ / "rig/labels.txt").string() + ": 2 rows, but rig/u.txt has 3 cycles"});
    write("rig/labels.txt", "0\t0\n7\t0\n1\t0\n");
    expect_refused(kCycles, {}, {(folder_ / "rig/labels.txt").string() + ":2: ", "'7'"});
    fs::remove(folder_ / "rig/labels.txt");
    expect_refused(kCycles, {}, {(folder_ / "rig/labels.txt").string()});
    write_rig();

    write("rig/y.txt", "1\t3\n5\t7\n");
    expect_refused(kCycles, {}, {"rig/y.txt: 2 cycles, but rig/u.txt has 3"});
    write("rig/y.txt", "1\t2\t3\n5\t6\t7\n9\t10\t11\n");
    expect_refused(kCycles, {}, {(folder_ / "rig/y.txt").string(), "3 samples per cycle, expected 4"});
    write("rig/y.txt", "1\t3\n5\t\n9\t11\n");
    expect_refused(kCycles, {}, {(folder_ / "rig/y.txt").string() + ":2: ", "sample 2 of the cycle has no value"});
    write_rig();
    expect_refused(kCycles, {"data.cycle_s=2.2"}, {"rate_hz = 2", "cycle_s = 2.2", "whole number"});
    expect_refused(kCycles + "rate_hz = 3.0\n", {},
                   {(folder_ / "rig/y.txt").string(), "2 samples per cycle", "means 6"});

    fs::rename(folder_ / "rig/y.txt", folder_ / "rig/Y1y.txt");
    expect_refused(kCycles, {}, {"rig/{channel}.txt", "channel 'y'", "u"});
    fs::rename(folder_ / "rig/Y1y.txt", folder_ / "rig/yy.txt");
    expect_refused(kCycles, {}, {"channel 'y'", "the nearest is yy"});
}

TEST_F(Loading, CyclesWithoutAValueObeyTheGapPolicy) {
    write_rig();
    write("rig/u.txt", "1\t\t3\t4\n\t6\t7\t8\n9\t10\t11\t12\n");
    const Dataset dropped = load_text(kCycles, {"data.gaps=drop-window"});
    EXPECT_EQ(dropped.recordings[0].absent, 2);
    const Dataset filled = load_text(kCycles, {"data.gaps=interpolate", "data.max_gap=1"});
    EXPECT_EQ(filled.recordings[0].filled, 1);
    EXPECT_EQ(filled.recordings[0].absent, 1) << "no line leads from one cycle to the next";
    EXPECT_EQ(filled.recordings[0].channels[0][1], 2.0f);
}

TEST_F(Loading, KeepHoldsForCyclesWhoseStateThePartSays) {
    write_rig();
    const Dataset dataset = load_text(kCycles, {"data.part=[{name = \"c\", files = \"rig/{channel}.txt\", exclude = "
                                                "[\"rig/labels.txt\"], state = \"healthy\", read.header = \"no\"}]"});
    ASSERT_EQ(dataset.recordings[0].spans.size(), 2u);
    EXPECT_EQ(dataset.recordings[0].spans[0].end, 8);
    EXPECT_EQ(dataset.recordings[0].spans[0].state, State::kHealthy);
    EXPECT_EQ(dataset.recordings[0].spans[1].state, State::kExcluded);
}

TEST_F(Loading, CyclesOfSeveralRunsAreSeveralRecordingsOrAnError) {
    for (const char* name : {"r1/u.txt", "r1/y.txt", "r2/u.txt", "r2/y.txt"}) write(name, "1\t2\t3\t4\n");
    const auto with = [](const std::string& files) {
        return "name = \"rig\"\n[data]\nrate_hz = 2.0\nlayout = \"cycles\"\ncycle_s = 2.0\nread.header = \"no\"\n"
               "[[data.part]]\nname = \"c\"\nstate = \"healthy\"\nfiles = \"" +
               files + "\"\n" + kCauseAndEffect;
    };
    EXPECT_EQ(load_text(with("{run}/{channel}.txt")).recordings.size(), 2u);
    expect_refused(with("*/{channel}.txt"), {}, {"r1/u.txt and r2/u.txt", "'u'", "{word}"});
}

TEST_F(Loading, ThreadsAndStorageDoNotChangeTheDataset) {
    for (int run = 0; run < 9; ++run) {
        std::string text = "t,y,state,u\n";
        for (int i = 0; i < 3000; ++i)
            text += fmt::format("{},{},{},{}\n", i, i % 97 == 3 ? "" : fmt::format("{}", run * i * 0.25),
                                i % 700 < 50 ? (run % 2 ? "leak" : "clog") : "ok", i % 11);
        write(fmt::format("runs/{}.csv", run), text);
    }
    const int before = thread_count();
    set_thread_count(1);
    const std::vector<std::string> gaps = {"data.gaps=interpolate", "data.max_gap=1"};
    const Dataset wanted = load_text(kRows, {gaps[0], gaps[1], "data.storage=memory"});
    expect_cover(wanted);
    EXPECT_GT(wanted.recordings[0].filled, 0);
    set_thread_count(2);
    for (const char* storage : {"memory", "disk", "auto"})
        expect_same(load_text(kRows, {gaps[0], gaps[1], std::string("data.storage=") + storage}), wanted);
    set_thread_count(before);
}

TEST_F(Loading, ProgressCountsEveryRecordingOnce) {
    write_runs();
    std::atomic<int64_t> calls = 0, most = 0;
    load(recipe::parse_recipe(kRows, "r.toml"), folder_.path(), [&](int64_t done, int64_t total) {
        ++calls;
        if (done == total) most = done;
    });
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(most, 3);
}

// Samples of each state over the recordings of one part (or of all: -1).
std::map<State, int64_t> samples_by_state(const Dataset& dataset, int32_t part = -1) {
    std::map<State, int64_t> out;
    for (const Recording& recording : dataset.recordings)
        if (part < 0 || recording.part == part)
            for (const Span& span : recording.spans) out[span.state] += span.end - span.begin;
    return out;
}

Dataset load_shared(const std::string& name) {
    Dataset dataset = load(recipe::read_recipe(recipes() / (name + ".toml")), shared_data());
    expect_cover(dataset);
    return dataset;
}

TEST(SharedData, ZemaAt1HzHasItsCycles) {
    if (shared_data().empty()) GTEST_SKIP() << kNoSharedData;
    const Dataset dataset = load_shared("zema-1hz");
    ASSERT_EQ(dataset.recordings.size(), 1u);
    EXPECT_EQ(dataset.recordings[0].length(), 2205 * 60);
    EXPECT_EQ(dataset.recordings[0].segments.size(), 2205u);
    std::map<int32_t, int64_t> cycles;
    for (const Span& span : dataset.recordings[0].spans)
        if (span.state != State::kExcluded) cycles[span.stratum] += (span.end - span.begin) / 60;
    EXPECT_EQ(dataset.strata, (std::vector<std::string>{"weak", "severe"}));
    EXPECT_EQ(cycles[-1], 489);
    EXPECT_EQ(cycles[0], 480);
    EXPECT_EQ(cycles[1], 480);
}

TEST(SharedData, BatadalHasItsRowsAndAttacks) {
    if (shared_data().empty()) GTEST_SKIP() << kNoSharedData;
    const Dataset dataset = load_shared("batadal");
    ASSERT_EQ(dataset.recordings.size(), 3u);
    EXPECT_EQ(dataset.channels.size(), 43u);
    EXPECT_EQ(dataset.recordings[0].length(), 8761);
    EXPECT_EQ(dataset.recordings[1].length(), 4177);
    EXPECT_EQ(dataset.recordings[2].length(), 2089);
    EXPECT_EQ(samples_by_state(dataset, 0)[State::kFaulty], 0);
    EXPECT_EQ(samples_by_state(dataset, 1)[State::kFaulty], 492);
    EXPECT_EQ(samples_by_state(dataset, 2)[State::kFaulty], 407);
    EXPECT_TRUE(dataset.recordings[0].dated);
}

TEST(SharedData, TennesseeEastmanHasItsFaults) {
    if (shared_data().empty()) GTEST_SKIP() << kNoSharedData;
    const Dataset dataset = load_shared("tep");
    ASSERT_EQ(dataset.recordings.size(), 23u);
    EXPECT_EQ(dataset.channels.size(), 52u);
    EXPECT_EQ(dataset.recordings[0].length(), 500);
    EXPECT_EQ(dataset.recordings[1].length(), 960);
    for (size_t i = 2; i < 23; ++i) EXPECT_EQ(dataset.recordings[i].length(), 800);
    EXPECT_EQ(dataset.strata.size(), 21u);
    EXPECT_EQ(dataset.strata.front(), "fault 01");
    EXPECT_EQ(dataset.strata.back(), "fault 21");
    EXPECT_EQ(samples_by_state(dataset, 2)[State::kFaulty], 21 * 800);
    EXPECT_EQ(samples_by_state(dataset, 2)[State::kHealthy], 0);
}

TEST(SharedData, SkabHasItsExperiments) {
    if (shared_data().empty()) GTEST_SKIP() << kNoSharedData;
    const Dataset dataset = load_shared("skab");
    ASSERT_EQ(dataset.recordings.size(), 17u);
    EXPECT_EQ(dataset.parts[0].files, 16);
    const std::vector<int64_t> rows = {1147, 1145, 1075, 1148, 1095, 1154, 1154, 1094,
                                       1144, 1148, 1146, 1141, 1140, 1140, 1139, 1150};
    for (size_t i = 0; i < 16; ++i) EXPECT_EQ(dataset.recordings[i].length(), rows[i]) << i;
    EXPECT_EQ(dataset.recordings[16].length(), 9405);
    EXPECT_EQ(samples_by_state(dataset, 1)[State::kFaulty], 0);
    EXPECT_GT(samples_by_state(dataset, 0)[State::kFaulty], 0);
}

}  // namespace
}  // namespace cmr::data
