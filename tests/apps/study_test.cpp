// `cmr study` and `cmr report` as a user meets them: to the end, killed, stopped, refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/program.h"
#include "base/version.h"
#include "support/background.h"

namespace cmr {
namespace {

namespace fs = std::filesystem;
using test::Background;
using test::children_of;
using test::CommandResult;
using test::content;
using test::processes_with;
using test::wait_until;
using testing::HasSubstr;
using testing::Not;

// One plant for all tests; each has a run of its own.
struct StudyProgram : testing::Test {
    static void SetUpTestSuite() {
        plant = std::make_unique<test::Program>();
        write_study("small", "plant", "methods = [\"cmr\", \"ae\"]\nseeds = [1, 2]\n" + std::string(kQuick));
    }
    static void TearDownTestSuite() { plant.reset(); }
    void SetUp() override {
        if (!plant->trains()) GTEST_SKIP() << "built without training";
    }

    static void write_study(const std::string& name, const std::string& experiment, const std::string& rest) {
        std::ofstream(plant->folder / (name + ".toml")) << fmt::format(
            "name = \"{}\"\n[[experiment]]\nname = \"{}\"\nrecipe = \"plant.toml\"\n{}", name, experiment, rest);
    }

    static fs::path run(const std::string& name) { return plant->folder / name; }
    static std::string command(const std::string& name, const std::string& more = "") {
        return fmt::format("study small.toml --out '{}' {}", run(name).string(), more);
    }
    // A run that nothing disturbed.
    static fs::path whole() {
        if (!fs::exists(run("whole"))) {
            const CommandResult result = plant->cmr(command("whole"));
            EXPECT_EQ(result.exit_code, 0) << result.output;
        }
        return run("whole");
    }
    static std::unique_ptr<Background> start(const std::string& name, const std::string& more = "") {
        return std::make_unique<Background>(plant->in_folder("exec cmr " + command(name, more)),
                                            plant->folder / (name + ".txt"));
    }
    static std::string said(const std::string& name) { return content(plant->folder / (name + ".txt")); }

    // File name → content, of one of the run's folders.
    static std::map<std::string, std::string> files(const fs::path& folder, const std::string& extension) {
        std::map<std::string, std::string> out;
        if (fs::exists(folder))
            for (const auto& entry : fs::directory_iterator(folder))
                if (entry.path().extension() == extension)
                    out[entry.path().filename().string()] = content(entry.path());
        return out;
    }
    static std::map<std::string, std::string> scores(const fs::path& run) { return files(run / "scores", ".csv"); }
    // How many workers began each cell.
    static std::vector<size_t> beginnings(const fs::path& run) {
        std::vector<size_t> out;
        for (const auto& [name, text] : files(run / "cells", ".lock")) out.push_back(text.size());
        return out;
    }
    // Epochs that are done, of all fits.
    static int64_t epochs(const std::string& name) {
        int64_t out = 0;
        for (const auto& [file, text] : files(run(name) / "models", ".jsonl")) out += test::lines_of(text);
        return out;
    }
    static nlohmann::json status(const std::string& name) {
        const CommandResult result = plant->shell(fmt::format("cmr study --json --status {}", name));
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return nlohmann::json::parse(result.output);
    }
    static std::vector<pid_t> left_of(const std::string& name) { return processes_with({run(name).string(), "cmr"}); }

    static void expect_refused(const std::string& arguments, const std::vector<std::string>& words) {
        const CommandResult result = plant->cmr(arguments);
        EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.output;
        for (const std::string& word : words) EXPECT_THAT(result.output, HasSubstr(word)) << arguments;
    }

    static constexpr const char* kQuick =
        "settings = [\"train.max_epochs=4\", \"train.rival_rate=3e-3\"]\nstealthy = [95]\npointwise = true\n"
        "poolings = [\"std\", \"mean\"]\nks = [1, 5]\nmetrics = [\"l2\"]\n";
    static inline std::unique_ptr<test::Program> plant;
};

// --- A run that ends ------------------------------------------------------------------------------------------------

TEST_F(StudyProgram, RunsToTheEndAndIsReported) {
    whole();
    const auto now = status("whole");
    EXPECT_EQ(now.at("cells"), 4);
    EXPECT_EQ(now.at("done"), 4);
    EXPECT_EQ(now.at("failed"), 0);
    EXPECT_EQ(now.at("seconds_left"), 0);
    EXPECT_EQ(beginnings(run("whole")), (std::vector<size_t>{1, 1, 1, 1}));
    EXPECT_EQ(scores(run("whole")).size(), 4u);

    const CommandResult reported = plant->cmr("report whole");
    ASSERT_EQ(reported.exit_code, 0) << reported.output;
    EXPECT_THAT(reported.output, HasSubstr("Where cmr stands"));
    const std::string page = content(run("whole") / "report/report.html");
    EXPECT_THAT(page, HasSubstr("4 of 4"));
    for (const char* word : {"http:", "https:", "src=", "url("}) {
        std::string text = page;
        for (size_t at; (at = text.find("http://www.w3.org/2000/svg")) != std::string::npos;) text.erase(at, 26);
        EXPECT_THAT(text, Not(HasSubstr(word)));
    }
    const auto tables = files(run("whole") / "report/tables", ".csv");
    for (const char* name : {"leaderboard", "verdict", "scoring", "plant-stealthy", "plant-seeds", "plant-f1",
                             "plant-k", "plant-cmr-poolings", "plant-cost"}) {
        EXPECT_TRUE(tables.contains(std::string(name) + ".csv")) << name;
        EXPECT_TRUE(fs::exists(run("whole") / "report/tables" / (std::string(name) + ".md"))) << name;
        EXPECT_TRUE(fs::exists(run("whole") / "report/tables" / (std::string(name) + ".tex"))) << name;
    }
    EXPECT_THAT(tables.at("leaderboard.csv"), HasSubstr("\ncmr combined,"));
    EXPECT_THAT(content(run("whole") / "report/tables.md"), HasSubstr("| ae knn |"));
}

TEST_F(StudyProgram, ScoresTheGridAsTheDetectorDoes) {
    for (const auto& [name, text] : files(whole() / "cells", ".json")) {
        const auto json = nlohmann::json::parse(text);
        ASSERT_EQ(json.at("status"), "done") << name;
        for (const auto& score : json.at("scores"))
            if (score.at("name") == "knn")  // the recipe's: std, k = 5, l2
                for (const auto& g : json.at("grid"))
                    if (g.at("pooling") == "std" && g.at("k") == 5) {
                        EXPECT_NEAR(score.at("auroc").get<double>(), g.at("auroc").get<double>(), 1e-12) << name;
                    }
        EXPECT_EQ(json.at("grid").size(), 4u);
        EXPECT_EQ(json.at("faulty_windows"), 20);
        for (const auto& score : json.at("scores")) {
            const auto& stealth = score.at("stealth").at(0);
            EXPECT_EQ(stealth.at("percentile"), 95);
            EXPECT_EQ(stealth.at("stealthy_windows").get<int>() + stealth.at("blunt_windows").get<int>(), 20);
            EXPECT_GT(score.at("point_f1").get<double>(), 0);
            EXPECT_EQ(score.at("strata").at(0).at("name"), "leak");
        }
    }
}

TEST_F(StudyProgram, DoesNothingMoreWhenAllIsDone) {
    whole();
    const auto cells = files(run("whole") / "cells", ".json"), before = files(run("whole") / "cells", ".lock");
    const auto written = fs::last_write_time(run("whole") / "models");
    const CommandResult again = plant->cmr(command("whole"));
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.output, HasSubstr("4 of 4 cells done, 0 failed"));
    EXPECT_TRUE(files(run("whole") / "cells", ".json") == cells);
    EXPECT_EQ(files(run("whole") / "cells", ".lock"), before);
    EXPECT_EQ(fs::last_write_time(run("whole") / "models"), written);
}

TEST_F(StudyProgram, DoesTheCellsOfAnotherProgramAgain) {
    ASSERT_EQ(plant->cmr(command("older", "--plan-only")).exit_code, 0);
    const fs::path file = run("older") / "plan.json";
    auto older = nlohmann::ordered_json::parse(content(file));
    const std::string own = older.at("version");
    EXPECT_EQ(own, version());
    older["version"] = "0.1.0";
    std::ofstream(file) << older.dump();
    expect_refused("study --work older", {"planned by cmr 0.1.0", "this is cmr " + own, "plans the cells anew"});
    EXPECT_EQ(status("older").at("waiting"), 4) << "it is still read";
    const CommandResult planned = plant->cmr(command("older", "--plan-only"));
    EXPECT_EQ(planned.exit_code, 0);
    EXPECT_THAT(planned.output, HasSubstr("begun by cmr 0.1.0; this is cmr " + own + ", so its cells are done again"));
    EXPECT_EQ(nlohmann::json::parse(content(file)).at("version"), own);
}

TEST_F(StudyProgram, TellsThatARunComparedWithItselfIsTheSame) {
    whole();
    const CommandResult same = plant->cmr("report --compare whole whole");
    EXPECT_EQ(same.exit_code, 0) << same.output;
    EXPECT_THAT(same.output, HasSubstr("the same"));
    EXPECT_THAT(same.output, Not(HasSubstr("noise (p")));
    expect_refused("report --compare whole", {"two runs"});
    expect_refused("report whole whole", {"--compare"});
    expect_refused("report --compare whole none", {"none", "plan.json"});
}

// --- A run that is disturbed ----------------------------------------------------------------------------------------

TEST_F(StudyProgram, AWorkerThatIsKilledLosesNothingButTime) {
    auto study = start("killed", "--workers 2");
    ASSERT_TRUE(wait_until([] { return epochs("killed") > 0; })) << said("killed");
    const auto workers = children_of(study->pid());
    ASSERT_EQ(workers.size(), 2u);
    kill(workers.front(), SIGKILL);
    EXPECT_EQ(study->wait(), 0) << said("killed");
    EXPECT_THAT(said("killed"), HasSubstr("a worker was ended by signal 9; another takes its place"));
    EXPECT_EQ(status("killed").at("done"), 4);
    EXPECT_TRUE(scores(run("killed")) == scores(whole()));
}

TEST_F(StudyProgram, KilledAsAWholeGoesOnWithTheSameCommand) {
    auto study = start("died");
    ASSERT_TRUE(wait_until([] { return epochs("died") > 0; })) << said("died");
    study->tell(SIGKILL);
    study->wait();
    EXPECT_TRUE(wait_until([] { return left_of("died").empty(); }, 20)) << "workers go on without their parent";
    EXPECT_LT(status("died").at("done"), 4);
    const CommandResult again = plant->cmr(command("died"));
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_EQ(status("died").at("done"), 4);
    EXPECT_TRUE(scores(run("died")) == scores(whole()));
}

TEST_F(StudyProgram, TwoCommandsOnOneFolderDoEachCellOnce) {
    auto first = start("shared");
    ASSERT_TRUE(wait_until([] { return !beginnings(run("shared")).empty(); })) << said("shared");
    const CommandResult second = plant->cmr(command("shared"));
    EXPECT_EQ(second.exit_code, 0) << second.output;
    EXPECT_EQ(first->wait(), 0) << said("shared");
    EXPECT_THAT(second.output, HasSubstr("4 of 4 cells done"));
    EXPECT_THAT(said("shared"), HasSubstr("4 of 4 cells done"));
    EXPECT_EQ(beginnings(run("shared")), (std::vector<size_t>{1, 1, 1, 1}));
    EXPECT_TRUE(scores(run("shared")) == scores(whole()));
}

TEST_F(StudyProgram, WaitsForACellThatAnotherCommandIsAt) {
    write_study("lone", "plant", "methods = [\"cmr\"]\nseeds = [1]\nsettings = [\"train.max_epochs=40\"]\n");
    Background first(plant->in_folder("exec cmr study lone.toml --out lone"), plant->folder / "lone.txt");
    ASSERT_TRUE(wait_until([] { return epochs("lone") > 0; })) << said("lone");
    EXPECT_EQ(status("lone").at("running"), 1);
    const CommandResult second = plant->cmr("study lone.toml --out lone");
    EXPECT_EQ(second.exit_code, 0) << second.output;
    EXPECT_THAT(second.output, HasSubstr("1 of 1 cells done"));
    EXPECT_EQ(first.wait(), 0) << said("lone");
    EXPECT_EQ(beginnings(run("lone")), (std::vector<size_t>{1}));
}

TEST_F(StudyProgram, InterruptedAtAnyTimeStopsWholeAndGoesOn) {
    // As Ctrl-C does it to all of them, and as `kill` does it to the parent alone: while a fit begins, and later.
    int64_t done = 0;
    for (const bool all : {true, false}) {
        for (const bool early : {true, false}) {
            const int64_t before = epochs("stopped");
            auto study = start("stopped");
            if (early) {
                ASSERT_TRUE(wait_until([] { return !processes_with({"cmr-train", run("stopped").string()}).empty(); }));
            } else {
                ASSERT_TRUE(wait_until([&] { return epochs("stopped") > before; })) << said("stopped");
            }
            const int signal = !all && early ? SIGTERM : SIGINT;
            all ? study->tell_group(signal) : study->tell(signal);
            EXPECT_EQ(study->wait(), 128 + signal) << said("stopped");
            EXPECT_THAT(said("stopped"), HasSubstr("the same command goes on from there"));
            EXPECT_TRUE(left_of("stopped").empty());
            const auto now = status("stopped");
            EXPECT_EQ(now.at("failed"), 0) << now.dump();
            EXPECT_LE(now.at("done").get<int64_t>(), done + 1) << "it went on after it was told to stop";
            EXPECT_LT(now.at("done").get<int64_t>(), 4);
            done = now.at("done").get<int64_t>();
        }
    }
    const CommandResult rest = plant->cmr(command("stopped", "--workers 2"));
    EXPECT_EQ(rest.exit_code, 0) << rest.output;
    EXPECT_TRUE(scores(run("stopped")) == scores(whole()));
}

// --- Cells that cannot be done --------------------------------------------------------------------------------------

TEST_F(StudyProgram, RecordsAMethodThatFailsWithItsReason) {
    write_study("memory", "narrow",
                "methods = [\"untrained\", \"ae\"]\nseeds = [1]\nsettings = [\"train.memory_gb=0.1\"]\n"
                "[[experiment]]\nname = \"wide\"\nrecipe = \"plant.toml\"\nmethods = [\"untrained\"]\n"
                "seeds = [1]\n");
    const CommandResult result = plant->cmr("study memory.toml --out memory");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("1 of 3 cells done, 2 failed"));
    const CommandResult shown = plant->cmr("study --status memory");
    EXPECT_THAT(shown.output, HasSubstr("failed: narrow-ae-s1-f0"));
    EXPECT_THAT(shown.output, HasSubstr("more than the 0.1 GB of train.memory_gb"));
    const auto now = status("memory");
    EXPECT_EQ(now.at("failed"), 2);
    EXPECT_THAT(now.at("failures")[0].at("reason").get<std::string>(), HasSubstr("train.memory_gb"));
    const auto reported = plant->cmr("report memory");
    EXPECT_EQ(reported.exit_code, 0) << reported.output;
    EXPECT_THAT(content(run("memory") / "report/tables/failures.csv"), HasSubstr("0.1 GB"));
    EXPECT_THAT(content(run("memory") / "report/tables/leaderboard.csv"), HasSubstr("\nae,– (1 failed),\n"));

    const CommandResult other = plant->cmr("study small.toml --out memory");
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.output, HasSubstr("memory: holds a run of the study \"memory\"; give another folder"));

    // Once more: it is left as it is. With --retry: again.
    const std::string cell = "narrow-";
    const auto times = [&] {
        std::map<bool, std::vector<fs::file_time_type>> out;  // of failed cells, and of the other
        for (const auto& entry : fs::directory_iterator(run("memory") / "cells"))
            if (entry.path().extension() == ".json")
                out[entry.path().filename().string().starts_with(cell)].push_back(entry.last_write_time());
        return out;
    };
    const auto before = times();
    EXPECT_EQ(plant->cmr("study memory.toml --out memory").exit_code, 0);
    EXPECT_EQ(times(), before);
    EXPECT_EQ(plant->cmr("study memory.toml --out memory --retry").exit_code, 0);
    EXPECT_EQ(times().at(false), before.at(false));
    EXPECT_NE(times().at(true), before.at(true));
    EXPECT_EQ(status("memory").at("failed"), 2);

    whole();
    expect_refused("report --compare whole memory", {"in common"});
}

TEST_F(StudyProgram, ADamagedCellLosesThatCellOnly) {
    // A fit that is said to be done, with facts that are none.
    write_study("damaged", "plant", "methods = [\"untrained\"]\nseeds = [1, 2]\n");
    ASSERT_EQ(plant->cmr("study damaged.toml --out damaged --plan-only").exit_code, 0);
    const auto plan = nlohmann::json::parse(content(run("damaged") / "plan.json"));
    const std::string model = plan.at("cells")[0].at("model");
    std::ofstream(run("damaged") / "models" / model) << "x";
    std::ofstream(run("damaged") / "models" / (model + ".json")) << "{}";
    const CommandResult result = plant->cmr("study damaged.toml --out damaged");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("1 of 2 cells done, 1 failed"));
    EXPECT_EQ(status("damaged").at("failures").size(), 1u);
}

TEST_F(StudyProgram, AFullDiskLosesThatCellOnlyAndItIsDoneAgainOnceThereIsRoom) {
    write_study("full", "plant", "methods = [\"cmr\"]\nseeds = [1]\n" + std::string(kQuick));
    // No file may grow beyond 64 KB, of which the checkpoint needs several times as much.
    const CommandResult full =
        plant->shell("bash -c \"trap '' XFSZ; ulimit -f 64; cmr study full.toml --out full\" 2>&1");
    EXPECT_EQ(full.exit_code, 0) << full.output;
    EXPECT_THAT(full.output, HasSubstr("cannot write: File too large"));
    EXPECT_EQ(status("full").at("failed"), 1);
    EXPECT_EQ(plant->cmr("study full.toml --out full").exit_code, 0);
    EXPECT_EQ(status("full").at("failed"), 1) << "not asked to do it again";
    EXPECT_EQ(plant->cmr("study full.toml --out full --retry").exit_code, 0);
    EXPECT_EQ(status("full").at("done"), 1);
    for (const auto& [name, text] : scores(run("full"))) EXPECT_TRUE(scores(whole()).at(name) == text) << name;
}

TEST_F(StudyProgram, GivesUpACellThatEndsItsWorkers) {
    write_study("deadly", "plant", "methods = [\"untrained\"]\nseeds = [1]\n");
    ASSERT_EQ(plant->cmr("study deadly.toml --out deadly --plan-only").exit_code, 0);
    const auto plan = nlohmann::json::parse(content(run("deadly") / "plan.json"));
    const std::string id = plan.at("cells")[0].at("id");
    std::ofstream(run("deadly") / "cells" / (id + ".lock")) << "...";  // three began it
    EXPECT_EQ(plant->cmr("study --work deadly").exit_code, 0);
    EXPECT_EQ(status("deadly").at("failures")[0].at("reason"), "3 workers died on it");
    // Whoever asks for it again begins anew.
    EXPECT_EQ(plant->cmr("study deadly.toml --out deadly --retry").exit_code, 0);
    EXPECT_EQ(status("deadly").at("done"), 1);
}

// --- Elsewhere ------------------------------------------------------------------------------------------------------

TEST_F(StudyProgram, GivesItsCellsToABatchSystem) {
    // It does what Slurm does with an array: the script once per number, each with the number in its environment.
    const fs::path bin = plant->folder / "bin";
    fs::create_directory(bin);
    std::ofstream(bin / "sbatch")
        << "#!/bin/bash\nscript=${!#}\n"
           "for i in $(sed -n 's/^#SBATCH --array=\\(.*\\)%.*/\\1/p' \"$script\" | tr , ' '); do\n"
           "  SLURM_ARRAY_TASK_ID=$i bash \"$script\" || exit 1\ndone\necho 42\n";
    fs::permissions(bin / "sbatch", fs::perms::owner_all);
    write_study("array", "plant", "methods = [\"untrained\"]\nseeds = [1, 2]\n");
    const std::string command =
        "PATH=$PWD/bin:$PATH && cmr study array.toml --out array --launcher slurm --workers 2 --sbatch=--time=5 2>&1";
    const CommandResult first = plant->shell(command);
    EXPECT_EQ(first.exit_code, 0) << first.output;
    EXPECT_THAT(first.output, HasSubstr("Slurm job 42: 2 cells, 2 at a time"));
    const std::string script = content(run("array") / "slurm.sh");
    EXPECT_THAT(script, HasSubstr("#SBATCH --array=0,1%2\n"));
    EXPECT_THAT(script, HasSubstr("#SBATCH --time=5\n"));
    EXPECT_EQ(status("array").at("done"), 2);
    EXPECT_EQ(beginnings(run("array")), (std::vector<size_t>{1, 1}));
    EXPECT_THAT(plant->shell(command).output, HasSubstr("all cells are done"));
    expect_refused("study --work array --cell 2", {"--cell 2", "0 to 1"});

    fs::remove(bin / "sbatch");
    std::ofstream(bin / "sbatch") << "#!/bin/sh\necho 'sbatch: error: no partition' >&2\nexit 1\n";
    fs::permissions(bin / "sbatch", fs::perms::owner_all);
    for (const auto& [name, text] : files(run("array") / "cells", ".json")) fs::remove(run("array") / "cells" / name);
    const CommandResult refused = plant->shell(command);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("no partition"));
    // Slurm's own directives know no way to write these.
    expect_refused("study array.toml --out \"it's\" --launcher slurm", {"it's", "quotes"});
}

// --- What needs mending ---------------------------------------------------------------------------------------------

TEST_F(StudyProgram, NamesWhatIsWrongWithItsInput) {
    expect_refused("study", {"which study?"});
    expect_refused("study none.toml --out x", {"none.toml"});
    expect_refused("study small.toml --out /proc/run", {"/proc/run"});
    expect_refused("study small.toml --out plant.toml", {"plant.toml"});
    expect_refused("study small.toml --out x --workers 0", {"--workers: found 0, expected"});
    expect_refused("study small.toml --out x --launcher moon", {"--launcher moon"});
    expect_refused("study --status none", {"none", "plan.json"});

    std::ofstream(plant->folder / "lost.toml") << "name = \"lost\"\n[[experiment]]\nname = \"plant\"\n"
                                                  "recipe = \"nowhere.toml\"\n";
    expect_refused("study lost.toml --out lost", {"nowhere.toml"});
    expect_refused("study small.toml --out x --data-root nothing", {"nothing"});
    fs::create_directory(plant->folder / "empty");
    expect_refused("study small.toml --out x --data-root empty", {"healthy.csv"});

    expect_refused("report empty", {"empty", "plan.json"});
    expect_refused("report none", {"none", "plan.json"});
    ASSERT_EQ(plant->cmr(command("planned", "--plan-only")).exit_code, 0);
    expect_refused("report planned", {"planned", "no cell of the study is done"});
    EXPECT_EQ(status("planned").at("waiting"), 4);
    EXPECT_EQ(status("planned").at("seconds_left"), nullptr);
}

}  // namespace
}  // namespace cmr
