#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "io/file.h"
#include "io/json_fields.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"
#include "train/tiny_run.h"

namespace cmr::train {
namespace {

using test::expect_input_error;

// The state after two epochs, as it was written.
struct Checkpoint : testing::Test {
    Checkpoint() {
        run.recipe.train.max_epochs = 2;
        FitOptions options;
        options.checkpoint = file;
        options.run = "this run";
        run.fit(options);
    }
    std::optional<RunState> load() const { return load_checkpoint(file, "this run", run.preprocessing.config); }

    test::TemporaryFolder folder;
    std::filesystem::path file = folder / "model.cmr.part";
    TinyRun run;
};

TEST_F(Checkpoint, HoldsEveryBitOfTheRun) {
    const RunState first = load().value();
    save_checkpoint(folder / "again", "this run", first);
    EXPECT_TRUE(io::read_file(folder / "again") == io::read_file(file));
    const RunState second = load_checkpoint(folder / "again", "this run", run.preprocessing.config).value();
    EXPECT_TRUE(same_bits(first.network, second.network));
    EXPECT_TRUE(same_bits(first.best, second.best));
    ASSERT_EQ(first.optimisers[0].moments.size(), second.optimisers[0].moments.size());
    EXPECT_GT(first.optimisers[0].steps, 0);
    EXPECT_EQ(first.optimisers[0].steps, second.optimisers[0].steps);
    for (size_t i = 0; i < first.optimisers[0].moments.size(); ++i) {
        EXPECT_EQ(first.optimisers[0].moments[i].mean, second.optimisers[0].moments[i].mean);
        EXPECT_EQ(first.optimisers[0].moments[i].square, second.optimisers[0].moments[i].square);
    }
    EXPECT_EQ(io::to_json(first.facts), io::to_json(second.facts));
    EXPECT_EQ(first.facts.epochs.size(), 2u);
}

TEST_F(Checkpoint, KeepsARunThatHasNoBestEpochYet) {
    RunState state = load().value();
    state.best = {};
    state.facts.best_epoch = 0;
    state.facts.schedule.best = std::numeric_limits<double>::infinity();
    save_checkpoint(file, "this run", state);
    EXPECT_TRUE(load()->best.tensors.empty());
    Schedule schedule(run.recipe.train, run.recipe.split.protocol);
    schedule.restore(load()->facts.schedule);
    EXPECT_TRUE(schedule.observe(2, 1e9));
}

TEST_F(Checkpoint, OfNoFileIsNothing) {
    EXPECT_FALSE(load_checkpoint(folder / "none", "this run", run.preprocessing.config).has_value());
}

TEST_F(Checkpoint, OfAnotherRunIsRefusedWithAWayOut) {
    expect_input_error([&] { load_checkpoint(file, "another run", run.preprocessing.config); },
                       {"model.cmr.part", "another recipe, seed, fold or other data", "--restart"});
}

TEST_F(Checkpoint, IsRefusedWhereItIsCutShort) {
    const std::string whole = io::read_file(file);
    for (const double share : {0.0, 0.01, 0.3, 0.9, 0.999}) {
        const auto size = static_cast<size_t>(share * static_cast<double>(whole.size()));
        std::ofstream(file, std::ios::binary) << whole.substr(0, size);
        expect_input_error([&] { load(); }, {"model.cmr.part"});
    }
}

TEST_F(Checkpoint, IsRefusedWhereItIsSomethingElse) {
    std::ofstream(file, std::ios::binary) << "not a checkpoint at all, but long enough to hold a header";
    expect_input_error([&] { load(); }, {"model.cmr.part"});
    model::save_model(file, {"", run.preprocessing.config, run.fit().model.tensors});
    expect_input_error([&] { load(); }, {"not the checkpoint of a training run"});
}

TEST_F(Checkpoint, IsRefusedWhereItsHeaderOrItsNumbersAreDamaged) {
    const std::string whole = io::read_file(file);
    std::string broken = whole;
    broken[100] = '\0';  // in the header
    io::write_file_atomically(file, broken);
    expect_input_error([&] { load(); }, {"model.cmr.part"});
    broken = whole;
    broken.replace(broken.size() / 2 / 4 * 4, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");  // NaN
    io::write_file_atomically(file, broken);
    expect_input_error([&] { load(); }, {"model.cmr.part", "NaN"});
    broken = whole;
    broken[broken.size() / 2] ^= 1;
    io::write_file_atomically(file, broken);
    expect_input_error([&] { load(); }, {"model.cmr.part", "damaged", "--restart"});
}

}  // namespace
}  // namespace cmr::train
