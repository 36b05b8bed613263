#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/methods/method.h"
#include "model/tiny_model.h"
#include "support/expect_input_error.h"

namespace cmr::model {
namespace {

using Json = nlohmann::ordered_json;
using test::expect_input_error;

Config read(const std::string& text) { return config_from_json(text, "a.cmr"); }

void expect_refused(const Json& json, std::vector<std::string> words) {
    words.push_back("a.cmr: ");
    SCOPED_TRACE(json.dump().substr(0, 300));
    expect_input_error([&] { read(json.dump()); }, words);
}

Json good() { return Json::parse(to_json(tiny_config())); }

TEST(Config, ComesBackFromJsonAsItWas) {
    for (Config config : {tiny_config(), tiny_config_of_many_effects()}) {
        config.mechanism_weight = 0.1 + 0.2;  // not a short number
        config.stop_gradient = false;
        config.predictor_width = 24;
        const Config found = read(to_json(config));
        EXPECT_EQ(to_json(found), to_json(config));
        EXPECT_EQ(found.mechanism_weight, config.mechanism_weight);
        EXPECT_FALSE(found.stop_gradient);
        EXPECT_EQ(found.groups.at(1).name, config.groups[1].name);
        EXPECT_EQ(found.groups.at(1).effect, config.groups[1].effect);
        EXPECT_EQ(found.groups.at(1).channels, config.groups[1].channels);
    }
}

TEST(Config, CountsItsChannels) {
    const Config config = tiny_config_of_many_effects();
    EXPECT_EQ(config.channels(), 6);
    EXPECT_EQ(config.cause_channels(), 3);
    EXPECT_EQ(config.effect_channels(), 3);
}

TEST(Config, GivesATokenForEveryFourSamplesBegun) {
    const Config config;
    for (const auto& [length, tokens] :
         {std::pair{1, 1}, {2, 1}, {4, 1}, {5, 2}, {8, 2}, {9, 3}, {256, 64}, {6000, 1500}, {32768, 8192}})
        EXPECT_EQ(config.tokens(length), tokens) << length << " samples";
}

TEST(Config, MakesThePredictorAsWideAsATokenForOneEffectAndTwiceThatForSeveral) {
    Config config = tiny_config();
    EXPECT_EQ(config.hidden(), 16);
    EXPECT_EQ(tiny_config_of_many_effects().hidden(), 32);
    config.predictor_width = 24;
    EXPECT_EQ(config.hidden(), 24);
}

TEST(Config, RefusesAMissingField) {
    const Json whole = good();
    for (const auto& [name, value] : whole.items()) {
        Json json = whole;
        json.erase(name);
        if (name != "method") expect_refused(json, {name, "missing"});
    }
    for (const char* name : {"name", "effect", "channels"}) {
        Json json = whole;
        json["groups"][1].erase(name);
        expect_refused(json, {"groups[1]." + std::string(name), "missing"});
    }
}

TEST(Config, KnowsTheMethodsThatRecipesKnow) {
    std::vector<std::string_view> names;
    for (const Method& method : methods()) names.push_back(method.name);
    EXPECT_THAT(recipe::kMethods, testing::ElementsAreArray(names));
    EXPECT_EQ(names.front(), "cmr");
    expect_input_error([] { method_named("svd"); }, {"\"svd\"", "did you mean svdd?"});
}

TEST(Config, OfAFileFromBeforeThereWereRivalsIsThatOfCmr) {
    Json json = good();
    json.erase("method");
    EXPECT_EQ(config_from_json(json.dump(), "a.cmr").method, "cmr");
}

TEST(Config, StoresAPrecisionOtherThanFloat32) {
    Config config = tiny_config();
    EXPECT_FALSE(Json::parse(to_json(config)).contains("precision")) << "files of float32 stay as they were";
    EXPECT_EQ(read(to_json(config)).scoring_precision(), kernels::Precision::float32);
    config.precision = "bf16x3";
    EXPECT_EQ(read(to_json(config)).scoring_precision(), kernels::Precision::bf16x3);
    EXPECT_EQ(read(to_json(config)).training_precision(), kernels::Precision::bf16x3);
    config.precision = "bf16";
    EXPECT_EQ(read(to_json(config)).scoring_precision(), kernels::Precision::bf16);
    EXPECT_EQ(config.training_precision(), kernels::Precision::float32) << "bf16 is for scoring";
    Json json = good();
    json["precision"] = "fp16";
    expect_refused(json, {"precision", "\"fp16\"", "float32, bf16x3 or bf16"});
}

TEST(Config, RefusesAnUnknownField) {
    Json json = good();
    json["widht"] = 16;
    expect_refused(json, {"unknown", "widht"});
    json = good();
    json["groups"][0]["unit"] = "A";
    expect_refused(json, {"unknown", "unit"});
}

TEST(Config, RefusesAFieldOfAnotherKind) {
    const Json whole = good();
    for (const auto& [name, value] : whole.items())
        for (const Json& wrong : {Json(nullptr), Json("1"), Json::object(), Json::array({Json::array()})}) {
            Json json = whole;
            json[name] = wrong;
            // null is NaN where a number is wanted, and no setting may be that.
            expect_refused(json, {name, wrong.is_null() ? "" : "must be"});
        }
    for (const char* name : {"width", "layers", "state", "stem_stride", "predictor_blocks"})
        for (const Json& wrong : {Json(1.5), Json(16.0), Json(true), Json(uint64_t{1} << 63)}) {
            Json json = whole;
            json[name] = wrong;
            expect_refused(json, {name, "whole number"});
        }
    Json json = whole;
    json["stop_gradient"] = 1;
    expect_refused(json, {"stop_gradient", "true or false"});
    json = whole;
    json["groups"][0]["name"] = 3;
    expect_refused(json, {"groups[0].name", "a text"});
}

TEST(Config, RefusesWhatIsNoObject) {
    for (const char* text : {"", "{", "[]", "3", "null", "\"{}\"", "{} {}", "{\"width\": nan}", "{\"width\": 1e999}"})
        expect_input_error([&] { read(text); }, {"a.cmr: "});
    expect_input_error([&] { read(std::string(100'000, '[')); }, {"a.cmr: "});
}

TEST(Config, RefusesSizesThatNoModelHas) {
    for (const char* name :
         {"width", "state", "conv", "expand", "rank", "stem_kernel", "stem_stride", "predictor_kernel"})
        for (const int64_t size : {int64_t{0}, int64_t{-1}, INT64_MIN, int64_t{1} << 20, INT64_MAX}) {
            Json json = good();
            json[name] = size;
            expect_refused(json, {name, std::to_string(size)});
        }
    for (const char* name : {"layers", "predictor_width", "predictor_blocks"})
        for (const int64_t size : {int64_t{-1}, int64_t{1} << 20, INT64_MAX}) {
            Json json = good();
            json[name] = size;
            expect_refused(json, {name, std::to_string(size)});
        }
    for (const char* name : {"dropout", "mechanism_weight", "effect_weight", "cause_weight"})
        for (const double weight : {-1e-9, -1.0, 1e300}) {
            Json json = good();
            json[name] = weight;
            expect_refused(json, {name});
        }
    Json json = good();
    json["dropout"] = 1.0;
    expect_refused(json, {"dropout"});
    json = good();
    json["stem_kernel"] = 6;
    expect_refused(json, {"stem_kernel", "odd"});
}

TEST(Config, RefusesGroupsThatNoModelHas) {
    const auto with = [](const Json& groups) {
        Json json = good();
        json["groups"] = groups;
        return json;
    };
    const auto group = [](const std::string& name, bool effect, int64_t channels) {
        return Json{{"name", name}, {"effect", effect}, {"channels", channels}};
    };
    expect_refused(with(Json::array()), {"at least one cause and one effect"});
    expect_refused(with(Json::array({group("x", false, 1)})), {"at least one cause and one effect"});
    expect_refused(with(Json::array({group("y", true, 1)})), {"at least one cause and one effect"});
    expect_refused(with({group("x", false, 1), group("x", true, 1)}), {"two channel groups", "x"});
    for (const char* name : {"", "a.b", "a b", "a\tb"})
        expect_refused(with({group(name, false, 1), group("y", true, 1)}), {"channel group"});
    for (const int64_t channels : {int64_t{0}, int64_t{-1}, int64_t{1} << 40, INT64_MAX})
        expect_refused(with({group("x", false, channels), group("y", true, 1)}),
                       {"channels", std::to_string(channels)});
}

TEST(Config, RefusesADecoderThatCannotUndoTheStem) {
    Config config = tiny_config();
    config.stem_stride = 2;
    expect_input_error([&] { check(config, "here"); }, {"here: ", "stem_stride"});
    config = tiny_config();
    config.width = 18;
    expect_input_error([&] { check(config, "here"); }, {"here: ", "width"});
    config.effect_weight = config.cause_weight = 0.0;  // no decoder: any width will do
    EXPECT_NO_THROW(check(config, "here"));
}

TEST(Config, RefusesNotANumber) {
    for (double Config::*weight :
         {&Config::dropout, &Config::mechanism_weight, &Config::effect_weight, &Config::cause_weight})
        for (const double value : {NAN, INFINITY}) {
            Config config = tiny_config();
            config.*weight = value;
            expect_input_error([&] { check(config, "here"); }, {"here: "});
        }
}

// What a file holds must not reach the terminal as it is.
TEST(Config, KeepsControlCharactersAndEndlessNamesOutOfMessages) {
    const std::string name = "\x1b[31m" + std::string(100'000, 'n');
    std::vector<Json> hostile(3, good());
    hostile[0][name] = 1;
    hostile[1]["groups"][0]["name"] = name + " ";
    hostile[2]["groups"][0]["name"] = hostile[2]["groups"][1]["name"] = name;
    for (const Json& json : hostile) {
        try {
            read(json.dump());
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_EQ(message.find('\x1b'), std::string::npos);
            EXPECT_LT(message.size(), 400u);
        }
    }
}

}  // namespace
}  // namespace cmr::model
