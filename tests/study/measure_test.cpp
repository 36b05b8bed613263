#include "study/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "eval/f1.h"
#include "eval/metrics.h"
#include "eval/summary.h"
#include "score/file/score_file.h"
#include "score/small_plant.h"
#include "study/numbers.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using data::State;
using Numbers = std::vector<int64_t>;
using test::kPlantLength;

// Two recordings are tested. The first ends with a fault that no sensor shows by itself, and none at all in its second
// half; the second begins with one that throws the outlet far out of its range.
struct Plant : test::SmallPlant {
    Plant() {
        data::Recording& blunt = test::add_plant_recording(dataset, 480, 3, 1);
        test::mark(blunt, 0, 160, State::kFaulty, 0);
        for (float& value : blunt.channels[3].values().subspan(0, 160)) value += 100;
        for (data::Samples& channel : dataset.recordings[1].channels)
            std::ranges::copy(channel.values().subspan(80, 80), channel.values().subspan(400, 80).begin());
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

Result measured_with(const Cell& cell) {
    Result out;
    measure(cell, measured().detector, measured().plant.dataset, out);
    return out;
}

// The first recording's fault is severe, the second's weak.
TEST(Measure, OfAStratumLeavesOtherFaultsOutOfStealthAndF1) {
    const Measured& m = measured();
    Cell cell;
    cell.pointwise = true;
    cell.stealthy = {95};
    cell.stratum = "weak";
    const Result result = measured_with(cell);
    const auto counts = [&](size_t i) { return !m.faulty[i] || m.recordings[i] == 2; };
    std::vector<uint8_t> labels;
    Numbers recordings;
    for (size_t i = 0; i < m.faulty.size(); ++i)
        if (counts(i)) labels.push_back(m.faulty[i]), recordings.push_back(m.recordings[i]);
    bool differs = false, points_differ = false;
    for (const ScoreResult& score : result.scores) {
        const ScoreResult& of_all = *m.result.score(score.name);
        const std::vector<double> all = m.scores(score.name);
        std::vector<double> scores;
        for (size_t i = 0; i < all.size(); ++i)
            if (counts(i)) scores.push_back(all[i]);
        EXPECT_EQ(score.auroc, of_all.auroc) << "overall is overall";
        EXPECT_DOUBLE_EQ(score.best_f1, eval::best_f1(scores, labels).f1) << score.name;
        EXPECT_DOUBLE_EQ(score.adjusted_f1, eval::best_f1_point_adjusted(scores, labels, recordings).f1) << score.name;
        EXPECT_EQ(score.stealth[0].stealthy_windows + score.stealth[0].blunt_windows, std::ranges::count(labels, 1));
        differs |= score.best_f1 != of_all.best_f1;

        std::vector<double> points;
        std::vector<uint8_t> point_labels;
        for (int32_t r = 1; r <= 2; ++r)
            for (int64_t t = 0; t < 480; ++t) {
                if (r == 1 && t >= 320) continue;  // of the other fault
                double most = -1e300;
                for (size_t i = 0; i < m.windows.size(); ++i) {
                    const data::Window& w = m.windows[i].window;
                    if (counts(i) && w.recording == r && w.begin <= t && t < w.begin + kPlantLength)
                        most = std::max(most, all[i]);
                }
                if (most == -1e300) continue;
                points.push_back(most);
                point_labels.push_back(r == 2 && t < 160);
            }
        EXPECT_DOUBLE_EQ(score.point_f1, eval::best_f1(points, point_labels).f1) << score.name;
        points_differ |= score.point_f1 != of_all.point_f1;
    }
    EXPECT_TRUE(differs && points_differ) << "so that the test can fail";
    // Other ways to join the voices, one of which is the combined score's own.
    const auto own_rule = [](const Result& r) { return *rule_auroc("white largest")(r); };
    EXPECT_NEAR(own_rule(result), *auroc_of("combined", "weak")(m.result), 1e-3);
    bool rules_differ = false;
    for (size_t i = 0; i < result.rules.size(); ++i) rules_differ |= result.rules[i].auroc != m.result.rules[i].auroc;
    EXPECT_TRUE(rules_differ) << "so that the test can fail";
    cell.stratum = "mild";
    EXPECT_THROW(measured_with(cell), InputError);
}

// The threshold is a percentile and lies between two healthy windows, not at the lower of them.
TEST(Measure, AFaultJustBelowThePercentileIsStealthy) {
    const Measured& m = measured();
    std::vector<double> healthy;
    const int64_t column = score::NamedScores{m.detector.names(), m.detector.healthy.scores}.column("marginal");
    for (int64_t i = 0; i < m.detector.healthy.scores.rows; ++i)
        healthy.push_back(m.detector.healthy.scores.row(i)[column]);
    std::ranges::sort(healthy);
    const std::vector<double> marginal = m.scores("marginal");
    int64_t asked = 0;
    for (size_t i = 0; i < marginal.size(); ++i) {
        const auto above = std::ranges::upper_bound(healthy, marginal[i]) - healthy.begin();
        if (!m.faulty[i] || above == 0 || above == std::ssize(healthy) || healthy[above - 1] == marginal[i]) continue;
        ++asked;
        // Half way from the window to the next healthy one.
        const double step = (marginal[i] - healthy[above - 1]) / (healthy[above] - healthy[above - 1]);
        const double place = static_cast<double>(above - 1) + (1 + step) / 2;
        Cell cell;
        cell.stealthy = {100 * place / static_cast<double>(healthy.size() - 1)};
        const double threshold = eval::quantile(healthy, cell.stealthy[0] / 100);
        ASSERT_GT(threshold, marginal[i]);
        int64_t below = 0;
        for (size_t j = 0; j < marginal.size(); ++j) below += m.faulty[j] && marginal[j] < threshold;
        EXPECT_EQ(measured_with(cell).scores[0].stealth[0].stealthy_windows, below);
        if (asked == 3) break;
    }
    EXPECT_GE(asked, 1);
}

// Training windows and those for validation that are not tested.
TEST(Measure, ByThePapersProtocolHealthyWindowsAreJudgedAsTestedOnesAre) {
    bool differs = false;
    for (const char* protocol : {"strict", "paper"}) {
        const test::SmallPlant plant([&](recipe::Recipe& recipe) { recipe.split.protocol = protocol; });
        const score::Detector detector = plant.fit();
        std::vector<double> percentiles;
        for (double percentile = 2; percentile < 100; ++percentile) percentiles.push_back(percentile);
        Cell cell;
        cell.stealthy = percentiles;
        Result result;
        const score::ScoreRun run = measure(cell, detector, plant.dataset, result);
        const std::vector<float> marginal = run.scores.column("marginal");
        std::vector<double> as_tested, faulty, blocks_left_out;
        for (size_t i = 0; i < run.windows.size(); ++i) {
            const data::Window& w = run.windows[i].window;
            if (w.state == State::kFaulty) faulty.push_back(marginal[i]);
            if (std::ranges::count(plant.fold.train, w) + std::ranges::count(plant.fold.validation, w) > 0)
                as_tested.push_back(marginal[i]);
        }
        const int64_t column = score::NamedScores{detector.names(), detector.healthy.scores}.column("marginal");
        for (int64_t i = 0; i < detector.healthy.scores.rows; ++i)
            blocks_left_out.push_back(detector.healthy.scores.row(i)[column]);
        const bool paper = plant.recipe.split.protocol == "paper";
        for (const StealthResult& stealth : result.scores[0].stealth) {
            const auto below = [&](const std::vector<double>& healthy) {
                const double threshold = eval::quantile(healthy, stealth.percentile / 100);
                return std::ranges::count_if(faulty, [&](double score) { return score < threshold; });
            };
            EXPECT_EQ(stealth.stealthy_windows, below(paper ? as_tested : blocks_left_out)) << stealth.percentile;
            differs |= below(as_tested) != below(blocks_left_out);
        }
    }
    EXPECT_TRUE(differs) << "so that the test can fail";
}

// By the paper's protocol that is the training windows, whatever else is known to be healthy.
TEST(Measure, TheGridAndTheMapHaveTheBankOfTheDetector) {
    for (const char* protocol : {"strict", "paper"}) {
        const test::SmallPlant plant([&](recipe::Recipe& recipe) { recipe.split.protocol = protocol; });
        Result result;
        measure(Cell(), plant.fit(), plant.dataset, result);
        const auto bank = std::ranges::count(result.map, "bank", &MapPoint::kind);
        EXPECT_EQ(bank, std::ssize(plant.fold.train) +
                            (plant.recipe.split.protocol == "paper" ? 0 : std::ssize(plant.fold.validation)));
    }
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
