#include "model/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "model/tiny_model.h"

namespace cmr::model {
namespace {

Config with_groups(std::vector<ChannelGroup> groups, double cause_weight) {
    Config config;
    config.groups = std::move(groups);
    config.cause_weight = cause_weight;
    return config;
}

Config bearing() { return with_groups({{"current", false, 2}, {"vibration", true, 1}}, 0.75); }
Config pump() { return with_groups({{"power", false, 1}, {"pressure", true, 1}}, 0.0); }
Config plant() { return with_groups({{"actuators", false, 12}, {"sensors", true, 25}}, 0.0); }

std::map<std::string, io::NamedTensor> by_name(const std::vector<io::NamedTensor>& tensors) {
    std::map<std::string, io::NamedTensor> map;
    for (const io::NamedTensor& tensor : tensors) map[tensor.name] = tensor;
    return map;
}

TEST(Parameters, OfThreeKnownModelsAreCounted) {
    EXPECT_EQ(parameter_count(bearing()), 1'415'426);
    EXPECT_EQ(parameter_count(pump()), 1'308'033);
    EXPECT_EQ(parameter_count(plant()), 5'413'657);
}

TEST(Parameters, OfOneEncoderAreCounted) {
    Config two = pump(), three = pump();
    three.groups.push_back({"temperature", true, 1});
    two.effect_weight = three.effect_weight = 0.0;
    two.predictor_width = three.predictor_width = 128;
    const int64_t wider_output = 128 * 128 + 128;  // the predictor's, for one more effect channel
    EXPECT_EQ(parameter_count(three) - parameter_count(two) - wider_output, 468'480);
    int64_t encoder = 0;
    for (const ParameterSpec& spec : parameter_specs(pump()))
        if (spec.trained && spec.name.starts_with("encoders.power.")) encoder += spec.size();
    EXPECT_EQ(encoder, 468'480);
}

TEST(Parameters, OfMoreChannelsInAGroupAddNoEncoder) {
    Config one = pump(), many = pump();
    many.groups[0].channels = 7;
    EXPECT_EQ(parameter_count(many) - parameter_count(one), 6 * 128 * 128) << "the predictor's first layer alone grows";
}

TEST(Parameters, HaveDecodersOnlyWhereTheirLossCounts) {
    const auto decoders = [](const Config& config) {
        std::set<std::string> names;
        for (const ParameterSpec& spec : parameter_specs(config))
            if (spec.name.starts_with("decoders.") && spec.name.ends_with(".mix.weight"))
                names.insert(spec.name.substr(9, spec.name.size() - 9 - 11));
        return names;
    };
    EXPECT_THAT(decoders(tiny_config()), testing::ElementsAre("current", "vibration.0"));
    EXPECT_THAT(decoders(tiny_config_of_many_effects()), testing::ElementsAre("level.0", "pressure.0", "pressure.1"));
    Config none = tiny_config();
    none.cause_weight = none.effect_weight = 0.0;
    EXPECT_TRUE(decoders(none).empty());
}

TEST(Parameters, HaveNamesOfTheirOwn) {
    for (const Config& config : {bearing(), plant(), tiny_config_of_many_effects()}) {
        std::set<std::string> names;
        for (const ParameterSpec& spec : parameter_specs(config)) {
            EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
            EXPECT_GT(spec.size(), 0) << spec.name;
        }
    }
}

TEST(Parameters, StartAsTheOriginalMamba) {
    const auto tensors = by_name(initial_parameters(pump(), Rng(1)));
    for (const char* layer : {"encoders.power.layers.0.", "encoders.pressure.layers.3."}) {
        const io::NamedTensor& a_log = tensors.at(layer + std::string("a_log"));
        ASSERT_EQ(a_log.shape, (std::vector<int64_t>{256, 16}));
        for (size_t i = 0; i < a_log.values.size(); ++i)
            ASSERT_FLOAT_EQ(a_log.values[i], std::log(static_cast<float>(i % 16 + 1))) << i;
        for (const float v : tensors.at(layer + std::string("skip")).values) ASSERT_EQ(v, 1.0f);

        double smallest = 1.0, largest = 0.0, logs = 0.0;
        const auto& biases = tensors.at(layer + std::string("dt_proj.bias")).values;
        for (const float bias : biases) {
            const double step = std::log1p(std::exp(static_cast<double>(bias)));
            smallest = std::min(smallest, step);
            largest = std::max(largest, step);
            logs += std::log10(step) / static_cast<double>(biases.size());
        }
        EXPECT_GE(smallest, 0.9999e-3);
        EXPECT_LE(largest, 1.0001e-1);
        EXPECT_LT(smallest, 1.5e-3) << "256 draws reach the lower end";
        EXPECT_GT(largest, 0.7e-1) << "and the upper one";
        EXPECT_NEAR(logs, -2.0, 0.15) << "log-uniform: the mean exponent is in the middle";
    }
}

TEST(Parameters, ThatAreUniformFillTheirBounds) {
    const auto tensors = by_name(initial_parameters(pump(), Rng(1)));
    int seen = 0;
    for (const ParameterSpec& spec : parameter_specs(pump())) {
        if (spec.init != Init::uniform) continue;
        ++seen;
        ASSERT_GT(spec.bound, 0.0) << spec.name;
        double low = 0.0, high = 0.0, sum = 0.0;
        for (const float v : tensors.at(spec.name).values) {
            low = std::min(low, double{v});
            high = std::max(high, double{v});
            sum += v;
        }
        EXPECT_GE(low, -spec.bound) << spec.name;
        EXPECT_LE(high, spec.bound) << spec.name;
        const auto n = static_cast<double>(spec.size());
        EXPECT_LE(std::abs(sum) / n, 4.0 * spec.bound / std::sqrt(3.0 * n))
            << spec.name << ": four deviations of the mean";
        if (spec.size() < 100) continue;
        EXPECT_LE(low, -0.9 * spec.bound) << spec.name;
        EXPECT_GE(high, 0.9 * spec.bound) << spec.name;
    }
    EXPECT_GT(seen, 40);
}

TEST(Parameters, HaveTheBoundsOfTheirFanIn) {
    std::map<std::string, double> bounds;
    for (const ParameterSpec& spec : parameter_specs(pump())) bounds[spec.name] = spec.bound;
    const auto root = [](double fan_in) { return 1.0 / std::sqrt(fan_in); };
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.stem.conv.weight"), root(7));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.stem.conv.bias"), root(7));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.layers.0.in_proj.weight"), root(128));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.layers.0.conv.weight"), root(4));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.layers.0.x_proj.weight"), root(256));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.layers.0.dt_proj.weight"), root(8));
    EXPECT_DOUBLE_EQ(bounds.at("encoders.power.layers.0.out_proj.weight"), root(256));
    EXPECT_DOUBLE_EQ(bounds.at("predictor.fusion.weight"), root(128));
    EXPECT_DOUBLE_EQ(bounds.at("predictor.blocks.2.conv.weight"), root(5 * 128));
    EXPECT_DOUBLE_EQ(bounds.at("decoders.pressure.0.mix.weight"), root(3 * 128));
    EXPECT_DOUBLE_EQ(bounds.at("decoders.pressure.0.output.weight"), root(7 * 32));
}

TEST(Parameters, OfTheNormsStartAsTheIdentity) {
    int seen = 0;
    for (const io::NamedTensor& tensor : initial_parameters(tiny_config(), Rng(1))) {
        if (tensor.name.find("norm.") == std::string::npos) continue;
        ++seen;
        const bool scales = tensor.name.ends_with(".weight") || tensor.name.ends_with(".running_variance");
        EXPECT_THAT(tensor.values, testing::Each(scales ? 1.0f : 0.0f)) << tensor.name;
    }
    EXPECT_GT(seen, 40);
}

TEST(Parameters, OfThePredictorsOutputAreTheIdentityForOneEffectChannelAlone) {
    const auto one = by_name(initial_parameters(tiny_config(), Rng(1)));
    const io::NamedTensor& output = one.at("predictor.output.weight");
    ASSERT_EQ(output.shape, (std::vector<int64_t>{16, 16}));
    for (int i = 0; i < 16 * 16; ++i) EXPECT_EQ(output.values[i], i / 16 == i % 16 ? 1.0f : 0.0f);
    EXPECT_THAT(one.at("predictor.output.bias").values, testing::Each(0.0f));

    const auto many = by_name(initial_parameters(tiny_config_of_many_effects(), Rng(1)));
    EXPECT_EQ(many.at("predictor.output.weight").shape, (std::vector<int64_t>{48, 32}));
    EXPECT_NE(many.at("predictor.output.weight").values[1], 0.0f);
    Config wider = tiny_config();
    wider.predictor_width = 24;
    EXPECT_NE(by_name(initial_parameters(wider, Rng(1))).at("predictor.output.weight").values[1], 0.0f);
}

TEST(Parameters, AreTheSameBitsForTheSameSeed) {
    const auto first = initial_parameters(tiny_config(), Rng(7)), again = initial_parameters(tiny_config(), Rng(7));
    const auto other = by_name(initial_parameters(tiny_config(), Rng(8)));
    ASSERT_EQ(first.size(), again.size());
    for (size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].name, again[i].name);
        EXPECT_EQ(first[i].values, again[i].values) << first[i].name;
    }
    EXPECT_NE(by_name(first).at("predictor.fusion.weight").values, other.at("predictor.fusion.weight").values);
}

TEST(Parameters, OfATensorDoNotDependOnTheOthers) {
    Config more = tiny_config();
    more.groups.insert(more.groups.begin(), {.name = "speed", .effect = false, .channels = 1});
    more.layers = 3;
    const auto plain = by_name(initial_parameters(tiny_config(), Rng(7))),
               extended = by_name(initial_parameters(more, Rng(7)));
    int compared = 0;
    for (const auto& [name, tensor] : plain) {
        if (!name.starts_with("encoders.") && !name.starts_with("decoders.")) continue;
        ++compared;
        EXPECT_EQ(extended.at(name).values, tensor.values) << name;
    }
    EXPECT_GT(compared, 60);
    EXPECT_NE(extended.at("encoders.speed.stem.conv.weight").values,
              plain.at("encoders.current.stem.conv.weight").values);
    EXPECT_NE(plain.at("encoders.vibration.layers.0.in_proj.weight").values,
              plain.at("encoders.vibration.layers.1.in_proj.weight").values);
}

TEST(Parameters, OfAnImpossibleModelAreRefused) {
    Config config = tiny_config();
    config.width = 0;
    EXPECT_THROW(initial_parameters(config, Rng(1)), InputError);
}

}  // namespace
}  // namespace cmr::model
