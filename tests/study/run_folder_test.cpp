#include "study/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

#include "io/json_fields.h"
#include "study/small_run.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using cmr::test::expect_input_error;
using test::make_result;
using test::SmallRun;

struct RunFolderTest : testing::Test {
    RunFolderTest() {
        folder.create();
        cell.id = "plant-cmr-s1-f0-00000000";
    }
    cmr::test::TemporaryFolder place;
    RunFolder folder{place / "run"};
    Cell cell;
};

// Another worker, which takes the cell and then waits for its end.
struct OtherWorker {
    OtherWorker(const RunFolder& folder, const Cell& cell) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);  // not even a failing test leaves it behind
            const auto claim = folder.claim(cell);
            const char answer = claim ? 'y' : 'n';
            if (write(ends[1], &answer, 1) == 1) pause();
            _exit(0);
        }
        char answer = 0;
        close(ends[1]);
        got = read(ends[0], &answer, 1) == 1 && answer == 'y';
        close(ends[0]);
    }
    ~OtherWorker() { end(); }
    OtherWorker(const OtherWorker&) = delete;
    OtherWorker& operator=(const OtherWorker&) = delete;
    void end() {
        if (child <= 0) return;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        child = 0;
    }
    pid_t child = 0;
    bool got = false;
};

TEST_F(RunFolderTest, ACellIsOneWorkersAtATime) {
    EXPECT_FALSE(folder.is_claimed(cell));
    auto first = folder.claim(cell);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->begun, 0);
    EXPECT_TRUE(folder.is_claimed(cell));
    EXPECT_FALSE(folder.claim(cell));
    Cell other = cell;
    other.id = "plant-cmr-s2-f0-00000000";
    EXPECT_TRUE(folder.claim(other)) << "another cell is free";
    first.reset();
    EXPECT_FALSE(folder.is_claimed(cell));
    EXPECT_TRUE(folder.claim(cell));
}

TEST_F(RunFolderTest, ACellIsNobodysAfterItsWorkerWasKilled) {
    OtherWorker other(folder, cell);
    ASSERT_TRUE(other.got);
    EXPECT_TRUE(folder.is_claimed(cell));
    EXPECT_FALSE(folder.claim(cell));
    other.end();
    EXPECT_FALSE(folder.is_claimed(cell));
    const auto claim = folder.claim(cell);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->begun, 1);
}

TEST_F(RunFolderTest, CountsTheWorkersThatBeganACell) {
    for (int64_t before = 0; before < 4; ++before) {
        const auto claim = folder.claim(cell);
        ASSERT_TRUE(claim);
        EXPECT_EQ(claim->begun, before);
        EXPECT_FALSE(folder.claim(cell)) << "an attempt does not count";
    }
    folder.reset(cell);
    EXPECT_EQ(folder.claim(cell)->begun, 0);
}

TEST_F(RunFolderTest, ACellThatIsDoneIsNotTakenAgain) {
    // Another worker may have done it after we looked.
    Result r = make_result("plant", "cmr", 1, 0, {});
    r.id = cell.id;
    EXPECT_FALSE(folder.has_result(cell));
    folder.write_result(r);
    EXPECT_TRUE(folder.has_result(cell));
    EXPECT_FALSE(folder.claim(cell));
    folder.forget(cell);
    const auto claim = folder.claim(cell);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->begun, 0) << "who only looked did not begin it";
}

// A damaged model, or the beginnings of one, would fail again.
TEST_F(RunFolderTest, ForgetsAllThatACellMade) {
    cell.model = "m.cmr";
    const std::vector<fs::path> files = {folder.model(cell), folder.model(cell).string() + ".part",
                                         folder.fit_facts(cell)};
    for (const fs::path& file : files) std::ofstream(file) << "x";
    folder.forget(cell);
    for (const fs::path& file : files) EXPECT_FALSE(fs::exists(file)) << file;
}

TEST_F(RunFolderTest, GivesAResultBackAsItWasWithNumbersThatAreNone) {
    EXPECT_FALSE(folder.result(cell));
    Result r = make_result("plant", "cmr", 1, 0, {{"knn", 0.9}, {"marginal", 1.0 / 3}});
    r.id = cell.id;
    r.fold_name = "K001+K002";
    r.reason = "a \"quoted\" reason\nof two lines ±";
    r.scores[0].point_f1 = std::numeric_limits<double>::quiet_NaN();
    r.scores[0].stealth = {{95, 0, 20, std::numeric_limits<double>::quiet_NaN(), 0.75}};
    r.grid = {{"mean+std", "cosine", 5, 0.875, {{"leak", 3, 0.5}}}};
    r.map = {{-1.5, 2.25, "bank"}};
    folder.write_result(r);
    const auto again = folder.result(cell);
    ASSERT_TRUE(again);
    EXPECT_EQ(io::to_json(*again).dump(), io::to_json(r).dump());
    EXPECT_EQ(again->reason, r.reason);
    EXPECT_EQ(again->scores[1].auroc, 1.0 / 3) << "every bit";
    EXPECT_TRUE(std::isnan(again->scores[0].point_f1));
    EXPECT_TRUE(std::isnan(again->scores[0].stealth[0].stealthy));
    EXPECT_EQ(again->scores[0].stealth[0].blunt, 0.75);
    EXPECT_EQ(again->grid[0].strata[0].faulty, 3);
    EXPECT_EQ(again->map[0].kind, "bank");
    folder.forget(cell);
    EXPECT_FALSE(folder.result(cell));
}

TEST_F(RunFolderTest, NamesAResultThatIsDamaged) {
    std::ofstream(folder.path() / "cells" / (cell.id + ".json")) << "{}";
    expect_input_error([&] { folder.result(cell); }, {cell.id + ".json", "expected \"" + cell.id});
    std::ofstream(folder.path() / "cells" / (cell.id + ".json")) << "{\"id\": ";
    expect_input_error([&] { folder.result(cell); }, {cell.id + ".json", "JSON"});
}

// Runs are compared with those of last year.
TEST_F(RunFolderTest, ReadsARunOfAVersionThatKnewLess) {
    SmallRun run;
    run.add_experiment("plant", {"cmr"}, {1}).protocol = "paper";
    Result r = make_result("plant", "cmr", 1, 0, {{"knn", 0.9}});
    r.id = cell.id;
    io::Json plan = io::to_json(run.plan), result = io::to_json(r);
    plan["experiments"][0].erase("protocol");
    result.erase("peak_mb");
    std::ofstream(folder.path() / "plan.json") << plan.dump();
    std::ofstream(folder.path() / "cells" / (cell.id + ".json")) << result.dump();
    EXPECT_EQ(folder.plan().experiments.at(0).protocol, "");
    EXPECT_EQ(folder.result(cell)->scores.at(0).auroc, 0.9);
    // What a later version knows might change what the rest means.
    result["later"] = 1;
    std::ofstream(folder.path() / "cells" / (cell.id + ".json")) << result.dump();
    expect_input_error([&] { folder.result(cell); }, {cell.id, "later"});
}

TEST_F(RunFolderTest, GivesAPlanBackAsItWas) {
    SmallRun run;
    Experiment& e = run.add_experiment("plant", {"cmr", "ae"}, {1, 2});
    e.stealthy = {95};
    e.poolings = {"std"};
    e.ks = {1, 5};
    e.metrics = {"l2"};
    e.axis = {{.key = "model.width", .values = {"8", "16"}, .seeds = {1}, .folds = {}}};
    run.plan.published = {{"leaderboard", "Table 2", {"plant"}, {{"cmr knn", "0.99"}}}};
    run.add(make_result("plant", "cmr", 1, 0, {}), "model.width", "8").fold = 0;
    run.plan.cells[0].stealthy = {95};
    run.plan.cells[0].ks = {1, 5};
    EXPECT_FALSE(folder.has_plan());
    folder.write_plan(run.plan);
    EXPECT_TRUE(folder.has_plan());
    const Plan again = folder.plan();
    EXPECT_EQ(io::to_json(again).dump(), io::to_json(run.plan).dump());
    EXPECT_EQ(again.published[0].rows[0][1], "0.99");
    EXPECT_EQ(again.uses[0].value, "8");
    EXPECT_EQ(again.experiments[0].axis[0].values[1], "16");
}

TEST_F(RunFolderTest, WithoutAPlanSaysHowToMakeOne) {
    expect_input_error([&] { folder.plan(); }, {folder.path().string(), "no plan.json", "cmr study"});
    expect_input_error([&] { RunFolder(place / "none").plan(); }, {(place / "none").string(), "no plan.json"});
}

TEST_F(RunFolderTest, RefusesAPlanThatIsDamaged) {
    SmallRun run;
    run.add_open(make_result("plant", "cmr", 1, 0, {}));
    run.plan.uses[0].cell = 1;
    folder.write_plan(run.plan);
    expect_input_error([&] { folder.plan(); }, {"plan.json", "cell 1", "1 cells"});
    for (const char* text : {"[]", "{}"}) {
        std::ofstream(folder.path() / "plan.json") << text;
        expect_input_error([&] { folder.plan(); }, {"plan.json"});
    }
}

TEST_F(RunFolderTest, CannotBeMadeBelowAFile) {
    std::ofstream(place / "file") << "x";
    expect_input_error([&] { RunFolder(place / "file").create(); }, {(place / "file").string()});
    expect_input_error([] { RunFolder("/proc/run").create(); }, {"/proc/run"});
}

}  // namespace
}  // namespace cmr::study
