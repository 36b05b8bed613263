#include "eval/alarms.h"

#include <gmock/gmock.h>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::Labels;
using test::Values;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using Numbers = std::vector<int64_t>;

// Windows an hour apart. 'F' faulty, 'A' in alarm, 'O' outside the learned range, '.' neither; '|' another recording,
// '-' a missing hour.
AlarmReport count(const std::string& faults, const std::string& alarms, const std::string& ranges = "") {
    Values times;
    Numbers recordings, segments;
    Labels faulty, alarm, outside;
    double time = 0;
    int64_t recording = 0, segment = 0;
    for (size_t i = 0; i < faults.size(); ++i) {
        time += 3600;
        if (faults[i] == '|' || faults[i] == '-') {
            recording += faults[i] == '|' ? 1 : 0;
            ++segment;
            continue;
        }
        times.push_back(time);
        recordings.push_back(recording);
        segments.push_back(segment);
        faulty.push_back(faults[i] == 'F');
        alarm.push_back(alarms[i] == 'A');
        if (!ranges.empty()) outside.push_back(ranges[i] == 'O');
    }
    return count_alarms({times, recordings, segments, faulty, alarm, 3600, outside});
}

TEST(Alarms, AreCountedAsAnOperatorWould) {
    const AlarmReport report = count("......FFFFFF........FF....FF",  //
                                     "..A.....AAAAAA..A.A.A.......");
    EXPECT_EQ(report.faults, 3);
    EXPECT_EQ(report.found(), 2);
    EXPECT_THAT(report.delays_s, ElementsAre(2 * 3600, 0)) << "the second in its first window";
    EXPECT_EQ(report.false_alarms, 3);
    EXPECT_EQ(report.healthy_windows, 18);
    EXPECT_EQ(report.healthy_in_alarm, 5) << "three false alarms, and two hours too long";
    EXPECT_EQ(report.healthy_s, 18 * 3600);
    EXPECT_THAT(report.median_delay_s(), Optional(3600));
    EXPECT_THAT(report.false_alarms_per_day(), Optional(DoubleEq(3 * 24 / 18.0)));
    EXPECT_THAT(report.healthy_time_in_alarm(), Optional(DoubleEq(5 / 18.0)));
}

TEST(Alarms, OutsideTheLearnedRangeAreCountedApart) {
    const AlarmReport report = count("..............FFFF....",  //
                                     ".AA..AAA..AA...AA...A.",  //
                                     "....OOO...........OO..");
    EXPECT_EQ(report.false_alarms, 3) << "the one that began outside is not among them";
    EXPECT_EQ(report.outside_alarms, 1);
    EXPECT_EQ(report.outside_windows, 5);
    EXPECT_EQ(report.healthy_windows, 13);
    EXPECT_EQ(report.healthy_in_alarm, 6) << "back in the range an alarm that is still on counts";
    EXPECT_EQ(report.healthy_s, 13 * 3600);
    EXPECT_EQ(report.found(), 1);
    AlarmReport twice = report;
    twice += report;
    EXPECT_EQ(twice.outside_alarms, 2);
    EXPECT_EQ(twice.outside_windows, 10);
}

TEST(Alarms, ThatNeverEndFindNothing) {
    const AlarmReport report = count("....FF....FF....",  //
                                     "AAAAAAAAAAAAAAAA");
    EXPECT_EQ(report.faults, 2);
    EXPECT_EQ(report.found(), 0);
    EXPECT_EQ(report.false_alarms, 1);
    EXPECT_EQ(report.healthy_time_in_alarm(), 1);
    EXPECT_EQ(report.median_delay_s(), std::nullopt);
}

TEST(Alarms, ThatBeginInHealthyTimeAreFalseEvenWhenTheyRunIntoAFault) {
    const AlarmReport early = count("....FFFF..",  //
                                    "...AA.....");
    EXPECT_EQ(early.found(), 0);
    EXPECT_EQ(early.false_alarms, 1);
    // Raised again within the fault, by then someone looks.
    const AlarmReport again = count("....FFFF..",  //
                                    "...AA.A...");
    EXPECT_THAT(again.delays_s, ElementsAre(2 * 3600));
    EXPECT_EQ(again.false_alarms, 1);
}

TEST(Alarms, FindAFaultFromTheWindowInWhichItBeginsToItsLast) {
    EXPECT_THAT(count("..FF..", "..A...").delays_s, ElementsAre(0));
    EXPECT_THAT(count("..FF..", "...A..").delays_s, ElementsAre(3600));
    EXPECT_EQ(count("..FF..", "....A.").found(), 0);
    EXPECT_EQ(count("..FF..", "....A.").false_alarms, 1);
    EXPECT_EQ(count("..FF..", "..A.A.").found(), 1);
    EXPECT_EQ(count("..FF..", "..A.A.").false_alarms, 1);
    const AlarmReport twice = count("..FFF.", "..A.A.");
    EXPECT_THAT(twice.delays_s, ElementsAre(0)) << "the first counts";
    EXPECT_EQ(twice.false_alarms, 0);
}

TEST(Alarms, ThatFaultsRaisedEchoForAsLongAsTheyWereOnInThem) {
    EXPECT_EQ(count("..FFF......", "...AAA.....").echo_windows, 1);
    EXPECT_EQ(count("..FFF......", "...AAAAAAAA").echo_windows, 2) << "the other four are for nothing";
    EXPECT_EQ(count("..FFF......", "...AA.AAA..").echo_windows, 0) << "raised after the fault";
    EXPECT_EQ(count("..FFF......", ".AAAAAAAA..").echo_windows, 0) << "not raised by it";
    EXPECT_EQ(count("..FFF......", "..AAAAAA...", "......OOO..").echo_windows, 1) << "where no promise holds";
    AlarmReport twice = count("..FFF......", "...AAAAAAAA");
    twice += twice;
    EXPECT_EQ(twice.echo_windows, 4);
    EXPECT_EQ(twice.healthy_in_alarm, 12) << "echoes included";
}

TEST(Alarms, AndFaultsEndWithTheirRecording) {
    const AlarmReport two = count("..FF|FF..",  //
                                  "..AA|.A..");
    EXPECT_EQ(two.faults, 2);
    EXPECT_THAT(two.delays_s, ElementsAre(0, 3600));
    const AlarmReport on = count("....|FF..",  //
                                 "..AA|AA..");
    EXPECT_THAT(on.delays_s, ElementsAre(0)) << "the alarm before was of another recording";
    EXPECT_EQ(on.false_alarms, 1);
}

TEST(Alarms, ThatGoOnAfterAnInterruptionAreCountedAgainButFindNothing) {
    const AlarmReport on = count("....-..-FF-FF..",  //
                                 "..AA-AA-AA-AA..");
    EXPECT_EQ(on.faults, 1) << "no healthy window between";
    EXPECT_EQ(on.found(), 0);
    EXPECT_EQ(on.false_alarms, 2);
    const AlarmReport off = count("....-FF-FF..",  //
                                  "..AA-..-.A..");
    EXPECT_THAT(off.delays_s, ElementsAre(4 * 3600));
    EXPECT_EQ(off.false_alarms, 1);
}

TEST(Alarms, AreCountedWithoutFaultsAndFaultsWithoutAlarms) {
    EXPECT_EQ(count("....", ".A.A").false_alarms, 2);
    EXPECT_EQ(count("....", ".A.A").faults, 0);
    const AlarmReport silent = count("..F.", "....");
    EXPECT_EQ(silent.faults, 1);
    EXPECT_THAT(silent.delays_s, IsEmpty());
    EXPECT_EQ(silent.false_alarms_per_day(), 0);
    const AlarmReport all_faulty = count("FF", ".A");
    EXPECT_THAT(all_faulty.delays_s, ElementsAre(3600));
    EXPECT_EQ(all_faulty.false_alarms_per_day(), std::nullopt);
    EXPECT_EQ(all_faulty.healthy_time_in_alarm(), std::nullopt);
}

TEST(Alarms, OfSeveralFilesAddUp) {
    AlarmReport sum = count("..FF..", "..A.A.");
    sum += count("..FF....", "...A...A");
    EXPECT_EQ(sum.faults, 2);
    EXPECT_THAT(sum.delays_s, ElementsAre(0, 3600));
    EXPECT_EQ(sum.false_alarms, 2);
    EXPECT_EQ(sum.healthy_s, 10 * 3600);
    EXPECT_THAT(sum.healthy_time_in_alarm(), Optional(DoubleEq(0.2)));
}

// Window by window, with plain loops.
TEST(Alarms, AgreeWithACountOverWindows) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        Rng rng(seed);
        const int64_t windows = 200;
        const Labels faulty = test::make_sample(rng.split("faults"), windows, 1).labels;
        const Labels alarm = test::make_sample(rng.split("alarms"), windows, 1).labels;
        Numbers recordings, segments;
        Values times;
        for (int64_t i = 0; i < windows; ++i) {
            recordings.push_back(i / 37);
            segments.push_back(i / 37 + (i > 100 ? 1 : 0));
            times.push_back(static_cast<double>(i));
        }
        const auto begins = [&](const Labels& flags, int64_t i, const Numbers& within) {
            return flags[i] && (i == 0 || !flags[i - 1] || within[i] != within[i - 1]);
        };
        Values delays;
        int64_t faults = 0, false_alarms = 0;
        for (int64_t i = 0; i < windows; ++i) {
            false_alarms += begins(alarm, i, segments) && !faulty[i] ? 1 : 0;
            if (!begins(faulty, i, recordings)) continue;
            ++faults;
            for (int64_t j = i; j < windows && faulty[j] && (j == i || !begins(faulty, j, recordings)); ++j)
                if (begins(alarm, j, recordings)) {
                    delays.push_back(static_cast<double>(j - i));
                    break;
                }
        }
        const AlarmReport report = count_alarms({times, recordings, segments, faulty, alarm, 1});
        EXPECT_EQ(report.faults, faults);
        EXPECT_EQ(report.delays_s, delays);
        EXPECT_EQ(report.false_alarms, false_alarms);
    }
}

TEST(Alarms, SayWhatIsWrong) {
    test::expect_input_error(
        [] {
            count_alarms({Values{1, 2}, Numbers{0, 0}, Numbers{0}, Labels{0, 1}, Labels{0, 1}, 1});
        },
        {"2 windows, and 1 of another"});
}

}  // namespace
}  // namespace cmr::eval
