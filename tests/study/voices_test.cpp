#include "study/voices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study {
namespace {

using test::make_result;
using test::SmallRun;
using testing::HasSubstr;
using testing::Not;

// Two fits. `network`: how much of the mechanism of each is the network's.
SmallRun run_with(const std::vector<double>& network, const std::string& method = "cmr") {
    SmallRun run;
    run.add_experiment("plant", {method}, {1, 2});
    for (int64_t seed = 1; seed <= 2; ++seed) {
        Result r = make_result("plant", method, seed, 0, {{"mechanism", 0.8}, {"lagged", 0.9}, {"combined", 0.9}});
        r.scores[0].weight = network[seed - 1];
        r.scores[1].weight = 1;
        run.add(std::move(r));
    }
    return run;
}

std::string words_of(const SmallRun& run) {
    const Outcome outcome = run.outcome();
    return combined_words(outcome, outcome.plan().experiments[0]);
}

TEST(Voices, TellWhetherTheCombinedScoreHoldsTheNetwork) {
    EXPECT_EQ(words_of(run_with({0.5, 0.25})), "the combined score holds the network as 38 % of its mechanism");
    EXPECT_EQ(words_of(run_with({0, 0.5})),
              "the combined score holds the network in 1 of 2 fits, as 25 % of its mechanism on average");
    EXPECT_EQ(words_of(run_with({0, 0})), "the combined score holds nothing of the network");
}

TEST(Voices, TellOfAnUntrainedNetworkWhereNoneIsTrained) {
    EXPECT_EQ(words_of(run_with({0.5, 0.25}, "untrained")),
              "the combined score holds the untrained network as 38 % of its mechanism");
    EXPECT_EQ(words_of(run_with({0, 0}, "untrained")), "the combined score holds nothing of the untrained network");
    EXPECT_EQ(words_of(run_with({0.5, 0.25}, "ae")), "");
}

TEST(Voices, AreNotKnownOfEarlierResults) {
    SmallRun run;
    run.add_experiment("plant", {"cmr"}, {1});
    run.add(make_result("plant", "cmr", 1, 0, {{"knn", 0.8}, {"combined", 0.9}}));
    EXPECT_EQ(words_of(run), "");
}

TEST(Voices, StandInEveryTableThatShowsTheCombinedScore) {
    const SmallRun run = run_with({0, 0});
    int64_t tables = 0;
    for (const ResultTable& table : make_tables(run.outcome())) {
        const bool shows = to_csv(table).find("combined") != std::string::npos;
        tables += shows;
        EXPECT_EQ(table.note.find("plant: the combined score holds nothing of the network") != std::string::npos, shows)
            << table.name << ": " << table.note;
        EXPECT_THAT(table.note, Not(HasSubstr(".."))) << table.name;
    }
    EXPECT_GE(tables, 4);
}

// Its alarms are what was promised, whatever the columns are called.
TEST(Voices, StandBesidePromises) {
    SmallRun run = run_with({0, 0});
    for (auto& [id, result] : run.results) {
        PromiseResult promise;
        promise.verdict = "refused";
        result.promise.push_back(promise);
    }
    const ResultTable table = test::find_table(make_tables(run.outcome()), "promises");
    EXPECT_THAT(table.note, HasSubstr("plant: the combined score holds nothing of the network"));
}

}  // namespace
}  // namespace cmr::study
