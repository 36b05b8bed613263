// The controls on real recordings, against figures from an independent implementation in double precision (AUROC).

#include <gtest/gtest.h>

#include <map>

#include "data/load.h"
#include "data/split.h"
#include "data/window_matrix.h"
#include "linear/mechanism.h"
#include "score/auroc.h"
#include "score/features/marginal.h"
#include "score/scorers/knn_bank.h"
#include "score/scorers/pca_control.h"
#include "support/shared_data.h"

namespace cmr::score {
namespace {

namespace fs = std::filesystem;

fs::path recipe_file(const std::string& name) {
    return fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes" / name;
}

// Training and test windows of one domain, scaled.
struct Case {
    int64_t length;
    data::Dataset dataset;
    std::vector<data::Window> train, test;
    std::vector<data::SampleRange> healthy;
    data::Scaler scaler;
    std::vector<int64_t> cause_channels, effect_channels;
    Matrix train_causes, train_effects, causes, effects;

    Case(const recipe::Recipe& recipe, const fs::path& root, bool train_on_held_out)
        : length(recipe.window.length), dataset(data::load(recipe, root)) {
        const data::Fold fold = data::make_folds(dataset, recipe).front();
        train = fold.train;
        test = fold.test;
        if (train_on_held_out) {  // every window of the parts for fitting
            train.clear();
            for (size_t i = 0; i < dataset.recordings.size(); ++i)
                if (dataset.parts[dataset.recordings[i].part].role == "fit")
                    data::cut_windows(dataset, static_cast<int32_t>(i), recipe.window, recipe.window.train_stride,
                                      train);
        }
        healthy = data::covered(train, length);
        scaler = data::fit_scaler(dataset, healthy);
        cause_channels = data::moving_channels(dataset, scaler, false);
        effect_channels = data::moving_channels(dataset, scaler, true);
        train_causes = data::window_matrix(dataset, scaler, cause_channels, train, length);
        train_effects = data::window_matrix(dataset, scaler, effect_channels, train, length);
        causes = data::window_matrix(dataset, scaler, cause_channels, test, length);
        effects = data::window_matrix(dataset, scaler, effect_channels, test, length);
    }

    Matrix train_both() const { return concat_columns(train_causes, train_effects); }
    Matrix both() const { return concat_columns(causes, effects); }

    // All faulty windows against all healthy ones.
    double overall(const std::vector<float>& scores) const { return test::auroc(of(-1, scores), of(-2, scores)); }
    double mean_over_strata(const std::vector<float>& scores) const {
        const std::vector<float> negatives = of(-1, scores);
        double sum = 0;
        for (size_t s = 0; s < dataset.strata.size(); ++s)
            sum += test::auroc(negatives, of(static_cast<int>(s), scores));
        return sum / static_cast<double>(dataset.strata.size());
    }

  private:
    // Of one stratum; -1: healthy, -2: faulty.
    std::vector<float> of(int stratum, const std::vector<float>& scores) const {
        std::vector<float> out;
        for (size_t i = 0; i < test.size(); ++i) {
            const bool faulty = test[i].state == data::State::kFaulty;
            if (stratum == -1 ? !faulty : faulty && (stratum == -2 || test[i].stratum == stratum))
                out.push_back(scores[i]);
        }
        return out;
    }
};

constexpr double kNear = 0.01;

TEST(RealData, ZemaControlsReachTheKnownFigures) {
    const fs::path root = test::shared_data();
    if (root.empty()) GTEST_SKIP() << test::kNoSharedData;
    const Case zema(recipe::read_recipe(recipe_file("zema-1hz.toml")), root, false);
    ASSERT_EQ(zema.train.size(), 415u);
    const auto effects = static_cast<int64_t>(zema.effect_channels.size());

    std::map<std::string, double> found;
    found["marginal"] = zema.overall(max_of_rows(marginal_deviations(zema.effects, Levels::scaled(effects))));
    found["pca"] = zema.overall(PcaControl(zema.train_both(), 10).residual(zema.both()));
    found["knn"] = zema.overall(KnnBank(zema.train_both(), Metric::l2).score(zema.both(), 20));
    const linear::WindowRidge ridge(zema.train_causes, zema.train_effects, effects);
    found["window ridge"] = zema.overall(mean_of_rows(ridge.score(zema.causes, zema.effects)));
    for (const auto& [name, value] : found) RecordProperty(name, std::to_string(value));

    EXPECT_NEAR(found["marginal"], 0.333, kNear);
    EXPECT_NEAR(found["pca"], 0.982, kNear);
    EXPECT_NEAR(found["knn"], 0.960, kNear);
    EXPECT_GE(found["window ridge"], 0.99);
}

TEST(RealData, TepControlsReachTheKnownFigures) {
    const fs::path root = test::shared_data();
    if (root.empty()) GTEST_SKIP() << test::kNoSharedData;
    const Case tep(recipe::read_recipe(recipe_file("tep.toml")), root, true);
    ASSERT_EQ(tep.train.size(), 469u);
    ASSERT_EQ(tep.dataset.strata.size(), 21u);
    const auto effects = static_cast<int64_t>(tep.effect_channels.size());

    std::map<std::string, double> found;
    found["marginal"] = tep.mean_over_strata(max_of_rows(marginal_deviations(tep.effects, Levels::scaled(effects))));
    found["pca"] = tep.mean_over_strata(PcaControl(tep.train_both(), 30).residual(tep.both()));
    found["knn"] = tep.mean_over_strata(KnnBank(tep.train_both(), Metric::l2).score(tep.both(), 5));
    const linear::LaggedRidge lagged(tep.dataset, tep.scaler, tep.healthy, tep.cause_channels, tep.effect_channels, 3);
    found["lagged ridge"] = tep.mean_over_strata(mean_of_rows(lagged.score(tep.causes, tep.effects)));
    const linear::WindowRidge window(tep.train_causes, tep.train_effects, effects);
    found["window ridge"] = tep.mean_over_strata(mean_of_rows(window.score(tep.causes, tep.effects)));
    for (const auto& [name, value] : found) RecordProperty(name, std::to_string(value));

    EXPECT_NEAR(found["marginal"], 0.779, kNear);
    EXPECT_NEAR(found["pca"], 0.910, kNear);
    EXPECT_NEAR(found["knn"], 0.912, kNear);
    EXPECT_NEAR(found["lagged ridge"], 0.926, kNear);
    EXPECT_NEAR(found["window ridge"], 0.913, kNear);
}

}  // namespace
}  // namespace cmr::score
