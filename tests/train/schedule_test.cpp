#include "train/schedule.h"

#include <gtest/gtest.h>

namespace cmr::train {
namespace {

recipe::Train settings(const std::string& schedule) {
    recipe::Train out;
    out.schedule = schedule;
    out.learning_rate = 1e-3;
    out.warmup_epochs = 4;
    out.max_epochs = 24;
    out.patience = 9;
    return out;
}

TEST(Schedule, RisesLinearlyWhileWarmingUp) {
    for (const char* kind : {"plateau", "cosine"}) {
        const Schedule schedule(settings(kind), "strict");
        for (int64_t epoch = 0; epoch < 4; ++epoch)
            EXPECT_DOUBLE_EQ(schedule.rate(epoch), 1e-3 * static_cast<double>(epoch + 1) / 4) << kind;
        EXPECT_DOUBLE_EQ(schedule.rate(4), 1e-3) << kind;
    }
    recipe::Train cold = settings("plateau");
    cold.warmup_epochs = 0;
    EXPECT_DOUBLE_EQ(Schedule(cold, "strict").rate(0), 1e-3);
}

TEST(Schedule, FallsAlongHalfACosineToAlmostNothing) {
    const Schedule schedule(settings("cosine"), "strict");
    EXPECT_DOUBLE_EQ(schedule.rate(14), 0.5e-3);  // half way
    for (int64_t epoch = 5; epoch < 24; ++epoch) EXPECT_LT(schedule.rate(epoch), schedule.rate(epoch - 1));
    EXPECT_GT(schedule.rate(23), 0.0);
    EXPECT_LT(schedule.rate(23), 1e-5);
    EXPECT_NEAR(schedule.rate(24), 0.0, 1e-18);
}

TEST(Schedule, HalvesTheRateAfterAThirdOfThePatienceWithoutProgress) {
    Schedule schedule(settings("plateau"), "strict");
    EXPECT_TRUE(schedule.observe(4, 1.0));
    for (int64_t epoch = 5; epoch < 7; ++epoch) {
        EXPECT_FALSE(schedule.observe(epoch, 1.0));
        EXPECT_DOUBLE_EQ(schedule.rate(epoch + 1), 1e-3);
    }
    EXPECT_FALSE(schedule.observe(7, 0.9995));  // less than a thousandth better is standing still
    EXPECT_DOUBLE_EQ(schedule.rate(8), 0.5e-3);
    EXPECT_TRUE(schedule.observe(8, 0.9));
    for (int64_t epoch = 9; epoch < 12; ++epoch) EXPECT_FALSE(schedule.observe(epoch, 0.9));
    EXPECT_DOUBLE_EQ(schedule.rate(12), 0.25e-3);
}

TEST(Schedule, ByThePapersProtocolAnyImprovementIsTheBest) {
    Schedule strict(settings("plateau"), "strict"), paper(settings("plateau"), "paper");
    for (Schedule* schedule : {&strict, &paper}) EXPECT_TRUE(schedule->observe(4, 1.0));
    EXPECT_FALSE(strict.observe(5, 0.9999));
    EXPECT_TRUE(paper.observe(5, 0.9999));
    EXPECT_EQ(paper.state().since_best, 0);
    EXPECT_FALSE(paper.observe(6, 0.9999)) << "as good is not better";
}

TEST(Schedule, KeepsTheRateOfAPlateauWhileWarmingUpAndOfACosineAlways) {
    Schedule plateau(settings("plateau"), "strict");
    for (int64_t epoch = 0; epoch < 4; ++epoch) plateau.observe(epoch, 1.0);
    EXPECT_DOUBLE_EQ(plateau.state().factor, 1.0);
    Schedule cosine(settings("cosine"), "strict");
    for (int64_t epoch = 0; epoch < 20; ++epoch) cosine.observe(epoch, 1.0);
    EXPECT_DOUBLE_EQ(cosine.state().factor, 1.0);
}

TEST(Schedule, LosesPatienceSoManyEpochsAfterTheBest) {
    Schedule schedule(settings("plateau"), "strict");
    schedule.observe(0, 2.0);
    schedule.observe(1, 1.0);
    for (int64_t epoch = 2; epoch < 10; ++epoch) {
        schedule.observe(epoch, 1.5);
        EXPECT_FALSE(schedule.patience_is_over()) << epoch;
    }
    schedule.observe(10, std::nan(""));  // a loss that is no number is no progress either
    EXPECT_TRUE(schedule.patience_is_over());
    EXPECT_EQ(schedule.state().best, 1.0);
}

TEST(Schedule, GoesOnFromASavedStateAsIfNothingHadHappened) {
    Schedule first(settings("plateau"), "strict"), second(settings("plateau"), "strict");
    for (int64_t epoch = 0; epoch < 20; ++epoch) {
        Schedule resumed(settings("plateau"), "strict");
        resumed.restore(first.state());
        const double loss = epoch < 6 ? 1.0 / static_cast<double>(epoch + 1) : 1.0;
        EXPECT_EQ(resumed.observe(epoch, loss), second.observe(epoch, loss));
        first.observe(epoch, loss);
        EXPECT_EQ(resumed.rate(epoch + 1), second.rate(epoch + 1));
        EXPECT_EQ(resumed.patience_is_over(), second.patience_is_over());
    }
    Schedule::State unjudged;
    unjudged.best = std::nan("");  // an infinity that went through JSON
    first.restore(unjudged);
    EXPECT_TRUE(first.observe(0, 1e30));
}

}  // namespace
}  // namespace cmr::train
