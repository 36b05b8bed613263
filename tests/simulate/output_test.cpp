#include "simulate/output.h"

#include <gtest/gtest.h>

#include "io/file.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

TEST(SimulationFolder, IsMadeWithItsParents) {
    const test::TemporaryFolder folder;
    prepare_folder(folder / "a/b", {"*.txt"});
    EXPECT_TRUE(fs::exists(folder / "a/b/ground_truth.json"));
}

TEST(SimulationFolder, IsEmptiedWhereEverythingInItWasSimulated) {
    const test::TemporaryFolder folder;
    prepare_folder(folder.path(), {"*.txt"});
    io::write_file_atomically(folder / "PS1.txt", "1\n");
    prepare_folder(folder.path(), {"*.txt"});
    EXPECT_FALSE(fs::exists(folder / "PS1.txt"));
}

TEST(SimulationFolder, IsRefusedWhereSomethingElseIsInIt) {
    const test::TemporaryFolder folder;
    io::write_file_atomically(folder / "PS1.txt", "measured\n");
    test::expect_input_error([&] { prepare_folder(folder.path(), {"*.txt"}); }, {"not empty", "another"});
    EXPECT_EQ(io::read_file(folder / "PS1.txt"), "measured\n");
}

TEST(SimulationFolder, IsRefusedWhereAForeignFileStandsBetweenSimulatedOnes) {
    const test::TemporaryFolder folder;
    prepare_folder(folder.path(), {"K*/*.mat"});
    fs::create_directory(folder / "K001");
    io::write_file_atomically(folder / "K001/run.mat", "simulated");
    io::write_file_atomically(folder / "K001/notes.doc", "mine");
    test::expect_input_error([&] { prepare_folder(folder.path(), {"K*/*.mat"}); }, {"K001/notes.doc"});
    EXPECT_TRUE(fs::exists(folder / "K001/run.mat"));
}

TEST(SimulationFolder, ThatCannotBeMadeIsAnInputError) {
    const test::TemporaryFolder folder;
    io::write_file_atomically(folder / "file", "");
    test::expect_input_error([&] { prepare_folder(folder / "file/below", {}); }, {"file/below"});
    test::expect_input_error([&] { prepare_folder(folder / "file", {}); }, {"file"});
}

}  // namespace
}  // namespace cmr::simulate
