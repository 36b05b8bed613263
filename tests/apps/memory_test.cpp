// What `inspect` says that scoring takes, against what it takes.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/background.h"
#include "support/memory_limit.h"

namespace cmr {
namespace {

using test::Background;
using test::CommandResult;
using testing::HasSubstr;

// A detector of a small plant, and then much more data of that plant.
struct MemoryToScore : testing::Test, test::Program {
    void SetUp() override {
        if (!trains()) GTEST_SKIP() << "built without training";
        must("fit plant.toml --method untrained");
        test::write_plant_rows(folder / "data/healthy.csv", 40'000, false, /*seed=*/3);
    }
};

TEST_F(MemoryToScore, IsForetoldFromWhatItTakesToTwiceThat) {
    const auto foretold = nlohmann::json::parse(shell("cmr inspect plant.toml --set window.stride=1 --json").output)
                              .at("bytes_to_score")
                              .get<int64_t>();
    Background score(in_folder("exec cmr score plant.cmr --stride 1 --out scores.csv"), folder / "said.txt");
    ASSERT_EQ(score.wait(), 0) << test::content(folder / "said.txt");
    EXPECT_GT(foretold, score.peak_bytes());
    EXPECT_LT(foretold, 2 * score.peak_bytes());
}

TEST_F(MemoryToScore, IsRefusedWhereItIsNotFree) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    test::write_plant_rows(folder / "data/healthy.csv", 100'000, false, /*seed=*/3);
    const CommandResult result =
        shell("(ulimit -v 90000; CMR_THREADS=1 cmr score plant.cmr --stride 1 --out x.csv 2>&1)");
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("plant: scoring needs about "));
    EXPECT_THAT(result.output, HasSubstr("MB that are free; a larger --stride makes fewer windows"));
    EXPECT_FALSE(std::filesystem::exists(folder / "x.csv"));
}

}  // namespace
}  // namespace cmr
