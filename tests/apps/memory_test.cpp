// What `inspect` says that scoring takes, and `fit` that it takes, against what they take.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "program.h"
#include "score/fit_detector.h"
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

// Few windows and a network of a usual size: it is the model that takes the memory.
TEST_F(MemoryToScore, HoldsTheModel) {
    const std::string sizes = "--set model.width=128 --set model.layers=4 --set model.predictor_width=256";
    test::write_plant_rows(folder / "data/healthy.csv", 3'200, false, /*seed=*/1);
    must("fit plant.toml --method untrained --out large.cmr " + sizes);
    const auto told = [&](const std::string& command) {
        return nlohmann::json::parse(shell(command).output).at("bytes_to_score").get<int64_t>();
    };
    Background score(in_folder("exec cmr score large.cmr --out scores.csv"), folder / "said.txt");
    ASSERT_EQ(score.wait(), 0) << test::content(folder / "said.txt");
    for (const int64_t foretold :
         {told("cmr inspect plant.toml --json " + sizes), told("cmr score large.cmr --out scores.csv --json")}) {
        EXPECT_GT(foretold, score.peak_bytes());
        EXPECT_LT(foretold, 2 * score.peak_bytes());
    }
    EXPECT_THAT(test::content(folder / "said.txt"), testing::ContainsRegex("windows/s, about [0-9]+ MB of memory"));
}

TEST_F(MemoryToScore, IsRefusedWhereItIsNotFree) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    std::filesystem::copy(folder / "data/healthy.csv", folder / "known.csv");
    test::write_plant_rows(folder / "data/healthy.csv", 100'000, false, /*seed=*/3);
    for (const char* command : {"score plant.cmr --stride 1 --out x.csv", "explain plant.cmr --set window.stride=1"}) {
        const CommandResult result = shell(fmt::format("(ulimit -v 90000; CMR_THREADS=1 cmr {} 2>&1)", command));
        EXPECT_EQ(result.exit_code, 3) << result.output;
        EXPECT_THAT(result.output, HasSubstr("plant: scoring needs about "));
        EXPECT_THAT(result.output, HasSubstr("MB that are free; a larger stride makes fewer windows"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "x.csv"));
}

// More healthy data than the detector can be fitted on anew.
TEST_F(MemoryToScore, AndToFitAnewIsRefusedWhereItIsNotFree) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    test::write_plant_rows(folder / "data/healthy.csv", test::SmallPlant::kHealthy, false, /*seed=*/1);
    test::write_plant_rows(folder / "more.csv", 400'000, false, /*seed=*/3);
    const CommandResult result =
        shell("(ulimit -v 150000; CMR_THREADS=1 cmr update plant.cmr --healthy more.csv --part healthy 2>&1)");
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("plant: fitting the detector on 12,585 windows needs about "));
    EXPECT_THAT(result.output, HasSubstr("MB free"));
}

// Windows as long as those of a vibration sensor, of which a few copies are most of what is taken.
struct MemoryToFit : testing::Test, test::Program {
    static constexpr int64_t kWindows = 260, kLength = 32768, kChannels = 3;

    void SetUp() override {
        if (!trains()) GTEST_SKIP() << "built without training";
        std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                                         kWindows * kLength, kChannels);
        header.resize(117, ' ');
        std::ofstream file(folder / "long.npy", std::ios::binary);
        file << std::string_view("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n';
        Rng rng(1);
        std::vector<float> row(kChannels * kLength);
        for (int64_t w = 0; w < kWindows; ++w) {
            for (int64_t t = 0; t < kLength; ++t) {
                const double cause = std::sin(0.01 * static_cast<double>(t + 7 * w)) + 0.2 * rng.uniform(-1, 1);
                row[3 * t] = static_cast<float>(cause);
                row[3 * t + 1] = static_cast<float>(rng.uniform(-1, 1));
                row[3 * t + 2] = static_cast<float>(0.5 * cause + 0.3 * rng.uniform(-1, 1));
            }
            file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(4 * row.size()));
        }
        std::ofstream(folder / "long.toml") << R"(name = "long"
data.rate_hz = 64000.0
data.read.names = ["a", "b", "v"]
data.part = [{name = "runs", files = "long.npy", role = "fit", state = "healthy"}]
channels = [{role = "cause", group = "current", names = ["a", "b"]}, {role = "effect", group = "vibration", names = ["v"]}]
window = {length = 32768, stride = 32768}
split = {kind = "chronological"}
model = {width = 4, layers = 1, state = 2, predictor_width = 4}
)";
    }
};

TEST_F(MemoryToFit, IsForetoldFromWhatItTakesToTwiceThat) {
    Background fit(in_folder("exec cmr fit long.toml --data-root . --method untrained"), folder / "said.txt");
    ASSERT_EQ(fit.wait(), 0) << test::content(folder / "said.txt");
    const std::string said = test::content(folder / "said.txt");
    const size_t at = said.find("needs up to ");
    ASSERT_NE(at, std::string::npos) << said;
    const std::string told = said.substr(at + 12, said.find(" of memory", at) - at - 12);
    const double foretold = (told.ends_with("GB") ? 1e9 : 1e6) * std::stod(told);
    const double all_samples = 4.0 * kWindows * kLength * kChannels;
    EXPECT_GT(foretold, fit.peak_bytes());
    EXPECT_LT(foretold, 2 * fit.peak_bytes());
    // The samples themselves, as windows, and once more side by side, for which there is a limit that these are below;
    // the rest is libtorch and sums of a regression.
    EXPECT_LT(fit.peak_bytes(), 3.3 * all_samples + 700e6);
}

// Paderborn: 4,480 windows of 3 × 32,768 samples are 1.76 GB.
TEST(MemoryOfPaderborn, IsWithinSixGigabytes) {
    data::Dataset dataset;
    dataset.channels = {{"a", false, "current"}, {"b", false, "current"}, {"v", true, "vibration"}};
    recipe::Recipe recipe;
    recipe.window.length = 32768;
    EXPECT_LT(score::memory_to_fit(dataset, recipe, 4480) + 4480LL * 3 * 32768 * 4, 6'000'000'000);
}

}  // namespace
}  // namespace cmr
