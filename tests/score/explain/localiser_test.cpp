#include "score/explain/localiser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

constexpr int64_t kChannels = 3;
const ScorerKind* const kKinds[] = {&scorer_named("knn"), &scorer_named("lagged"), &scorer_named("marginal"),
                                    &scorer_named("window")};

std::vector<int64_t> broken(int64_t rows, uint64_t seed) {
    std::vector<int64_t> out(rows);
    Rng rng(seed);
    for (int64_t& channel : out) channel = static_cast<int64_t>(rng.below(kChannels));
    return out;
}

// Parts of log-normal size, on scales that differ by channel; that of the broken channel times `factor`.
Matrix parts(int64_t rows, double factor, const std::vector<int64_t>& channel, uint64_t seed) {
    constexpr double kScale[] = {1, 1000, 1e-3};
    Matrix out(rows, kChannels);
    Rng rng(seed);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t c = 0; c < kChannels; ++c)
            out.row(i)[c] = static_cast<float>(kScale[c] * std::exp(0.3 * rng.normal()) *
                                               (!channel.empty() && channel[i] == c ? factor : 1));
    return out;
}

// What k-NN (which has no parts), lagged, marginal and window say; marginal is the best, then window.
CrossFitted judgement(int64_t rows, const std::vector<int64_t>& channel, uint64_t seed) {
    return {Matrix(rows, 4),
            {Matrix(), parts(rows, 1.3, channel, seed), parts(rows, 100, channel, seed + 1),
             parts(rows, 5, channel, seed + 2)}};
}

Localiser fitted(const std::vector<bool>& eligible = {true, true, true, true}) {
    const std::vector<std::vector<int64_t>> channels = {broken(200, 1), broken(200, 2)};
    const std::vector<CrossFitted> judgements = {judgement(200, {}, 3), judgement(200, channels[0], 6),
                                                 judgement(200, channels[1], 9)};
    std::vector<int64_t> rows(200);
    std::iota(rows.begin(), rows.end(), 0);
    return {kKinds, judgements, channels, rows, eligible};
}

TEST(Localiser, ChoosesTheScoreThatNamesChannelsBest) {
    const Localiser localiser = fitted();
    EXPECT_EQ(localiser.kind(), 3);  // marginal would be better, but knows nothing of causes
    EXPECT_GT(localiser.hit_rate(), 0.95);
    EXPECT_EQ(localiser.channels(), kChannels);
}

TEST(Localiser, AsksOnlyScoresThatHaveASay) {
    const Localiser localiser = fitted({true, true, true, false});
    EXPECT_EQ(localiser.kind(), 1);
    EXPECT_LT(localiser.hit_rate(), 0.95);
}

TEST(Localiser, NamesTheBrokenChannel) {
    const Localiser localiser = fitted();
    const std::vector<int64_t> channel = broken(300, 20);
    const Matrix found = localiser(parts(300, 5, channel, 21));
    int64_t hits = 0;
    for (int64_t i = 0; i < found.rows; ++i)
        hits += std::ranges::max_element(found.row(i)) - found.row(i).begin() == channel[i];
    EXPECT_GT(hits, 285);
}

TEST(Localiser, CountsInHealthyDeviations) {
    const Matrix found = fitted()(parts(2000, 1, {}, 30));
    for (int64_t c = 0; c < kChannels; ++c) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < found.rows; ++i) {
            sum += found.row(i)[c] / 2000;
            square += found.row(i)[c] * found.row(i)[c] / 2000;
        }
        EXPECT_NEAR(sum, 0, 0.2);
        EXPECT_NEAR(square, 1, 0.4);
    }
}

TEST(Localiser, ComesBackFromAFileWithTheSameBits) {
    const Localiser localiser = fitted();
    io::Safetensors file;
    Archive archive(file, "test");
    localiser.save(archive);
    const Localiser loaded(archive);
    const Matrix some = parts(50, 1, {}, 30);
    EXPECT_EQ(loaded(some).values, localiser(some).values);
    EXPECT_EQ(loaded.kind(), localiser.kind());
    EXPECT_NEAR(loaded.hit_rate(), localiser.hit_rate(), 1e-6);
}

TEST(Localiser, RefusesANumberThatIsNoScore) {
    for (const double kind : {-1.0, 1.5, 1e30}) {
        io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
        Archive archive(file, "localiser");
        archive.put("kind", kind);
        archive.put("hit_rate", 0.5);
        archive.put("median", Eigen::VectorXd(Eigen::VectorXd::Ones(2)));
        archive.put("deviation", Eigen::VectorXd(Eigen::VectorXd::Ones(2)));
        test::expect_input_error([&] { Localiser l(archive); }, {"a.cmr", "localiser.kind"});
    }
}

}  // namespace
}  // namespace cmr::score
