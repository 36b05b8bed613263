// `cmr eval` on score files written by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

// Hourly windows. A recording is a score per window, 'F' where it is faulty and 'A' where there is an alarm.
struct Recording {
    std::string name;
    std::vector<int> scores;
    std::string faults, alarms;
};

struct Scores {
    explicit Scores(const std::vector<Recording>& recordings) {
        std::ofstream out(folder / "scores.csv");
        out << "recording,first,start,end,state,stratum,event,split,combined,p_value,level,alarm\n";
        for (const Recording& r : recordings)
            for (size_t i = 0; i < r.faults.size(); ++i)
                out << fmt::format("{},{},{},{},{},,,test,{},0.5,1,{}\n", r.name, i, 3600 * i, 3600 * (i + 1),
                                   r.faults[i] == 'F' ? "faulty" : "healthy", r.scores[i], r.alarms[i] == 'A' ? 1 : 0);
    }
    std::string text(const std::string& options = "") const {
        const auto result = test::run_command(fmt::format("'{}/cmr' eval {} '{}' 2>&1", std::getenv("CMR_BIN"), options,
                                                          (folder / "scores.csv").string()));
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return result.output;
    }
    nlohmann::json json() const { return nlohmann::json::parse(text("--json")); }

    test::TemporaryFolder folder;
};

TEST(EvalProgram, CountsFaultsThatAbutAsItCountsFaultsThatAreApart) {
    const Recording first{"a", {0, 0, 0, 9, 0}, "...FF", "....."}, second{"b", {0, 0, 1, 0, 0}, "FF...", "....."},
        healthy{"c", std::vector<int>(20, 0), std::string(20, '.'), std::string(20, '.')};
    const auto abutting = Scores({first, second, healthy}).json(), apart = Scores({first, healthy, second}).json();
    for (const char* name : {"auroc", "average_precision", "best_f1", "best_f1_point_adjusted_inflated", "vus_pr"})
        EXPECT_NEAR(abutting["scores"]["combined"][name]["mean"].get<double>(),
                    apart["scores"]["combined"][name]["mean"].get<double>(), 1e-12)
            << name;
    EXPECT_NEAR(abutting["scores"]["combined"]["best_f1_point_adjusted_inflated"]["mean"].get<double>(), 2.0 / 3,
                1e-12);
    EXPECT_EQ(abutting["alarms"]["events"], 2);
}

TEST(EvalProgram, TellsOfAlarms) {
    const Scores scores(
        {{"a", std::vector<int>(28, 1), "......FFFFFF........FF....FF", "..A.....AAAAAA..A.A.A......."}});
    EXPECT_THAT(scores.text(), HasSubstr("\nAlarms: 2 of 3 faults found, median delay 1 h; 3 false alarms in 18 h of "
                                         "healthy time, 27.8 % of it in alarm\n"));
    const auto alarms = scores.json()["alarms"];
    EXPECT_EQ(alarms["events"], 3);
    EXPECT_EQ(alarms["detected"], 2);
    EXPECT_EQ(alarms["false_alarms"], 3);
    EXPECT_EQ(alarms["delays_s"], nlohmann::json::array({7200, 0}));
    EXPECT_DOUBLE_EQ(alarms["healthy_days"], 0.75);
    EXPECT_DOUBLE_EQ(alarms["false_alarms_per_day"], 4);
    EXPECT_DOUBLE_EQ(alarms["healthy_time_in_alarm"], 5 / 18.0);
}

TEST(EvalProgram, TellsOfEachRecording) {
    const Scores scores({{"a", std::vector<int>(12, 1), "....FFFF....", "....AA......"},
                         {"b", std::vector<int>(12, 1), "....FFFF....", ".A.........."},
                         {"c", std::vector<int>(6, 1), "......", "...A.."}});
    const std::string text = scores.text();
    EXPECT_THAT(text, HasSubstr("Alarms of each recording"));
    EXPECT_THAT(text, ContainsRegex("\n +a +1 of 1 +less than 1 h +0 +8 h +0 %\n"));
    EXPECT_THAT(text, ContainsRegex("\n +b +0 of 1 +– +1 +8 h +12.5 %\n"));
    EXPECT_THAT(text, ContainsRegex("\n +c +– +– +1 +6 h +16.7 %\n"));
    EXPECT_THAT(text, HasSubstr("\nAlarms: 1 of 2 faults found, median delay less than 1 h; 2 false alarms in 22 h"));
    const auto recordings = scores.json()["alarms"]["recordings"];
    ASSERT_EQ(recordings.size(), 3);
    EXPECT_EQ(recordings[1]["recording"], "b");
    EXPECT_EQ(recordings[1]["false_alarms"], 1);
}

TEST(EvalProgram, DoesNotPraiseAnAlarmThatNeverEnds) {
    const Scores scores(
        {{"a", std::vector<int>(60, 1), std::string(40, '.') + "FFFF" + std::string(16, '.'), std::string(60, 'A')}});
    EXPECT_THAT(scores.text(), HasSubstr("\nAlarms: 0 of 1 faults found; 1 false alarm in 2 d 8 h of healthy time "
                                         "(0.43 a day), 100 % of it in alarm\n"));
}

}  // namespace
}  // namespace cmr
