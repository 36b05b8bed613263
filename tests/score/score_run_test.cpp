#include "score/score_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "score/file/score_file.h"
#include "score/small_plant.h"
#include "support/expect_input_error.h"
#include "support/read_table.h"
#include "support/temporary_folder.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

const SmallPlant& plant() {
    static const SmallPlant plant;
    return plant;
}

const Detector& detector() {
    static const Detector detector = plant().fit();
    return detector;
}

std::map<std::string, int64_t> splits(const ScoreRun& run) {
    std::map<std::string, int64_t> out;
    for (const ScoredWindow& w : run.windows) ++out[w.split];
    return out;
}

// The same file without its column of ranges.
ScoreTable read_scores_without(const std::string& csv, const std::filesystem::path& file) {
    std::ofstream out(file);
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        size_t at = line.find(",outside_range");
        if (at != std::string::npos) {
            line.erase(at, std::string(",outside_range").size());
        } else {  // … p_value, level, alarm, outside_range, sensors, residuals: three, none quoted
            at = line.size();
            for (int commas = 0; commas < 5; ++commas) at = line.rfind(',', at - 1);
            line.erase(at, 2);
        }
        out << line << '\n';
    }
    out.close();
    return read_scores(file);
}

TEST(ScoreRun, TellsOnWhichSideOfTheFoldAWindowIs) {
    const ScoreRun found = run(detector(), plant().dataset);
    const auto count = splits(found);
    // What overlaps both is no window of the fold; the network saw a part of it.
    EXPECT_EQ(count.at("train"), std::ssize(plant().fold.train) + plant().fold.purged);
    EXPECT_EQ(count.at("validation"), std::ssize(plant().fold.validation));
    EXPECT_EQ(count.at("test"), std::ssize(plant().fold.test));
    EXPECT_EQ(count.size(), 3u);
    for (const ScoredWindow& w : found.windows) EXPECT_EQ(w.split == "test", w.window.recording == 1);
}

TEST(ScoreRun, DataThatWereNotFittedOnAreNew) {
    data::Dataset other = plant().dataset;
    other.recordings.erase(other.recordings.begin());
    const ScoreRun found = run(detector(), other);
    EXPECT_EQ(splits(found), (std::map<std::string, int64_t>{{"new", std::ssize(plant().fold.test)}}));
}

TEST(ScoreRun, AlarmsAreWhereTheLevelIsHigh) {
    const ScoreRun found = run(detector(), plant().dataset);
    const std::vector<float> combined = found.scores.column("combined"), slow = found.scores.column("slow");
    const std::vector<float> both = found.scores.column("both");
    for (size_t i = 0; i < found.windows.size(); ++i) {
        const ScoredWindow& w = found.windows[i];
        EXPECT_EQ(both[i], std::max(combined[i], slow[i]));
        EXPECT_DOUBLE_EQ(w.level, both[i] / detector().threshold());
        EXPECT_DOUBLE_EQ(w.p_value, detector().p_value(both[i]));
        EXPECT_TRUE(w.level >= 0.9 || !w.alarm);
        EXPECT_TRUE(w.level < 1 || w.alarm);
        EXPECT_TRUE(w.alarm || w.window.begin < 320 || w.window.recording == 0) << w.start_s;
        EXPECT_EQ(w.start_s, static_cast<double>(w.window.begin));
        EXPECT_EQ(w.end_s, w.start_s + test::kPlantLength);
    }
    ASSERT_FALSE(found.alarms.empty());
    EXPECT_EQ(found.alarm_recording.size(), found.alarms.size());
    EXPECT_EQ(found.alarm_recording.back(), 1);
    EXPECT_GE(found.alarms.back().end_s, 480);
}

TEST(ScoreRun, GoesInStepsAsAsked) {
    const ScoreRun found = run(detector(), plant().dataset, 8);
    EXPECT_EQ(std::ssize(found.windows), (1600 - 32) / 8 + 1 + (480 - 32) / 8 + 1);
}

// The alarm of one evening does not go on into the next morning.
TEST(ScoreRun, AlarmsEndWhereTimeSteps) {
    SmallPlant p([](recipe::Recipe& recipe) { recipe.window.stride = test::kPlantLength; });
    const Detector own = p.fit();
    p.dataset.recordings[1].segments = {{0, 384, 0.0}, {384, 480, 50'000.0}};
    const ScoreRun found = run(own, p.dataset);
    std::vector<Episode> episodes;
    for (size_t i = 0; i < found.alarms.size(); ++i)
        if (found.alarm_recording[i] == 1) episodes.push_back(found.alarms[i]);
    ASSERT_GE(episodes.size(), 2u);
    EXPECT_LE(episodes[episodes.size() - 2].end_s, 384 + test::kPlantLength);
    EXPECT_GE(episodes.back().begin_s, 50'000);
}

TEST(ScoreRun, CsvHasARowPerWindowAndQuotedNames) {
    const ScoreRun found = run(detector(), plant().dataset);
    const std::string csv = to_csv(found, plant().dataset);
    EXPECT_EQ(std::ranges::count(csv, '\n'), std::ssize(found.windows) + 1);
    EXPECT_THAT(csv, testing::HasSubstr(",\"residual of flow, \"\"main\"\"\"\n"));
    EXPECT_THAT(csv, testing::HasSubstr("\n\"test, \"\"new\"\".csv\",0,0,32,healthy,,,test,"));
    EXPECT_THAT(csv, testing::HasSubstr("\n\"test, \"\"new\"\".csv\",448,448,480,faulty,severe,"
                                        "\"clogged, \"\"badly\"\"\",test,"));
    EXPECT_THAT(csv, testing::StartsWith("recording,first,start,end,state,stratum,event,split,knn,"));
}

TEST(ScoreRun, CsvIsReadBackToTheSameNumbers) {
    const ScoreRun found = run(detector(), plant().dataset);
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << to_csv(found, plant().dataset);
    const auto table = io::open_table(folder / "a.csv", {});
    const auto whole = test::read_selected(
        *table, {{table->find("combined")}, {table->find("alarm")}, {table->find("residual of flow, \"main\"")}});
    const std::vector<float> combined = found.scores.column("combined");
    ASSERT_EQ(whole.numbers[0].size(), combined.size());
    for (size_t i = 0; i < combined.size(); ++i) {
        EXPECT_EQ(static_cast<float>(whole.numbers[0][i]), combined[i]);
        EXPECT_EQ(whole.numbers[1][i], found.windows[i].alarm);
        EXPECT_NEAR(whole.numbers[2][i], found.scores.residuals.row(i)[2],
                    1e-3 * std::abs(found.scores.residuals.row(i)[2]));
    }
}

// Undated recordings count seconds; after twelve days they still tell one window from the next.
TEST(ScoreRun, CsvTimesKeepTheirDigits) {
    SmallPlant p;
    p.dataset.recordings[1].segments = {{0, 480, 1'234'567.25}};
    EXPECT_THAT(to_csv(run(detector(), p.dataset), p.dataset), testing::HasSubstr(",16,1234583.25,1234615.25,"));
}

TEST(ScoreRun, SaysWhatIsWrong) {
    data::Dataset empty = plant().dataset;
    for (data::Recording& recording : empty.recordings) recording.segments = {{0, 20, 0.0}};
    test::expect_input_error([&] { run(detector(), empty); }, {"no window of 32 samples"});
}

// Even where its samples are those of the recipe: what is new has no side.
TEST(ScoreRun, NewDataHaveNoSideAndAreOfUnknownState) {
    data::Dataset same = plant().dataset;
    for (data::PartFacts& part : same.parts) part.role = "new";
    for (data::Recording& recording : same.recordings)
        recording.spans = {{.begin = 0, .end = recording.length(), .state = data::State::kUnknown}};
    const ScoreRun found = run(detector(), same), known = run(detector(), plant().dataset);
    EXPECT_EQ(splits(found), (std::map<std::string, int64_t>{{"new", std::ssize(found.windows)}}));
    EXPECT_EQ(found.scores.values.values, known.scores.values.values);
    EXPECT_THAT(to_csv(found, same), testing::HasSubstr("\n\"test, \"\"new\"\".csv\",448,448,480,unknown,,,new,"));
}

// Causes far from all healthy ones, in the samples 96 to 127 alone.
TEST(ScoreRun, TellsWhichWindowsAreOutsideTheLearnedRange) {
    data::Dataset far = plant().dataset;
    const ScoreRun usual = run(detector(), far);
    EXPECT_EQ(std::ranges::count(usual.windows, true, &ScoredWindow::outside_range), 0);
    for (float& value : far.recordings[1].channels[0].values().subspan(96, 32)) value += 100;
    const ScoreRun found = run(detector(), far);
    for (const ScoredWindow& w : found.windows) {
        const int64_t from = w.window.recording == 1 ? w.window.begin : 0;
        if (from == 96) {
            EXPECT_TRUE(w.outside_range) << "all of its samples";
        } else if (from <= 64 || from >= 128) {
            EXPECT_FALSE(w.outside_range) << w.window.begin;
        }
    }
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << to_csv(found, far);
    const ScoreTable read = read_scores(folder / "a.csv");
    ASSERT_EQ(read.outside.size(), read.faulty.size());
    EXPECT_EQ(std::ranges::count(read.outside, 1),
              std::ranges::count(found.windows, true, &ScoredWindow::outside_range));
    EXPECT_GE(std::ranges::count(read.outside, 1), 1);
    EXPECT_EQ(read.residuals.values, read_scores_without(to_csv(found, far), folder / "b.csv").residuals.values)
        << "as in files of before, which do not have the column";
}

// A cause that stood still in all of training, and moves.
TEST(ScoreRun, ACauseThatNeverMovedIsOutsideTheLearnedRangeWhenItMoves) {
    test::SmallPlant still;
    for (data::Recording& recording : still.dataset.recordings) std::ranges::fill(recording.channels[1].values(), 3.0f);
    still.fold = data::make_folds(still.dataset, still.recipe).front();
    still.preprocessing = model::prepare(still.dataset, still.recipe, still.fold);
    const Detector bare = still.fit_bare();
    const auto outside = [&] {
        return std::ranges::count(run(bare, still.dataset).windows, true, &ScoredWindow::outside_range);
    };
    EXPECT_EQ(outside(), 0);
    still.dataset.recordings[1].channels[1].values()[100] = 4;
    EXPECT_EQ(outside(), 2) << "windows begin every 16 samples and last 32";
    still.dataset.recordings[1].channels[1].values()[100] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(outside(), 0) << "absent, not moved";
}

// Windows for validation are healthy as well, though no scale is learned from them.
TEST(ScoreRun, ACauseThatMovedInValidationHasMoved) {
    test::SmallPlant still;
    const data::Window checked = still.fold.validation.back();
    for (data::Recording& recording : still.dataset.recordings) std::ranges::fill(recording.channels[1].values(), 3.0f);
    still.dataset.recordings[checked.recording].channels[1].values()[checked.begin + test::kPlantLength - 1] = 4;
    still.fold = data::make_folds(still.dataset, still.recipe).front();
    still.preprocessing = model::prepare(still.dataset, still.recipe, still.fold);
    ASSERT_TRUE(still.preprocessing.scaler.constant(1));
    const Detector bare = still.fit_bare();
    still.dataset.recordings[1].channels[1].values()[100] = 4;
    const ScoreRun found = run(bare, still.dataset);
    EXPECT_EQ(std::ranges::count(found.windows, true, &ScoredWindow::outside_range), 0);
}

// A file is a file of labels or it has none: "unknown" is never counted as healthy.
TEST(ScoreRun, ScoresOfUnknownStateCannotBeJudged) {
    const ScoreRun found = run(detector(), plant().dataset);
    std::string csv = to_csv(found, plant().dataset);
    for (size_t at; (at = csv.find(",faulty,")) != std::string::npos;) csv.replace(at, 8, ",unknown,");
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << csv;
    test::expect_input_error([&] { read_scores(folder / "a.csv"); }, {"a.csv:", "unknown", "no labels to judge by"});
}

}  // namespace
}  // namespace cmr::score
