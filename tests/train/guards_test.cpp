#include "train/guards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/parameters.h"
#include "support/expect_input_error.h"
#include "support/random_matrix.h"
#include "train/tiny_run.h"

namespace cmr::train {
namespace {

using test::expect_input_error;

struct Guards : testing::Test {
    void check(double untrained = 2.0, double best = 1.0) const { check_alive(model, untrained, best, windows, 32); }
    void zero(const std::string& ending) {
        for (io::NamedTensor& tensor : model.tensors)
            if (tensor.name.ends_with(ending)) std::ranges::fill(tensor.values, 0.0f);
    }

    model::Model model = [] {
        const model::Config config = TinyRun().preprocessing.config;
        return model::Model{"tiny", config, model::initial_parameters(config, Rng(1))};
    }();
    Matrix windows = test::random_matrix(8, model.config.channels() * 32, 1);
};

TEST_F(Guards, LetAModelPassThatLearned) { EXPECT_NO_THROW(check()); }

TEST_F(Guards, RefuseAWeightThatIsNotFinite) {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        model.tensors[5].values.back() = value;
        expect_input_error([&] { check(); }, {model.tensors[5].name, "a lower train.learning_rate"});
    }
}

TEST_F(Guards, RefuseAModelThatIsNoBetterThanBefore) {
    for (const double best : {2.0, 2.5, std::nan("")})
        expect_input_error([&] { check(2.0, best); },
                           {"learned nothing", "was 2 before training", "cmr inspect", "--method untrained"});
}

TEST_F(Guards, RefuseEmbeddingsThatDoNotDependOnTheWindow) {
    zero("answer.stem.conv.weight");
    expect_input_error([&] { check(); }, {"embeddings of group answer collapsed", "model.effect_weight above 0"});
}

TEST_F(Guards, RefuseEmbeddingsThatAreNothing) {
    zero("answer.norm.weight");
    zero("answer.norm.bias");
    expect_input_error([&] { check(); }, {"embeddings of group answer collapsed"});
}

TEST_F(Guards, LookAtTheEffectsOnly) {
    zero("drive.stem.conv.weight");
    EXPECT_NO_THROW(check());
}

}  // namespace
}  // namespace cmr::train
