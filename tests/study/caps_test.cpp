#include "study/caps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study {
namespace {

using test::make_result;
using test::SmallRun;
using testing::HasSubstr;

// A plant and a rig, two fits of two methods and an untrained one, seven epochs each of so many.
SmallRun run_of(int64_t most_of_cmr, int64_t most_of_ae) {
    SmallRun run;
    for (const char* name : {"plant", "rig"}) {
        run.add_experiment(name, {"cmr", "ae", "untrained"}, {1, 2});
        for (int64_t seed = 1; seed <= 2; ++seed) {
            Result ours = make_result(name, "cmr", seed, 0, {{"knn", 0.8}, {"mechanism", 0.9}});
            ours.most_epochs = most_of_cmr;
            run.add(std::move(ours));
            Result theirs = make_result(name, "ae", seed, 0, {{"knn", 0.8}, {"native", 0.9}});
            theirs.most_epochs = seed == 1 ? most_of_ae : 100;
            run.add(std::move(theirs));
            Result untrained = make_result(name, "untrained", seed, 0, {{"knn", 0.7}});
            untrained.most_epochs = 7;
            untrained.epochs = 0;
            run.add(std::move(untrained));
        }
    }
    return run;
}

std::string words_of(const SmallRun& run) {
    const Outcome outcome = run.outcome();
    return capped_words(outcome, outcome.plan().experiments);
}

TEST(Caps, TellWhichFitsHadNoEpochLeft) {
    EXPECT_EQ(words_of(run_of(100, 7)),
              "Ended by the cap on epochs, before they stopped by themselves: plant ae, 1 of 2 fits; rig ae, 1 of 2 "
              "fits.");
    EXPECT_EQ(words_of(run_of(100, 100)), "Every fit ended by its own early stopping.");
}

TEST(Caps, AreNotKnownOfEarlierResults) {
    SmallRun run = run_of(0, 0);
    for (auto& [id, result] : run.results) result.most_epochs = 0;
    EXPECT_EQ(words_of(run), "");
}

TEST(Caps, StandWhereMethodsAreCompared) {
    const SmallRun run = run_of(7, 100);
    int64_t tables = 0;
    for (const ResultTable& table : make_tables(run.outcome()))
        for (const char* name : {"verdict", "leaderboard", "scoring", "plant-cost"})
            if (table.name == name) {
                ++tables;
                EXPECT_THAT(table.note, HasSubstr("plant cmr, 2 of 2 fits")) << table.name;
            }
    EXPECT_EQ(tables, 4);
}

}  // namespace
}  // namespace cmr::study
