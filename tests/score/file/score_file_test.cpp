#include "score/file/score_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::score {
namespace {

using testing::ElementsAre;

ScoreTable read(const std::string& rows) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << "recording,first,start,end,state,stratum,event,split,knn,combined,p_value,level,"
                                       "alarm,deviation of inlet\n"
                                    << rows;
    return read_scores(folder / "a.csv");
}

TEST(ScoreFile, HasTheWindowsThatWereNotFittedOn) {
    const ScoreTable table = read(
        "a.csv,0,0,10,healthy,,,train,1,2,0.5,0.4,0,7\n"
        "a.csv,10,10,20,healthy,,,test,3,4,0.25,0.8,0,8\n"
        "b.csv,0,0,10,faulty,leak,L1,new,5,6,0.125,1.2,1,9\n");
    EXPECT_THAT(table.names, ElementsAre("knn", "combined"));
    EXPECT_THAT(*table.score("combined"), ElementsAre(4, 6));
    EXPECT_EQ(table.score("best"), nullptr);
    EXPECT_THAT(table.recording, ElementsAre("a.csv", "b.csv"));
    EXPECT_THAT(table.faulty, ElementsAre(0, 1));
    EXPECT_THAT(table.alarm, ElementsAre(0, 1));
    EXPECT_THAT(table.stratum, ElementsAre("", "leak"));
    EXPECT_THAT(table.end_s, ElementsAre(20, 10));
    EXPECT_THAT(table.p_value, ElementsAre(0.25, 0.125));
    EXPECT_THAT(table.level, ElementsAre(0.8, 1.2));
    EXPECT_THAT(table.channels, ElementsAre("inlet"));
    EXPECT_THAT(table.residuals.values, ElementsAre(8, 9));
    test::expect_input_error([] { read("a.csv,0,0,10,healthy,,,train,1,2,0.5,0.4,0,7\n"); }, {"split test or new"});
}

TEST(ScoreFile, ASegmentEndsWhereAWindowDoesNotFollowTheOneBefore) {
    const auto row = [](const char* recording, int first, double end, const char* split) {
        return fmt::format("{},{},{},{},healthy,,,{},1,1,1,1,0,1\n", recording, first, end - 10, end, split);
    };
    const ScoreTable table = read(row("a", 0, 10, "test") + row("a", 5, 15.001, "test") +   // times are rounded
                                  row("a", 15, 25, "test") +                                // a window is missing
                                  row("a", 20, 530, "test") +                               // a step in time
                                  row("a", 25, 535, "train") + row("a", 30, 540, "test") +  // after one not read
                                  row("a", 35, 545, "test") + row("b", 40, 550, "test") + row("b", 45, 555, "test"));
    EXPECT_THAT(table.segment, ElementsAre(1, 1, 2, 3, 4, 4, 5, 5));
    EXPECT_EQ(table.period_s, 5);
}

}  // namespace
}  // namespace cmr::score
