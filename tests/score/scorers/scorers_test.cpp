#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "score/auroc.h"
#include "score/features/standardizer.h"
#include "score/scorers/knn_bank.h"
#include "score/small_plant.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

using data::State;
using test::expect_input_error;
using test::SmallPlant;

// One plant for all: fitting is what takes time.
const SmallPlant& plant(const std::string& effect_input = "signal") {
    static const SmallPlant signal;
    static const SmallPlant both([](recipe::Recipe& recipe) { recipe.model.effect_input = "both"; });
    return effect_input == "both" ? both : signal;
}

struct Saved {
    io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
    Archive archive{file, "s"};

    explicit Saved(const Scorer& scorer) { scorer.save(archive); }
};

class EveryScorer : public testing::TestWithParam<const ScorerKind*> {
  protected:
    void TearDown() override { set_thread_count(before_); }
    const ScorerKind& kind() const { return *GetParam(); }
    int before_ = thread_count();
};

TEST_P(EveryScorer, ComesBackFromAFileWithTheSameBits) {
    for (const char* effect_input : {"signal", "both"}) {
        const SmallPlant& p = plant(effect_input);
        const auto fitted = kind().fit(p.healthy());
        const Saved saved(*fitted);
        const auto loaded = kind().load(saved.archive, p.setting());
        const Features windows = p.features(p.fold.test);
        EXPECT_EQ(loaded->judge(windows).scores, fitted->judge(windows).scores);
        EXPECT_EQ(loaded->judge(windows).by_channel.values, fitted->judge(windows).by_channel.values);
        const Saved again(*loaded);
        ASSERT_EQ(again.file.tensors.size(), saved.file.tensors.size());
        for (size_t i = 0; i < saved.file.tensors.size(); ++i)
            EXPECT_EQ(again.file.tensors[i].values, saved.file.tensors[i].values) << saved.file.tensors[i].name;
    }
}

TEST_P(EveryScorer, AWindowDoesNotSeeTheOthersNorTheThreads) {
    const SmallPlant& p = plant();
    const auto scorer = kind().fit(p.healthy());
    const Features windows = p.features(p.fold.test);
    set_thread_count(1);
    const std::vector<float> all = scorer->judge(windows).scores;
    set_thread_count(3);
    EXPECT_EQ(scorer->judge(windows).scores, all);
    for (int64_t i = 0; i < windows.rows(); ++i)
        EXPECT_EQ(scorer->judge(windows.chosen({i})).scores, std::vector{all[i]});
}

// The network as if it had learned one thing: the mean healthy embedding.
model::Model that_knows_the_mean(const SmallPlant& p) {
    model::Model out = p.network;
    const auto tensor = [&](const char* name) -> std::vector<float>& {
        return std::ranges::find(out.tensors, name, &io::NamedTensor::name)->values;
    };
    std::ranges::fill(tensor("predictor.output.weight"), 0.0f);
    std::vector<float>& bias = tensor("predictor.output.bias");
    std::ranges::fill(bias, 0.0f);
    const Matrix mean = p.features(p.fold.train)["effects.mean"];
    for (int64_t i = 0; i < mean.rows; ++i)
        for (size_t f = 0; f < bias.size(); ++f) bias[f] += mean.row(i)[f] / static_cast<float>(mean.rows);
    return out;
}

TEST_P(EveryScorer, IsHigherWhereAnEffectIsFarOff) {
    const SmallPlant& p = plant();
    const model::Model network = that_knows_the_mean(p);
    const Embedder embedder(network, p.preprocessing.inputs, {.poolings = {p.recipe.score.pooling}});
    Healthy fitted_on = p.healthy();
    fitted_on.features = embedder.embed(fitted_on.features.causes, fitted_on.features.effects);
    const auto scorer = kind().fit(fitted_on);
    const std::vector<data::Window> windows = p.tested(State::kHealthy);
    const Matrix causes = p.preprocessing.cause_windows(p.dataset, windows, test::kPlantLength);
    const Matrix effects = p.preprocessing.effect_windows(p.dataset, windows, test::kPlantLength);
    Matrix spoiled = effects;
    for (int64_t i = 0; i < spoiled.rows; ++i)
        for (float& value : spoiled.row(i).first(test::kPlantLength)) value = 4 - 2 * value;
    const std::vector<float> healthy = scorer->judge(embedder.embed(causes, effects)).scores;
    const std::vector<float> faulty = scorer->judge(embedder.embed(causes, std::move(spoiled))).scores;
    const auto mean = [](const std::vector<float>& s) {
        return std::accumulate(s.begin(), s.end(), 0.0) / static_cast<double>(s.size());
    };
    if (kind().name != "random") {
        EXPECT_GT(mean(faulty), mean(healthy));
    }
    const double auroc = test::auroc(healthy, faulty);
    if (kind().name == "random")
        EXPECT_NEAR(auroc, 0.5, 0.1);
    else if (kind().name == "pca-t2")  // sees on the plane only, and what is off is mostly beside it
        EXPECT_GT(auroc, 0.55);
    else
        EXPECT_GT(auroc, 0.7);
}

TEST_P(EveryScorer, HasPartsWhereTheTableSaysSo) {
    for (const char* effect_input : {"signal", "both"}) {
        const SmallPlant& p = plant(effect_input);
        const auto scorer = kind().fit(p.healthy());
        const Features windows = p.features(p.fold.test);
        const auto [scores, parts] = scorer->judge(windows);
        if (!kind().parts) {
            EXPECT_EQ(parts.columns, 0);
            continue;
        }
        ASSERT_EQ(parts.columns, 3);
        for (int64_t i = 0; i < windows.rows(); ++i) {
            const auto row = parts.row(i);
            // Drift: what one alone is the reason of. Residuals: the coupled channels, 0 and 1. Marginal: the largest.
            // Else the mean.
            if (kind().name == "drift") {
                EXPECT_LE(std::ranges::max(row), 3 * scores[i] * (1 + 1e-5f));
                continue;
            }
            const float whole = kind().name.starts_with("residual") ? (row[0] + row[1]) / 2
                                : kind().name == "marginal"         ? std::ranges::max(row)
                                                                    : (row[0] + row[1] + row[2]) / 3;
            EXPECT_NEAR(scores[i], whole, 1e-5f * std::abs(whole));
        }
    }
}

// Whatever a file says, loading gives a scorer that fits the windows, or an InputError.
TEST_P(EveryScorer, RefusesAFileThatDoesNotFit) {
    const SmallPlant& p = plant();
    const Saved saved(*kind().fit(p.healthy()));
    for (size_t i = 0; i < saved.file.tensors.size(); ++i) {
        Saved without = saved;
        without.archive = Archive(without.file, "s");
        without.file.tensors.erase(without.file.tensors.begin() + static_cast<int64_t>(i));
        expect_input_error([&] { kind().load(without.archive, p.setting()); }, {"a.cmr", saved.file.tensors[i].name});
    }
}

std::vector<const ScorerKind*> every_kind() {
    std::vector<const ScorerKind*> out;
    for (const ScorerKind& kind : scorer_kinds())
        if (kind.needs != Needs::kRival) out.push_back(&kind);
    return out;
}

INSTANTIATE_TEST_SUITE_P(Scorers, EveryScorer, testing::ValuesIn(every_kind()), [](const auto& kind) {
    std::string name(kind.param->name);
    std::erase(name, '-');
    return name;
});

TEST(Scorers, CosineComesBackFromAFileWithTheSameBits) {
    const SmallPlant p([](recipe::Recipe& recipe) { recipe.score.metric = "cosine"; });
    const ScorerKind& knn = scorer_named("knn");
    const auto fitted = knn.fit(p.healthy());
    const Saved saved(*fitted);
    const Features windows = p.features(p.fold.test);
    EXPECT_EQ(knn.load(saved.archive, p.setting())->judge(windows).scores, fitted->judge(windows).scores);
}

// Channels of one quantity need not stand together in the data; the network has them so.
TEST(Scorers, NameTheEffectAndNotItsPlaceInTheNetwork) {
    SmallPlant p;
    const std::vector<data::Channel> effects = {
        {"inlet", true, "pressure"}, {"flow", true, "flow"}, {"outlet", true, "pressure"}};
    p.preprocessing.inputs = model::Inputs(p.preprocessing.inputs.causes(), effects, "signal", std::nullopt);
    Healthy healthy = p.healthy();
    Features windows = healthy.features;
    for (int64_t i = 0; i < windows.rows(); ++i)  // spoil what the network has second: the outlet
        for (float& value : windows["effects.mean"].row(i).subspan(16, 16)) value += 5;
    for (int64_t i = 0; i < windows.rows(); ++i)
        for (float& value : windows["residual.square"].row(i).subspan(16, 16)) value += 5;
    for (const char* name : {"readout", "residual", "residual-standard"}) {
        const Matrix parts = scorer_named(name).fit(healthy)->judge(windows).by_channel;
        for (int64_t i = 0; i < parts.rows; ++i)
            EXPECT_EQ(std::ranges::max_element(parts.row(i)) - parts.row(i).begin(), 2) << name;
    }
}

TEST(Scorers, ReadoutHasThePenaltyThatForetellsLaterBlocksBest) {
    const SmallPlant& p = plant();
    const Healthy healthy = p.healthy();
    const auto standard = [](const Matrix& a, const Matrix& b) {
        const Matrix both = concat_columns(a, b);
        return Standardizer(both)(both);
    };
    const Matrix causes = standard(healthy.features["causes.mean"], healthy.features["causes.std"]);
    const Matrix effects = standard(healthy.features["effects.mean"], healthy.features["effects.std"]);
    const auto penalty = [&](linear::Penalty choice) {
        return linear::WindowRidge(causes, effects, 1, linear::kMostInputs, choice).ridge().penalty;
    };
    const double forward = penalty(linear::Penalty::kForward);
    ASSERT_NE(forward, penalty(linear::Penalty::kLeftOut));
    const Saved saved(*scorer_named("readout").fit(healthy));
    EXPECT_NEAR(saved.archive.number("penalty"), forward, 1e-6 * forward);
}

// The mean of white residuals over a window, less that of the healthy windows, in which it is white.
TEST(Scorers, DriftIsTheSquaredDistanceOfTheMeanResidual) {
    const SmallPlant& p = plant();
    const Healthy healthy = p.healthy();
    const auto drift = scorer_named("drift").fit(healthy);
    const Saved saved(*drift);
    const Eigen::VectorXd mean = saved.archive.vector("mean");
    const Eigen::MatrixXd whitening = saved.archive.doubles("whitening");
    ASSERT_TRUE(healthy.dynamic);
    const Features windows = p.features(p.fold.test);
    const Matrix residuals = healthy.dynamic->mean(windows.causes, windows.effects);
    const std::vector<float> tested = drift->judge(windows).scores;
    for (int64_t i = 0; i < residuals.rows; ++i) {
        const Eigen::VectorXd off =
            whitening * (Eigen::Map<const Eigen::Vector3f>(residuals.row(i).data()).cast<double>() - mean);
        EXPECT_NEAR(tested[i], off.squaredNorm() / 3, 1e-5 * (1 + off.squaredNorm()));
    }
    const std::vector<float> scores = drift->judge(healthy.features).scores;
    EXPECT_NEAR(std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size()), 1.0, 0.1);
}

// What is foretold from the past of a sensor that is shown elsewhere is off, too; it is that sensor alone that is
// blamed.
TEST(Scorers, DriftBlamesTheSensorThatIsShownElsewhereAndNoEcho) {
    const Healthy healthy = plant().healthy();
    const auto drift = scorer_named("drift").fit(healthy);
    const Matrix usual = drift->judge(healthy.features).by_channel;
    for (int64_t shown = 0; shown < 3; ++shown) {
        Features windows = healthy.features;
        const int64_t length = windows.effects.columns / 3;
        for (int64_t i = 0; i < windows.effects.rows; ++i)
            for (float& value : windows.effects.row(i).subspan(shown * length, length)) value += 20;
        const Judged judged = drift->judge(windows);
        for (int64_t i = 0; i < usual.rows; ++i) {
            const auto parts = judged.by_channel.row(i);
            EXPECT_GT(parts[shown], 0.9 * 3 * judged.scores[i]) << "its direction is what moved";
            for (int64_t c = 0; c < 3; ++c)
                if (c != shown) EXPECT_LE(parts[c], 3 * *std::ranges::max_element(usual.row(i)) + 1e-3) << shown << c;
        }
    }
}

TEST(Scorers, LookBackNoFurtherThanTheWindow) {
    for (const int64_t lags : {2, 40}) {
        const SmallPlant p([&](recipe::Recipe& recipe) { recipe.score.lags = lags; });
        for (const char* name : {"lagged", "cva", "dpca"}) {
            const Saved saved(*scorer_named(name).fit(p.healthy()));
            EXPECT_EQ(saved.archive.number("lags"), std::min(lags, test::kPlantLength - 1)) << name;
        }
    }
}

// Fitted and judged in the order of causes, then effects: of healthy windows the first has the variance that is left
// beside its plane, the second less than one for each lagged number, as some of them tell of the future.
TEST(Scorers, OfLaggedSamplesHaveTheCausesFirst) {
    const Healthy healthy = plant().healthy();
    const auto mean_of = [&](const Scorer& scorer) {
        const std::vector<float> scores = scorer.judge(healthy.features).scores;
        return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
    };
    constexpr double kNumbers = 5 * 3;  // five channels of variance one, now and two samples before
    const auto dpca = scorer_named("dpca").fit(healthy);
    const double beside = kNumbers - Saved(*dpca).archive.vector("variances").sum();
    EXPECT_NEAR(mean_of(*dpca), beside, 0.1 * beside);
    EXPECT_LT(mean_of(*scorer_named("cva").fit(healthy)), kNumbers);
}

TEST(Scorers, PcaHasThePlaneOfTheRecipe) {
    const Saved saved(*scorer_named("pca").fit(plant().healthy()));
    EXPECT_EQ(saved.archive.sibling("plane").vector("variances").size(), plant().recipe.score.components);
}

// By the paper's protocol, in which banks are exact.
TEST(Scorers, NeighboursAreThoseOfTheirVectors) {
    const SmallPlant p([](recipe::Recipe& recipe) { recipe.split.protocol = "paper"; });
    const Healthy healthy = p.healthy();
    const Features windows = p.features(p.tested(State::kFaulty));
    const Pooling pooling(p.recipe.score.pooling, healthy.features);
    const auto expect = [&](const char* name, const Matrix& bank, const Matrix& queries) {
        const std::vector<float> found = scorer_named(name).fit(healthy)->judge(windows).scores;
        EXPECT_EQ(found, KnnBank(bank, Metric::l2).score(queries, 3)) << name;
    };
    expect("knn", pooling(healthy.features), pooling(windows));
    expect("residual-manifold", healthy.features["residual.mean"], windows["residual.mean"]);
    expect("raw-knn", joined_samples(healthy.features), joined_samples(windows));
}

TEST(Scorers, SayWhatIsWrong) {
    expect_input_error([] { scorer_named("residuals"); }, {"residuals", "did you mean residual?"});
    const SmallPlant p([](recipe::Recipe& recipe) { recipe.score.k = 10'000; });
    const auto scorer = scorer_named("raw-knn").fit(p.healthy());
    expect_input_error([&] { scorer->judge(p.healthy().features).scores; }, {"k = 10000"});
}

}  // namespace
}  // namespace cmr::score
