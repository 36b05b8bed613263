#include "score/combine/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

constexpr int64_t kChannels = 3, kRows = 200;
const std::vector<const ScorerKind*> kKinds = {&scorer_named("pca"), &scorer_named("lagged"),
                                               &scorer_named("marginal")};
const std::vector<std::string> kNames = {"pca", "lagged", "marginal"};

std::vector<int64_t> all_rows() {
    std::vector<int64_t> out(kRows);
    std::iota(out.begin(), out.end(), 0);
    return out;
}

// Parts of log-normal size, on scales that differ by channel; that of the broken channel times `factor`.
Matrix parts(double factor, int64_t broken, uint64_t seed) {
    constexpr double kScale[] = {1, 1000, 1e-3};
    Matrix out(kRows, kChannels);
    Rng rng(seed);
    for (int64_t i = 0; i < kRows; ++i)
        for (int64_t c = 0; c < kChannels; ++c)
            out.row(i)[c] = static_cast<float>(kScale[c] * std::exp(0.3 * rng.normal()) * (c == broken ? factor : 1));
    return out;
}

// What PCA (which has no parts), the lagged mechanism and the marginal deviation say of windows with a broken channel.
CrossFitted judged(double lagged, double marginal, int64_t broken, uint64_t seed) {
    return {Matrix(kRows, 3), {Matrix(), parts(lagged, broken, seed), parts(marginal, broken, seed + 1)}};
}

// PCA has half of the weight, the others share the rest as told.
Combined weighed(double lagged, double marginal) {
    io::Safetensors file;
    Archive archive(file, "combined");
    const auto put = [&](const std::string& name, double weight) {
        Archive voice = archive.below(name);
        voice.put("median", 0.0);
        voice.put("deviation", 1.0);
        voice.put("weight", weight);
    };
    archive.put("voices", 3.0);
    put("pca", 0.5);
    put("lagged", lagged);
    put("marginal", marginal);
    return {archive, kNames};
}

Attribution fitted(double lagged, double marginal) {
    return {weighed(lagged, marginal), kKinds, judged(1, 1, -1, 3), all_rows()};
}

Matrix residuals(const Attribution& attribution, const CrossFitted& windows) {
    return attribution([&](const std::string& name) { return &windows.by_channel[name == "lagged" ? 1 : 2]; });
}

double share_first(const Matrix& found, int64_t channel) {
    int64_t hits = 0;
    for (int64_t i = 0; i < found.rows; ++i)
        hits += std::ranges::max_element(found.row(i)) - found.row(i).begin() == channel;
    return static_cast<double>(hits) / static_cast<double>(found.rows);
}

TEST(Attribution, NamesTheChannelThatAnyOfTheScoresSeesClearly) {
    const Attribution attribution = fitted(0.25, 0.25);
    for (int64_t broken = 0; broken < kChannels; ++broken) {
        EXPECT_GT(share_first(residuals(attribution, judged(50, 1, broken, 7)), broken), 0.95) << "lagged sees it";
        EXPECT_GT(share_first(residuals(attribution, judged(1, 50, broken, 9)), broken), 0.95) << "marginal sees it";
    }
}

// The two scores disagree: what raised the alarm explains it.
TEST(Attribution, TheScoreWithTheWeightDecides) {
    CrossFitted windows = judged(5, 1, 0, 7);
    windows.by_channel[2] = parts(5, 2, 8);
    EXPECT_GT(share_first(residuals(fitted(0.45, 0.05), windows), 0), 0.95);
    EXPECT_GT(share_first(residuals(fitted(0.05, 0.45), windows), 2), 0.95);
}

TEST(Attribution, ResidualsAreHealthyDeviationsWhereTheyAreLarge) {
    const Attribution attribution = fitted(0.25, 0.25);
    double sum = 0;
    const Matrix healthy = residuals(attribution, judged(1, 1, -1, 30));
    for (const float value : healthy.values) {
        EXPECT_GE(value, 0);
        sum += value / static_cast<double>(healthy.values.size());
    }
    EXPECT_NEAR(sum, std::log(2), 0.2);
    // Ten deviations of 0.3 in the logarithm, in both scores.
    const Matrix broken = residuals(attribution, judged(std::exp(3), std::exp(3), 1, 31));
    double mean = 0;
    for (int64_t i = 0; i < kRows; ++i) mean += broken.row(i)[1] / static_cast<double>(kRows);
    EXPECT_NEAR(mean, 10, 1.5);
}

TEST(Attribution, CountsTheRehearsedFaultsThatItNames) {
    const std::vector<CrossFitted> faults = {judged(50, 50, 1, 40)};
    const std::vector<std::vector<int64_t>> right = {std::vector<int64_t>(kRows, 1)},
                                            wrong = {std::vector<int64_t>(kRows, 2)};
    const Attribution attribution = fitted(0.25, 0.25);
    EXPECT_EQ(attribution.hit_rate(kKinds, faults, right), 1);
    EXPECT_EQ(attribution.hit_rate(kKinds, faults, wrong), 0);
}

TEST(Attribution, ComesBackFromAFileWithTheSameBits) {
    const Attribution attribution = fitted(0.3, 0.2);
    io::Safetensors file;
    Archive archive(file, "test");
    attribution.save(archive);
    const Attribution loaded(archive, weighed(0.3, 0.2), kChannels);
    const CrossFitted some = judged(3, 2, 1, 50);
    EXPECT_EQ(residuals(loaded, some).values, residuals(attribution, some).values);
    test::expect_input_error([&] { Attribution(archive, weighed(0.3, 0.2), kChannels + 1); }, {"effects"});
}

}  // namespace
}  // namespace cmr::score
