#include "model/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::model {
namespace {

using testing::ElementsAre;

constexpr int64_t kLength = 6, kLags = 2;

const std::vector<data::Channel> kCauses = {
    {"speed", false, "drive"}, {"valve", false, "valve"}, {"load", false, "drive"}};
const std::vector<data::Channel> kEffects = {
    {"inlet", true, "pressure"}, {"flow", true, "flow"}, {"outlet", true, "pressure"}};

// A mechanism that explains nothing: the residual is the effect itself.
linear::LaggedRidge no_mechanism() {
    linear::Ridge ridge{Eigen::VectorXd::Zero(9), Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Zero(9, 3),
                        Eigen::VectorXd::Ones(3), 0};
    return {std::move(ridge), 3, 3, kLags};
}

Inputs inputs(const std::string& effect_input) {
    return {kCauses, kEffects, effect_input, effect_input == "signal" ? std::nullopt : std::optional(no_mechanism())};
}

std::vector<std::string> described(const Inputs& inputs) {
    std::vector<std::string> out;
    for (const ChannelGroup& group : inputs.groups())
        out.push_back(fmt::format("{} {} {}", group.effect ? "effect" : "cause", group.name, group.channels));
    return out;
}

// The channels that the network sees of one window, each as a row.
Matrix assembled(const Inputs& inputs, const Matrix& causes, const Matrix& effects, int64_t window) {
    std::vector<float> out(causes.rows * inputs.channels() * kLength, NAN);
    inputs.assemble(causes, effects, out.data());
    Matrix rows(inputs.channels(), kLength);
    std::copy_n(out.data() + window * inputs.channels() * kLength, rows.values.size(), rows.values.begin());
    return rows;
}

std::vector<float> channel(const Matrix& windows, int64_t window, int64_t index) {
    const auto samples = windows.row(window).subspan(index * kLength, kLength);
    return {samples.begin(), samples.end()};
}

std::vector<float> row(const Matrix& rows, int64_t index) { return {rows.row(index).begin(), rows.row(index).end()}; }

TEST(Inputs, SortsChannelsByGroupCausesFirst) {
    EXPECT_THAT(described(inputs("signal")),
                ElementsAre("cause drive 2", "cause valve 1", "effect pressure 2", "effect flow 1"));
    EXPECT_THAT(
        described(inputs("innovation")),
        ElementsAre("cause drive 2", "cause valve 1", "effect pressure-innovation 2", "effect flow-innovation 1"));
    EXPECT_THAT(described(inputs("both")),
                ElementsAre("cause drive 2", "cause valve 1", "effect pressure 2", "effect flow 1",
                            "effect pressure-innovation 2", "effect flow-innovation 1"));
    EXPECT_EQ(inputs("signal").channels(), 6);
    EXPECT_EQ(inputs("both").channels(), 9);
}

TEST(Inputs, TellsWhichEffectEachChannelShows) {
    EXPECT_THAT(inputs("signal").shown_effects(), ElementsAre(0, 2, 1));
    EXPECT_THAT(inputs("innovation").shown_effects(), ElementsAre(0, 2, 1));
    EXPECT_THAT(inputs("both").shown_effects(), ElementsAre(0, 2, 1, 0, 2, 1));
}

TEST(Inputs, HandsSignalsOnAsTheyAre) {
    const Matrix causes = test::random_matrix(4, 3 * kLength, 1), effects = test::random_matrix(4, 3 * kLength, 2);
    const Matrix seen = assembled(inputs("signal"), causes, effects, 2);
    const std::vector<int64_t> cause_order = {0, 2, 1}, effect_order = {0, 2, 1};
    for (int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(row(seen, i), channel(causes, 2, cause_order[i]));
        EXPECT_EQ(row(seen, 3 + i), channel(effects, 2, effect_order[i]));
    }
}

TEST(Inputs, AnInnovationBeginsWithZerosWhereLaggedCausesAreMissing) {
    const Matrix causes = test::random_matrix(4, 3 * kLength, 1), effects = test::random_matrix(4, 3 * kLength, 2);
    for (const char* kind : {"innovation", "both"}) {
        const Matrix seen = assembled(inputs(kind), causes, effects, 3);
        const int64_t first = seen.rows - 3;
        const std::vector<int64_t> order = {0, 2, 1};
        for (int64_t i = 0; i < 3; ++i) {
            std::vector<float> expected = channel(effects, 3, order[i]);
            std::fill_n(expected.begin(), kLags, 0.0f);
            EXPECT_EQ(row(seen, first + i), expected) << kind;
        }
    }
    const Matrix both = assembled(inputs("both"), causes, effects, 0);
    EXPECT_EQ(row(both, 4), channel(effects, 0, 2));  // and the signal stands there too
}

TEST(Inputs, AnInnovationIsWhatTheCausesDoNotExplain) {
    linear::Ridge ridge = no_mechanism().ridge();
    ridge.weights(3 * 1 + 1, 2) = 0.5;  // outlet[t] ≈ 0.5 valve[t - 1] + 1
    ridge.output_mean(2) = 1;
    ridge.deviation(2) = 0.25;
    const Inputs inputs(kCauses, kEffects, "innovation", linear::LaggedRidge(ridge, 3, 3, kLags));
    const Matrix causes = test::random_matrix(1, 3 * kLength, 1), effects = test::random_matrix(1, 3 * kLength, 2);
    const Matrix seen = assembled(inputs, causes, effects, 0);
    const auto valve = channel(causes, 0, 1), outlet = channel(effects, 0, 2);
    for (int64_t t = kLags; t < kLength; ++t)
        EXPECT_NEAR(seen.row(4)[t], (outlet[t] - 0.5f * valve[t - 1] - 1) / 0.25f, 1e-5f);
}

TEST(Inputs, NeedChannelsOnBothSides) {
    test::expect_input_error([] { Inputs({}, kEffects, "signal", {}); }, {"0 cause and 3 effect"});
    test::expect_input_error([] { Inputs(kCauses, {}, "signal", {}); }, {"3 cause and 0 effect"});
    EXPECT_THROW(Inputs(kCauses, kEffects, "both", {}), InternalError);
}

// With nothing foretold all of an effect is left; with half of what the network sees of it, half, in the effect's
// units.
TEST(Inputs, TellWhatIsLeftOfEffectsThatAreForetold) {
    linear::Ridge ridge{Eigen::VectorXd::Zero(9), Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Zero(9, 3),
                        Eigen::Vector3d(0.5, 2, 4), 0};
    for (const std::string effect_input : {"signal", "innovation", "both"}) {
        const bool innovation = effect_input != "signal";
        const Inputs in(kCauses, kEffects, effect_input,
                        innovation ? std::optional(linear::LaggedRidge(ridge, 3, 3, kLags)) : std::nullopt);
        EXPECT_EQ(in.foretold_from(), innovation ? kLags : 0);
        const Matrix causes = test::random_matrix(2, 3 * kLength, 1), effects = test::random_matrix(2, 3 * kLength, 2);
        std::vector<float> x(2 * in.channels() * kLength);
        in.assemble(causes, effects, x.data());
        const auto shown = std::ssize(in.shown_effects());
        std::vector<float> half;
        for (int64_t w = 0; w < 2; ++w)
            for (int64_t i = (in.channels() - shown) * kLength; i < in.channels() * kLength; ++i)
                half.push_back(x[w * in.channels() * kLength + i] / 2);
        const Matrix left = in.unforetold(2, kLength, x.data(), half.data());
        for (int64_t w = 0; w < 2; ++w)
            for (int64_t c = 0; c < 3; ++c)
                for (int64_t t = in.foretold_from(); t < kLength; ++t)
                    EXPECT_NEAR(left.row(w)[c * kLength + t], effects.row(w)[c * kLength + t] / 2, 1e-6)
                        << effect_input << ", window " << w << ", effect " << c << ", sample " << t;
    }
}

}  // namespace
}  // namespace cmr::model
