#include "data/labels.h"

#include <gtest/gtest.h>

#include <fstream>

#include "io/text/time.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::data {
namespace {

using test::expect_input_error;
using test::TemporaryFolder;

double date(const std::string& text) { return io::parse_time(text, io::DateOrder::kDayFirst).value(); }

recipe::Labels labels_of(const std::vector<std::string>& healthy, const std::vector<std::string>& faulty,
                         const std::vector<std::string>& strata = {}) {
    recipe::Labels labels;
    labels.column = "state";
    labels.healthy = healthy;
    labels.faulty = faulty;
    labels.strata = strata;
    return labels;
}

TEST(SameLabel, BlanksCaseAndTheWayANumberIsWrittenDoNotCount) {
    for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{
             {"A ttack", "Attack"}, {" attack\t", "ATTACK"}, {"1.00", "1"}, {"1e0", "1"}, {"-0", "0"}, {"", "  "}}) {
        EXPECT_TRUE(same_label(a, b)) << a << " and " << b;
        EXPECT_TRUE(same_label(b, a)) << a << " and " << b;
    }
    for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{
             {"Attack", "Attacks"}, {"1", "10"}, {"1", "-1"}, {"", "0"}, {"1x", "1"}, {"0.1", "0.10000001"}}) {
        EXPECT_FALSE(same_label(a, b)) << a << " and " << b;
        EXPECT_FALSE(same_label(b, a)) << a << " and " << b;
    }
}

TEST(Judge, TellsHealthyFromFaultyAndNamesTheStratum) {
    const recipe::Labels labels = labels_of({"0"}, {"1", "2"}, {"weak", "severe"});
    EXPECT_EQ(label_row(labels, "0.0", "", "f:1").state, State::kHealthy);
    EXPECT_EQ(label_row(labels, "1.00", "", "f:1"), (RowLabel{State::kFaulty, "weak"}));
    EXPECT_EQ(label_row(labels, " 2 ", "", "f:1"), (RowLabel{State::kFaulty, "severe"}));
    EXPECT_EQ(label_row(labels_of({}, {"1"}), "1", "", "f:1"), (RowLabel{State::kFaulty, ""}));
}

TEST(Judge, AnUnknownLabelIsRefusedWithItsPlace) {
    expect_input_error([] { label_row(labels_of({"Normal"}, {"Attack"}), "Atack", "", "swat.csv:812"); },
                       {"swat.csv:812: ", "'Atack'", "'state'", "Normal", "Attack"});
}

TEST(Judge, WithOneListOnlyAllOtherLabelsAreOfTheOtherKind) {
    EXPECT_EQ(label_row(labels_of({"ok"}, {}), "leak", "", "f:1").state, State::kFaulty);
    EXPECT_EQ(label_row(labels_of({}, {"leak"}), "idle", "", "f:1").state, State::kHealthy);
}

TEST(Judge, ARowWithoutALabelIsNeitherUnlessTheRecipeSaysSo) {
    expect_input_error([] { label_row(labels_of({"ok"}, {}), "", "", "f.csv:3"); },
                       {"f.csv:3: no label in column 'state'"});
    expect_input_error([] { label_row(labels_of({}, {"leak"}), " ", "", "f.csv:3"); }, {"f.csv:3: no label"});
    EXPECT_EQ(label_row(labels_of({""}, {"leak"}), " ", "", "f:1").state, State::kHealthy);
}

TEST(Judge, RowsThatAreNotKeptAreExcludedWhateverTheirLabel) {
    recipe::Labels labels = labels_of({"0"}, {"1"});
    labels.keep_column = "stable";
    labels.keep = {"1", "yes"};
    EXPECT_EQ(label_row(labels, "0", "1.0", "f:1").state, State::kHealthy);
    EXPECT_EQ(label_row(labels, "1", "YES", "f:1").state, State::kFaulty);
    EXPECT_EQ(label_row(labels, "1", "0", "f:1").state, State::kExcluded);
    EXPECT_EQ(label_row(labels, "nonsense", "0", "f:1").state, State::kExcluded);
    EXPECT_EQ(label_row(labels, "0", "", "f:1").state, State::kExcluded);
}

TEST(Spans, EqualNeighboursAreOne) {
    std::vector<Span> spans;
    append_span(spans, 3, State::kHealthy, -1);
    append_span(spans, 0, State::kFaulty, 0);
    append_span(spans, 2, State::kHealthy, -1);
    append_span(spans, 4, State::kFaulty, 0);
    append_span(spans, 1, State::kFaulty, 1);
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[0].end, 5);
    EXPECT_EQ(spans[1].begin, 5);
    EXPECT_EQ(spans[1].end, 9);
    EXPECT_EQ(spans[2].stratum, 1);
    EXPECT_EQ(spans[2].end, 10);
}

TEST(Intern, GivesOneIndexPerName) {
    std::vector<std::string> names = {"weak"};
    EXPECT_EQ(intern(names, "severe"), 1);
    EXPECT_EQ(intern(names, "weak"), 0);
    EXPECT_EQ(intern(names, ""), -1);
    EXPECT_EQ(names.size(), 2u);
}

class EventList : public testing::Test {
  protected:
    std::vector<Event> read(const std::string& rows) {
        std::ofstream(folder_ / "events.csv") << "Attack #,Start Time,End Time,Attack Point\n" << rows;
        return read_events(events_, folder_.path());
    }
    EventList() {
        events_.file = "events.csv";
        events_.read.date_order = "day-first";
    }

    TemporaryFolder folder_;
    recipe::Events events_;
};

TEST_F(EventList, EndsMayBeTimesOfDayPastMidnight) {
    const auto events = read(
        "1,28/12/2015 10:29:14,10:44:53,MV101\n"
        "2,28/12/2015 23:50:00,00:10:00,\"P102, P101\"\n"
        "3,29/12/2015 23:00:00,30/12/2015 01:00:00,LIT101\n");
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].start_s, date("28/12/2015 10:29:14"));
    EXPECT_EQ(events[0].end_s, date("28/12/2015 10:44:53"));
    EXPECT_EQ(events[0].name, "1");
    EXPECT_EQ(events[0].target, "MV101");
    EXPECT_EQ(events[1].end_s - events[1].start_s, 20 * 60);
    EXPECT_EQ(events[1].target, "P102, P101");
    EXPECT_EQ(events[2].end_s - events[2].start_s, 2 * 3600);
}

TEST_F(EventList, RowsWithoutAStartWereNotCarriedOut) {
    const auto events = read("1,28/12/2015 10:29:14,10:44:53,MV101\n2,,,P102\n");
    EXPECT_EQ(events.size(), 1u);
}

TEST_F(EventList, BadTimesAreRefusedWithTheirLine) {
    const std::string path = (folder_ / "events.csv").string();
    expect_input_error([&] { read("1,28/12/2015 10:29:14,10:44:53,M\n2,yesterday,10:44:53,M\n"); },
                       {path + ":3: ", "'yesterday'"});
    expect_input_error([&] { read("1,28/12/2015 10:29:14,later,M\n"); }, {path + ":2: ", "'later'"});
    expect_input_error([&] { read("1,28/12/2015 10:29:14,,M\n"); }, {path + ":2: ", "ends at ''"});
    expect_input_error([&] { read("1,28/12/2015 10:29:14,27/12/2015 10:00:00,M\n"); },
                       {path + ":2: ", "before it starts"});
}

TEST_F(EventList, DatesThatCanBeReadInTwoWaysAskForTheOrder) {
    events_.read.date_order = "auto";
    expect_input_error([&] { read("1,01/02/2015 10:29:14,10:44:53,M\n"); }, {"events.csv", "date_order"});
    EXPECT_EQ(read("1,01/02/2015 10:00:00,10:44:53,M\n2,28/12/2015 10:29:14,10:44:53,M\n")[0].start_s,
              date("01/02/2015 10:00:00"));
}

TEST_F(EventList, AColumnThatIsAbsentIsNamed) {
    events_.name = "Attack Nr";
    expect_input_error([&] { read("1,28/12/2015 10:29:14,10:44:53,M\n"); }, {"events.csv", "'Attack Nr'", "Attack #"});
}

TEST_F(EventList, ThatIsAbsentIsNoErrorUnlessItIsNeeded) {
    EXPECT_TRUE(read_events(events_, folder_.path()).empty());
    events_.label = true;
    expect_input_error([&] { read_events(events_, folder_.path()); }, {"events.csv"});
    events_.label = events_.optional = false;
    expect_input_error([&] { read_events(events_, folder_.path()); }, {"events.csv"});
    events_.file.clear();
    EXPECT_TRUE(read_events(events_, folder_.path()).empty());
}

// 100 samples at 1 Hz from 1000000000 s; 10 … 29 are faulty.
Recording plain_recording() {
    Recording recording;
    recording.name = "r.csv";
    recording.channels.emplace_back();
    recording.channels[0].append(std::vector<float>(100));
    recording.dated = true;
    recording.segments = {{0, 100, 1e9}};
    recording.spans = {
        {0, 10, State::kHealthy, -1, -1}, {10, 30, State::kFaulty, 0, -1}, {30, 100, State::kHealthy, -1, -1}};
    return recording;
}

Event event(double start, double end) { return {.name = "", .target = "", .start_s = 1e9 + start, .end_s = 1e9 + end}; }

void expect_cover(const Recording& recording) {
    int64_t next = 0;
    for (const Span& span : recording.spans) {
        EXPECT_EQ(span.begin, next);
        EXPECT_LT(span.begin, span.end);
        next = span.end;
    }
    EXPECT_EQ(next, recording.length());
}

const Span& span_at(const Recording& recording, int64_t sample) {
    for (const Span& span : recording.spans)
        if (span.begin <= sample && sample < span.end) return span;
    throw std::runtime_error("spans do not cover the recording");
}

TEST(ApplyEvents, NamesFaultySpansAndLeavesHealthyOnesAlone) {
    Recording recording = plain_recording();
    apply_events(recording, {event(5, 14), event(60, 70)}, /*label=*/false, 1.0);
    expect_cover(recording);
    EXPECT_EQ(span_at(recording, 5).state, State::kHealthy);
    EXPECT_EQ(span_at(recording, 5).event, -1);
    EXPECT_EQ(span_at(recording, 10).event, 0);
    EXPECT_EQ(span_at(recording, 14).event, 0) << "the end belongs to it";
    EXPECT_EQ(span_at(recording, 15).event, -1);
    EXPECT_EQ(span_at(recording, 15).state, State::kFaulty);
    EXPECT_EQ(span_at(recording, 65).state, State::kHealthy);
    EXPECT_EQ(span_at(recording, 12).stratum, 0);
}

TEST(ApplyEvents, LabelsWhatLiesInsideWhereTheyShall) {
    Recording recording = plain_recording();
    recording.spans.back() = {30, 50, State::kHealthy, -1, -1};
    recording.spans.push_back({50, 100, State::kExcluded, -1, -1});
    apply_events(recording, {event(40, 60)}, /*label=*/true, 1.0);
    expect_cover(recording);
    EXPECT_EQ(span_at(recording, 39).state, State::kHealthy);
    EXPECT_EQ(span_at(recording, 40).state, State::kFaulty);
    EXPECT_EQ(span_at(recording, 40).event, 0);
    EXPECT_EQ(span_at(recording, 49).state, State::kFaulty);
    EXPECT_EQ(span_at(recording, 50).state, State::kExcluded);
    EXPECT_EQ(span_at(recording, 50).event, -1);
}

TEST(ApplyEvents, OverlappingEventsLeaveNoHole) {
    Recording recording = plain_recording();
    apply_events(recording, {event(40, 60), event(50, 70), event(55, 56)}, /*label=*/true, 1.0);
    expect_cover(recording);
    for (int64_t i = 0; i < 100; ++i)
        EXPECT_EQ(span_at(recording, i).state == State::kFaulty, (i >= 10 && i < 30) || (i >= 40 && i <= 70)) << i;
    EXPECT_EQ(span_at(recording, 45).event, 0);
    EXPECT_EQ(span_at(recording, 65).event, 1);
    EXPECT_GE(span_at(recording, 55).event, 0);
}

TEST(ApplyEvents, AreFoundByTimeInEverySegment) {
    Recording recording = plain_recording();
    recording.segments = {{0, 50, 1e9}, {50, 100, 1e9 + 1000}};
    apply_events(recording, {event(45, 1004), event(500, 600), event(-100, -1), event(5000, 6000)}, true, 1.0);
    expect_cover(recording);
    for (int64_t i = 30; i < 100; ++i)
        EXPECT_EQ(span_at(recording, i).state == State::kFaulty, i >= 45 && i <= 54) << i;
}

TEST(ApplyEvents, BetweenTwoSamplesTouchNone) {
    Recording recording = plain_recording();
    apply_events(recording, {event(40.2, 40.8)}, true, 1.0);
    EXPECT_EQ(span_at(recording, 40).state, State::kHealthy);
    EXPECT_EQ(span_at(recording, 41).state, State::kHealthy);
}

TEST(ApplyEvents, NeedDatesWhereTheyLabel) {
    Recording recording = plain_recording();
    recording.dated = false;
    apply_events(recording, {event(40, 60)}, /*label=*/false, 1.0);
    EXPECT_EQ(recording.spans.size(), 3u);
    expect_input_error([&] { apply_events(recording, {event(40, 60)}, true, 1.0); }, {"r.csv: ", "dates"});
}

}  // namespace
}  // namespace cmr::data
