#include "live/alarm/alarm.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "io/file.h"

namespace cmr::live {
namespace {

constexpr AlarmOptions kLatching{.latching = true};

Alarm in(State state) {
    Alarm alarm;
    alarm.state = state;
    return alarm;
}

TEST(Alarm, GoesFromRaiseOverAcknowledgeToNormal) {
    Alarm alarm;
    const auto raise = advance(alarm, 10, true).alarm;
    ASSERT_TRUE(raise);
    EXPECT_EQ(*raise, (Step{1, Event::kRaise, State::kNormal, State::kUnacknowledged, true}));
    EXPECT_EQ(alarm.raised_s, 10);
    EXPECT_EQ(advance(alarm, Event::kAcknowledge, 11)->to, State::kAcknowledged);
    EXPECT_EQ(alarm.since_s, 11);
    EXPECT_FALSE(advance(alarm, 20, true).alarm);
    EXPECT_EQ(advance(alarm, 30, false).alarm->to, State::kNormal);
    EXPECT_EQ(alarm.steps, 3);
}

TEST(Alarm, ThatEndsUnseenWaitsForAnAcknowledgement) {
    Alarm alarm;
    advance(alarm, 10, true);
    EXPECT_EQ(advance(alarm, 20, false).alarm->to, State::kReturned);
    EXPECT_EQ(advance(alarm, Event::kAcknowledge, 21)->to, State::kNormal);
}

TEST(Alarm, ThatLatchesWaitsForAReset) {
    Alarm alarm;
    advance(alarm, 10, true, kLatching);
    advance(alarm, Event::kAcknowledge, 11, kLatching);
    EXPECT_EQ(advance(alarm, 20, false, kLatching).alarm->to, State::kLatched);
    EXPECT_FALSE(advance(alarm, Event::kAcknowledge, 21, kLatching));
    EXPECT_EQ(advance(alarm, Event::kReset, 22, kLatching)->to, State::kNormal);
}

TEST(Alarm, KnowsNoStepThatTheTableDoesNotHave) {
    const std::map<std::pair<State, Event>, State> wanted = {
        {{State::kNormal, Event::kRaise}, State::kUnacknowledged},
        {{State::kUnacknowledged, Event::kAcknowledge}, State::kAcknowledged},
        {{State::kUnacknowledged, Event::kClear}, State::kReturned},
        {{State::kAcknowledged, Event::kClear}, State::kNormal},
        {{State::kReturned, Event::kRaise}, State::kUnacknowledged},
        {{State::kReturned, Event::kAcknowledge}, State::kNormal},
        {{State::kLatched, Event::kRaise}, State::kUnacknowledged},
        {{State::kLatched, Event::kReset}, State::kNormal},
    };
    for (const State state :
         {State::kNormal, State::kUnacknowledged, State::kAcknowledged, State::kReturned, State::kLatched})
        for (const Event event : {Event::kRaise, Event::kClear, Event::kAcknowledge, Event::kReset}) {
            Alarm alarm = in(state);
            const auto step = advance(alarm, event, 5);
            const auto row = wanted.find({state, event});
            ASSERT_EQ(step.has_value(), row != wanted.end()) << name(state) << " " << name(event);
            EXPECT_EQ(alarm.state, step ? row->second : state) << name(state) << " " << name(event);
            if (!step) {
                EXPECT_EQ(alarm, in(state));
            }
        }
}

TEST(Alarm, IsNeitherRaisedNorClearedByAbsentData) {
    for (const State state :
         {State::kNormal, State::kUnacknowledged, State::kAcknowledged, State::kReturned, State::kLatched}) {
        Alarm alarm = in(state);
        const auto step = advance(alarm, Event::kStale, 50);
        ASSERT_TRUE(step);
        EXPECT_FALSE(step->told);
        EXPECT_EQ(alarm.shown(), state == State::kNormal ? State::kStale : state);
        EXPECT_FALSE(advance(alarm, 60, std::nullopt).alarm) << "a window that could not be judged";
        EXPECT_EQ(alarm.state, state);
        EXPECT_FALSE(advance(alarm, Event::kStale, 61)) << "it is so already";
        EXPECT_TRUE(advance(alarm, Event::kFresh, 70));
        EXPECT_EQ(alarm.shown(), state);
    }
}

TEST(Alarm, OnTheShelfLivesOnUnheardAndIsHeardAfterwards) {
    Alarm alarm;
    EXPECT_EQ(advance(alarm, Event::kShelve, 10, {}, 100)->to, State::kShelved);
    const auto raise = advance(alarm, 20, true).alarm;
    ASSERT_TRUE(raise);
    EXPECT_FALSE(raise->told);
    EXPECT_EQ(raise->to, State::kShelved);
    EXPECT_FALSE(advance(alarm, 99, true).unshelved);
    const Steps over = advance(alarm, 100, true);
    ASSERT_TRUE(over.unshelved);
    EXPECT_TRUE(over.unshelved->told);
    EXPECT_EQ(over.unshelved->to, State::kUnacknowledged);
    EXPECT_FALSE(over.alarm);
}

TEST(Alarm, OutOfServiceIsSilentAndComesBackSilentlyWhenAllIsWell) {
    Alarm alarm;
    EXPECT_FALSE(advance(alarm, Event::kRemove, 10)->told);
    EXPECT_EQ(alarm.shown(), State::kOutOfService);
    EXPECT_FALSE(advance(alarm, 20, true).alarm->told);
    EXPECT_FALSE(advance(alarm, 30, false).alarm->told);
    EXPECT_FALSE(advance(alarm, Event::kAcknowledge, 31)->told);
    EXPECT_FALSE(advance(alarm, Event::kRestore, 40)->told);
    EXPECT_EQ(alarm.shown(), State::kNormal);
}

TEST(Alarm, TakesAWindowOnce) {
    Alarm alarm;
    advance(alarm, 10, true);
    advance(alarm, 20, false);
    const Alarm before = alarm;
    advance(alarm, 10, true);
    advance(alarm, 20, true);
    EXPECT_EQ(alarm, before);
}

TEST(Alarm, IsTheSameAfterSavingAndLoading) {
    Alarm alarm;
    EXPECT_EQ(load_alarm(save(alarm), "x"), alarm) << "at the beginning";
    advance(alarm, 1700000000.125, true);
    advance(alarm, Event::kShelve, 1700000001, {}, 1700003600.5);
    advance(alarm, Event::kStale, 1700000002);
    EXPECT_EQ(load_alarm(save(alarm), "x"), alarm);
    EXPECT_THROW(load_alarm("{}", "row 3"), InputError);
}

TEST(Alarm, HasTheTableThatTheDocumentationShows) {
    const std::string docs = io::read_file(std::string(CMR_SOURCE_DIR) + "/docs/live.md");
    for (const Transition& row : transitions()) {
        const char* when = row.when == Transition::When::kLatching      ? "latching"
                           : row.when == Transition::When::kNotLatching ? "not latching"
                                                                        : "";
        const std::string line =
            fmt::format("| {} | {} | {} | {} |", name(row.from), name(row.event), name(row.to), when);
        EXPECT_NE(docs.find(line), std::string::npos) << "docs/live.md lacks: " << line;
    }
}

}  // namespace
}  // namespace cmr::live
