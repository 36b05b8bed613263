#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "io/file.h"
#include "model/tiny_model.h"
#include "support/expect_input_error.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr::model {
namespace {

using test::expect_input_error;
using Json = nlohmann::ordered_json;

void write_at_once(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

class ModelFile : public testing::Test {
  protected:
    // What load_model says of the file that `change` made out of a good one.
    template <typename Change>
    void expect_refused(const Change& change, std::vector<std::string> words) {
        save_model(path_, model_);
        io::Safetensors file = io::read_safetensors(path_);
        change(file);
        io::write_safetensors(path_, file);
        words.push_back(path_.string() + ": ");
        expect_input_error([&] { load_model(path_); }, words);
    }
    template <typename Change>
    void expect_settings_refused(const Change& change, const std::vector<std::string>& words) {
        expect_refused(
            [&](io::Safetensors& file) {
                Json settings = Json::parse(file.metadata.at("config"));
                change(settings);
                file.metadata["config"] = settings.dump();
            },
            words);
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_ / "m.cmr";
    Model model_ = used_model(tiny_config());
};

void expect_same(const Model& found, const Model& wanted) {
    EXPECT_EQ(to_json(found.config), to_json(wanted.config));
    ASSERT_EQ(found.tensors.size(), wanted.tensors.size());
    for (size_t i = 0; i < found.tensors.size(); ++i) {
        EXPECT_EQ(found.tensors[i].name, wanted.tensors[i].name);
        EXPECT_EQ(found.tensors[i].shape, wanted.tensors[i].shape) << found.tensors[i].name;
        EXPECT_EQ(found.tensors[i].values, wanted.tensors[i].values) << found.tensors[i].name;
    }
}

TEST_F(ModelFile, ReturnsEveryBit) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        const Model model = used_model(config);
        save_model(path_, model);
        const Model found = load_model(path_);
        expect_same(found, model);
        EXPECT_EQ(found.source, path_.string());
    }
}

TEST_F(ModelFile, IsTheSameBytesAfterLoadingAndSaving) {
    save_model(path_, model_);
    save_model(folder_ / "again", load_model(path_));
    EXPECT_EQ(io::read_file(folder_ / "again"), io::read_file(path_));
}

TEST_F(ModelFile, TellsWhatItIs) {
    save_model(path_, model_);
    const auto metadata = io::read_safetensors(path_).metadata;
    EXPECT_EQ(metadata.at("format"), "cmr-model");
    EXPECT_EQ(metadata.at("schema"), "1");
    EXPECT_EQ(metadata.at("version"), version());
    EXPECT_EQ(metadata.at("config"), to_json(model_.config));
}

TEST_F(ModelFile, MayHoldItsTensorsInAnyOrder) {
    save_model(path_, model_);
    io::Safetensors file = io::read_safetensors(path_);
    std::reverse(file.tensors.begin(), file.tensors.end());
    io::write_safetensors(path_, file);
    expect_same(load_model(path_), model_);
}

TEST_F(ModelFile, OpensInPythonWithNothingButNumpy) {
    if (test::run_command("/usr/bin/python3 -c 'import numpy' 2>&1").exit_code != 0)
        GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    const std::string script = R"(
import json, struct, sys
import numpy as np
raw = open(sys.argv[1], "rb").read()
length, = struct.unpack("<Q", raw[:8])
header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
metadata = header.pop("__metadata__")
config = json.loads(metadata["config"])
print(metadata["format"], metadata["schema"], config["width"], [group["name"] for group in config["groups"]])
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    values = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    print(name, list(values.shape), repr(float(values.flat[0])), repr(float(values.sum(dtype=np.float64))))
)";
    write_at_once(folder_ / "read.py", script);
    save_model(path_, model_);
    const auto python =
        test::run_command("/usr/bin/python3 '" + (folder_ / "read.py").string() + "' '" + path_.string() + "' 2>&1");
    ASSERT_EQ(python.exit_code, 0) << python.output;
    std::istringstream lines(python.output);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "cmr-model 1 16 ['current', 'vibration']");
    for (const io::NamedTensor& tensor : model_.tensors) {
        ASSERT_TRUE(std::getline(lines, line)) << tensor.name;
        const std::string start = fmt::format("{} [{}] ", tensor.name, fmt::join(tensor.shape, ", "));
        ASSERT_THAT(line, testing::StartsWith(start));
        std::istringstream numbers(line.substr(start.size()));
        double first = NAN, sum = NAN, wanted_sum = 0.0;
        numbers >> first >> sum;
        for (const float v : tensor.values) wanted_sum += v;
        EXPECT_EQ(first, tensor.values[0]) << tensor.name;
        EXPECT_NEAR(sum, wanted_sum, 1e-9) << tensor.name;
    }
    EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_F(ModelFile, IsRefusedWhenCutAnywhere) {
    save_model(path_, model_);
    const std::string whole = io::read_file(path_);
    std::vector<size_t> lengths{0, 1, 7, 8, 9, whole.size() - 4, whole.size() - 1};
    for (size_t length = 10; length < whole.size(); length += whole.size() / 97) lengths.push_back(length);
    for (const size_t length : lengths) {
        write_at_once(path_, whole.substr(0, length));
        SCOPED_TRACE(length);
        expect_input_error([&] { load_model(path_); }, {path_.string() + ": "});
    }
    write_at_once(path_, whole + "x");
    expect_input_error([&] { load_model(path_); }, {path_.string() + ": "});
}

// A flipped bit in the header must be noticed or leave a model of the right shapes; in the data it is another number.
TEST_F(ModelFile, WithAFlippedBitIsRefusedOrStillConsistent) {
    save_model(path_, model_);
    std::string whole = io::read_file(path_);
    whole.replace(whole.find("digest"), 6, "no one");  // the digest would notice every one
    Rng rng(3);
    int refused = 0, loaded = 0;
    for (int round = 0; round < 600; ++round) {
        std::string bytes = whole;
        const size_t header = 8 + static_cast<unsigned char>(whole[0]) + 256 * static_cast<unsigned char>(whole[1]);
        const size_t position = rng.below(round % 6 == 0 ? whole.size() : header);
        bytes[position] = static_cast<char>(bytes[position] ^ (1 << rng.below(8)));
        write_at_once(path_, bytes);
        SCOPED_TRACE(position);
        try {
            const Model found = load_model(path_);
            ++loaded;
            ASSERT_EQ(found.tensors.size(), parameter_specs(found.config).size());
            for (const ParameterSpec& spec : parameter_specs(found.config))
                ASSERT_NE(found.at(spec.name), nullptr) << spec.name;
        } catch (const InputError& error) {
            ++refused;
            EXPECT_THAT(error.what(), testing::HasSubstr(path_.string()));
        }
    }
    EXPECT_GT(refused, 300);
    EXPECT_GT(loaded, 20) << "most bits of the data are free";
}

TEST_F(ModelFile, OfAnotherFormatOrSchemaIsRefused) {
    expect_refused([](auto& file) { file.metadata["format"] = "pt"; }, {"format", "pt", "cmr-model"});
    expect_refused([](auto& file) { file.metadata["schema"] = "2"; },
                   {"schema", "2", "cmr " + std::string(version()), "schema 1"});
    for (const char* key : {"format", "schema", "config"})
        expect_refused([&](auto& file) { file.metadata.erase(key); }, {key, "not a cmr model"});
    expect_refused([](auto& file) { file = {}; }, {"format"});
}

// What a file holds must not reach the terminal as it is.
TEST_F(ModelFile, KeepsControlCharactersAndEndlessTextsOutOfMessages) {
    for (const char* key : {"format", "schema"}) {
        save_model(path_, model_);
        io::Safetensors file = io::read_safetensors(path_);
        file.metadata[key] = "\x1b[31m" + std::string(100'000, 'n');
        io::write_safetensors(path_, file);
        try {
            load_model(path_);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_EQ(message.find('\x1b'), std::string::npos);
            EXPECT_LT(message.size(), 400u);
        }
    }
}

TEST_F(ModelFile, OfALaterVersionWithTheSameSchemaIsRead) {
    save_model(path_, model_);
    io::Safetensors file = io::read_safetensors(path_);
    file.metadata["version"] = "99.0.0";
    file.metadata["note"] = "by hand";
    io::write_safetensors(path_, file);
    expect_same(load_model(path_), model_);
}

TEST_F(ModelFile, WithoutOneOfItsTensorsIsRefused) {
    for (size_t i = 0; i < model_.tensors.size(); i += 7) {
        const std::string name = model_.tensors[i].name;
        expect_refused([&](auto& file) { std::erase_if(file.tensors, [&](const auto& t) { return t.name == name; }); },
                       {name});
    }
}

TEST_F(ModelFile, WithATensorTooManyIsRefused) {
    expect_refused([](auto& file) { file.tensors.push_back({"more", {1}, {1.0f}}); }, {"tensors", "expected"});
    expect_refused([](auto& file) { file.tensors.front().name += "s"; }, {"encoders.current.stem.conv.weight"});
}

TEST_F(ModelFile, WithATensorOfAnotherShapeIsRefused) {
    expect_refused(
        [](auto& file) {
            for (io::NamedTensor& t : file.tensors)
                if (t.name == "predictor.fusion.weight") std::swap(t.shape[0], t.shape[1]);
        },
        {"predictor.fusion.weight", "[16, 32]", "[32, 16]"});
    expect_refused(
        [](auto& file) {
            for (io::NamedTensor& t : file.tensors)
                if (t.name == "encoders.current.norm.bias") t = {t.name, {15}, std::vector<float>(15, 0.0f)};
        },
        {"encoders.current.norm.bias", "[15]", "[16]"});
}

TEST_F(ModelFile, WhoseSettingsDoNotFitItsTensorsIsRefused) {
    expect_settings_refused([](Json& s) { s["width"] = 32; }, {"[32"});
    expect_settings_refused([](Json& s) { s["layers"] = 3; }, {"layers.2"});
    expect_settings_refused([](Json& s) { s["layers"] = 1; }, {"tensors", "expected"});
    expect_settings_refused([](Json& s) { s["groups"][0]["name"] = "voltage"; }, {"voltage"});
    expect_settings_refused([](Json& s) { s["cause_weight"] = 0.0; }, {"tensors", "expected"});
    expect_settings_refused([](Json& s) { s["widht"] = 1; }, {"widht"});
    expect_settings_refused([](Json& s) { s.erase("rank"); }, {"rank", "missing"});
    expect_settings_refused([](Json& s) { s["rank"] = "8"; }, {"rank", "whole number"});
    expect_refused([](auto& file) { file.metadata["config"] = "{"; }, {"JSON"});
}

// A few bytes of settings may ask for terabytes: the claim is held against the file before memory is asked for.
TEST_F(ModelFile, WithEnormousSettingsIsRefusedInLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer reserves more memory than this test allows";
#endif
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    std::vector<Json> hostile(6, Json::parse(to_json(tiny_config())));
    hostile[0]["width"] = 4096;
    hostile[0]["expand"] = 16;
    hostile[1]["layers"] = 256;
    hostile[1]["predictor_width"] = 65536;
    hostile[1]["predictor_blocks"] = 64;
    hostile[2]["groups"][1]["channels"] = 10'000;
    hostile[3]["groups"][0]["channels"] = 10'000;
    hostile[3]["width"] = 4096;
    hostile[4]["state"] = 1024;
    hostile[4]["conv"] = 64;
    for (int i = 0; i < 9'000; ++i)
        hostile[5]["groups"].push_back({{"name", fmt::format("g{}", i)}, {"effect", true}, {"channels", 10'000}});
    save_model(path_, model_);
    const io::Safetensors file = io::read_safetensors(path_);
    std::vector<std::filesystem::path> paths;
    for (size_t i = 0; i < hostile.size(); ++i) {
        io::Safetensors changed = file;
        changed.metadata["config"] = hostile[i].dump();
        paths.push_back(folder_ / std::to_string(i));
        io::write_safetensors(paths.back(), changed);
    }
    const auto load_all = [&] {
        const rlimit limit{300 << 20, 300 << 20};
        setrlimit(RLIMIT_AS, &limit);
        int refused = 0;
        for (const auto& path : paths) {
            try {
                load_model(path);
            } catch (const InputError& error) {
                refused += std::string(error.what()).starts_with(path.string() + ": ") ? 1 : 0;
            }
        }
        std::exit(refused);
    };
    EXPECT_EXIT(load_all(), testing::ExitedWithCode(6), "");
}

TEST_F(ModelFile, ThatIsNotThereIsRefused) {
    expect_input_error([&] { load_model(folder_ / "none.cmr"); }, {"none.cmr", "No such file"});
    expect_input_error([&] { load_model(folder_.path()); }, {folder_.path().string()});
}

TEST_F(ModelFile, GivesATensorByName) {
    const io::NamedTensor& last = model_.tensors.back();
    EXPECT_EQ(model_.at(last.name), last.values.data());
    EXPECT_THROW(model_.at("predictor"), InternalError);
}

}  // namespace
}  // namespace cmr::model
