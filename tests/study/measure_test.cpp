#include "study/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "eval/f1.h"
#include "eval/metrics.h"
#include "score/file/score_file.h"
#include "score/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using data::State;
using Numbers = std::vector<int64_t>;
using test::kPlantLength;

// Two recordings are tested. The first ends with a fault that no sensor shows by itself, the second begins with one
// that throws the outlet far out of its range.
struct Plant : test::SmallPlant {
    Plant() {
        data::Recording& blunt = test::add_plant_recording(dataset, 480, 3, 1);
        test::mark(blunt, 0, 160, State::kFaulty, 0);
        for (float& value : blunt.channels[3].values().subspan(0, 160)) value += 100;
        fold = data::make_folds(dataset, recipe).front();
    }
};

struct Measured {
    Plant plant;
    score::Detector detector = plant.fit();
    Result result;
    score::ScoreRun run;
    std::vector<score::ScoredWindow> windows;  // tested
    std::vector<uint8_t> faulty;
    Numbers recordings;

    Measured() {
        Cell cell;
        cell.pointwise = true;
        cell.stealthy = {95};
        run = measure(cell, detector, plant.dataset, result);
        for (const score::ScoredWindow& w : run.windows) {
            if (w.split != "test") continue;
            windows.push_back(w);
            faulty.push_back(w.window.state == State::kFaulty);
            recordings.push_back(w.window.recording);
        }
    }

    std::vector<double> scores(const std::string& name) const {
        std::vector<double> out;
        const std::vector<float> all = run.scores.column(name);
        for (size_t i = 0; i < run.windows.size(); ++i)
            if (run.windows[i].split == "test") out.push_back(all[i]);
        return out;
    }
};

const Measured& measured() {
    static const Measured measured;
    return measured;
}

TEST(Measure, CountsByRecording) {
    const Measured& m = measured();
    const Numbers none(m.faulty.size(), 0);
    bool differs = false;
    for (const ScoreResult& score : m.result.scores) {
        const auto metrics = eval::compute_metrics(m.scores(score.name), m.faulty, none, m.recordings);
        EXPECT_DOUBLE_EQ(score.auroc, metrics.auroc) << score.name;
        EXPECT_DOUBLE_EQ(score.vus_pr, metrics.vus_pr) << score.name;
        EXPECT_DOUBLE_EQ(score.best_f1, metrics.best_f1) << score.name;
        EXPECT_DOUBLE_EQ(score.adjusted_f1, metrics.adjusted_f1) << score.name;
        const auto end_to_end = eval::compute_metrics(m.scores(score.name), m.faulty, none, none);
        differs |= end_to_end.adjusted_f1 != metrics.adjusted_f1 && end_to_end.vus_pr != metrics.vus_pr;
    }
    EXPECT_TRUE(differs) << "the two faults abut, so that the test can fail";
}

// `cmr eval` reads the file of the same run.
TEST(Measure, AgreesWithTheScoreFile) {
    const Measured& m = measured();
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << score::to_csv(m.run, m.plant.dataset);
    const score::ScoreTable table = score::read_scores(folder / "a.csv");
    ASSERT_EQ(table.faulty, m.faulty);
    const Numbers none(m.faulty.size(), 0);
    for (const ScoreResult& score : m.result.scores) {
        const auto metrics = eval::compute_metrics(*table.score(score.name), table.faulty, none, table.segment);
        EXPECT_NEAR(score.auroc, metrics.auroc, 1e-12) << score.name;
        EXPECT_NEAR(score.adjusted_f1, metrics.adjusted_f1, 1e-12) << score.name;
        EXPECT_NEAR(score.vus_pr, metrics.vus_pr, 1e-12) << score.name;
    }
    for (size_t i = 1; i < table.segment.size(); ++i)
        EXPECT_EQ(table.segment[i] == table.segment[i - 1], m.recordings[i] == m.recordings[i - 1]) << i;
    EXPECT_EQ(table.period_s, test::kPlantStride);
}

// A sample has the greatest score of all windows that cover it.
TEST(Measure, OfSamplesCoversWholeWindows) {
    const Measured& m = measured();
    for (const ScoreResult& score : m.result.scores) {
        const std::vector<double> scores = m.scores(score.name);
        std::vector<double> values;
        std::vector<uint8_t> labels;
        Numbers recordings;
        for (int32_t r = 1; r <= 2; ++r)
            for (int64_t t = 0; t < 480; ++t) {
                values.push_back(-1e300);
                for (size_t i = 0; i < m.windows.size(); ++i) {
                    const data::Window& w = m.windows[i].window;
                    if (w.recording == r && w.begin <= t && t < w.begin + kPlantLength)
                        values.back() = std::max(values.back(), scores[i]);
                }
                labels.push_back(r == 1 ? t >= 320 : t < 160);
                recordings.push_back(r);
            }
        EXPECT_DOUBLE_EQ(score.point_f1, eval::best_f1(values, labels).f1) << score.name;
        EXPECT_DOUBLE_EQ(score.point_adjusted_f1, eval::best_f1_point_adjusted(values, labels, recordings).f1)
            << score.name;
    }
}

TEST(Measure, StealthyAreTheFaultsThatNoSensorShowsByItself) {
    const Measured& m = measured();
    int64_t of_the_blunt = 0;
    for (size_t i = 0; i < m.faulty.size(); ++i) of_the_blunt += m.faulty[i] && m.recordings[i] == 2;
    for (const ScoreResult& score : m.result.scores) {
        ASSERT_EQ(score.stealth.size(), 1u);
        const StealthResult& stealth = score.stealth[0];
        EXPECT_EQ(stealth.percentile, 95);
        EXPECT_EQ(stealth.stealthy_windows + stealth.blunt_windows, m.result.faulty_windows);
        EXPECT_GE(stealth.blunt_windows, of_the_blunt) << "each of them is far out of its range";
        EXPECT_GE(stealth.stealthy_windows, 5);
    }
    // By its own score a blunt fault is clear, and a stealthy one is among the lower 95 of 100 healthy windows.
    const StealthResult& marginal = m.result.score("marginal")->stealth[0];
    EXPECT_GT(marginal.blunt, 0.95);
    EXPECT_LT(marginal.stealthy, 0.8);
}

}  // namespace
}  // namespace cmr::study
