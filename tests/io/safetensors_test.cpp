#include "io/tensors/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/rng.h"
#include "io/file.h"
#include "support/expect_input_error.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::TemporaryFolder;

Safetensors small_content() {
    return {.source = {},
            .metadata = {{"recipe", "seed = 1\n\"quoted\" ü"}, {"version", "1"}},
            .tensors = {{"weight", {2, 3}, {0.f, -1.5f, 1e-40f, 3.f, INFINITY, 5.f}},
                        {"empty", {0, 4}, {}},
                        {"bias", {}, {-0.f}},
                        {"a ü\n", {1, 1, 2}, {7.f, 8.f}}}};
}

// Not the atomic way: the sync of thousands of damaged files would take a minute on a slow disk.
void write_at_once(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// What stands in a file with this header in front of `data_bytes` zeros.
std::string file_bytes(const std::string& header, size_t data_bytes, int64_t claimed_length = -1) {
    const uint64_t length = claimed_length < 0 ? header.size() : static_cast<uint64_t>(claimed_length);
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(length >> (8 * i) & 0xff));
    return bytes + header + std::string(data_bytes, '\0');
}

class SafetensorsFile : public testing::Test {
  protected:
    Safetensors read_bytes(const std::string& bytes) {
        write_at_once(path_, bytes);
        return read_safetensors(path_);
    }
    void expect_refused(const std::string& bytes, std::vector<std::string> words) {
        SCOPED_TRACE(bytes.substr(0, 200));
        words.push_back(path_.string() + ": ");
        expect_input_error([&] { read_bytes(bytes); }, words);
    }

    TemporaryFolder folder_;
    fs::path path_ = folder_ / "m.cmr";
};

void expect_same(const Safetensors& found, const Safetensors& wanted) {
    EXPECT_EQ(found.metadata, wanted.metadata);
    ASSERT_EQ(found.tensors.size(), wanted.tensors.size());
    for (size_t i = 0; i < found.tensors.size(); ++i) {
        const NamedTensor &a = found.tensors[i], &b = wanted.tensors[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.shape, b.shape);
        EXPECT_EQ(a.values, b.values);
        for (size_t j = 0; j < a.values.size(); ++j) EXPECT_EQ(std::signbit(a.values[j]), std::signbit(b.values[j]));
    }
}

TEST_F(SafetensorsFile, ReturnsWhatWasWritten) {
    const Safetensors content = small_content();
    write_safetensors(path_, content);
    const Safetensors found = read_safetensors(path_);
    expect_same(found, content);
    EXPECT_EQ(found.source, path_.string());
}

TEST_F(SafetensorsFile, KeepsNumbersInFewerBytesWhereATensorSaysSo) {
    const std::vector<float> halves = {0.f, -0.f, 0.333251953125f, -65504.f, 5.9604644775390625e-08f};
    const Safetensors content{
        .source = {},
        .metadata = {},
        .tensors = {{"half", {5}, halves, Dtype::f16}, {"bytes", {3}, {0.f, 7.f, 255.f}, Dtype::u8}}};
    write_safetensors(path_, content);
    const Safetensors found = read_safetensors(path_);
    expect_same(found, content);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(found.tensors[i].dtype, content.tensors[i].dtype);
    EXPECT_LT(fs::file_size(path_), 8 + 200 + 5 * 2 + 3);
    const auto fails = [&](float value, Dtype dtype) {
        EXPECT_THROW(write_safetensors(path_, {.source = {}, .metadata = {}, .tensors = {{"a", {1}, {value}, dtype}}}),
                     InternalError);
    };
    fails(0.1f, Dtype::f16);
    fails(7.5f, Dtype::u8);
}

TEST_F(SafetensorsFile, HoldsNoNanOfAnyType) {
    const std::string header = R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})";
    expect_refused(file_bytes(header, 0) + "\xff\xff", {"\"a\"", "NaN"});
}

TEST_F(SafetensorsFile, MayHoldNothing) {
    write_safetensors(path_, {});
    expect_same(read_safetensors(path_), {});
}

TEST_F(SafetensorsFile, IsTheSameBytesForTheSameContent) {
    write_safetensors(path_, small_content());
    write_safetensors(folder_ / "again", small_content());
    EXPECT_EQ(read_file(path_), read_file(folder_ / "again"));
}

TEST_F(SafetensorsFile, AlignsTheData) {
    for (size_t length = 1; length < 20; ++length) {
        write_safetensors(path_,
                          {.source = {}, .metadata = {}, .tensors = {{std::string(length, 'x'), {2}, {1.f, 2.f}}}});
        EXPECT_EQ(fs::file_size(path_) % 8, 0u);
    }
}

TEST_F(SafetensorsFile, OfAnotherWriterIsReadInTheOrderOfItsData) {
    const std::string header = R"({"b": {"data_offsets": [4, 12], "dtype": "F32", "shape": [2]},
                                   "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}  )";
    const Safetensors found = read_bytes(file_bytes(header, 12));
    ASSERT_EQ(found.tensors.size(), 2u);
    EXPECT_EQ(found.tensors[0].name, "a");
    EXPECT_EQ(found.tensors[1].name, "b");
}

TEST_F(SafetensorsFile, GivesATensorByNameAndShape) {
    write_safetensors(path_, small_content());
    const Safetensors content = read_safetensors(path_);
    EXPECT_EQ(content.at("weight", {2, 3}).values[1], -1.5f);
    EXPECT_EQ(content.at("bias", {}).values.size(), 1u);
    EXPECT_EQ(content.at("weight", std::vector<int64_t>{2, 3}).name, "weight");
}

TEST_F(SafetensorsFile, NamesTheTensorThatIsMissingOrHasAnotherShape) {
    write_safetensors(path_, small_content());
    const Safetensors content = read_safetensors(path_);
    expect_input_error(
        [&] {
            content.at("weight", {3, 2});
        },
        {path_.string(), "\"weight\"", "[2, 3]", "expected [3, 2]"});
    expect_input_error(
        [&] {
            content.at("weights", {2, 3});
        },
        {path_.string(), "no tensor \"weights\"", "nearest is \"weight\""});
    expect_input_error([&] { content.at("unlike anything", {1}); }, {"no tensor \"unlike anything\""});
}

TEST_F(SafetensorsFile, OpensInPythonWithNothingButNumpy) {
    if (test::run_command("/usr/bin/python3 -c 'import numpy' 2>&1").exit_code != 0)
        GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    const std::string script = R"(
import json, struct, sys
import numpy as np
raw = open(sys.argv[1], "rb").read()
length, = struct.unpack("<Q", raw[:8])
header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
metadata = header.pop("__metadata__")
print(length % 8, len(metadata.pop("digest")), sorted(metadata.items()))
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    print(ascii(name), np.frombuffer(data[begin:end], dtype={"F32": "<f4", "F16": "<f2", "U8": "u1"}[entry["dtype"]]).reshape(entry["shape"]).tolist())
)";
    write_file_atomically(folder_ / "read.py", script);
    Safetensors content = small_content();
    content.tensors.push_back({"half", {2}, {0.333251953125f, -2.f}, Dtype::f16});
    content.tensors.push_back({"bytes", {1, 2}, {1.f, 255.f}, Dtype::u8});
    write_safetensors(path_, content);
    const auto python =
        test::run_command("/usr/bin/python3 '" + (folder_ / "read.py").string() + "' '" + path_.string() + "' 2>&1");
    EXPECT_EQ(python.exit_code, 0);
    EXPECT_EQ(python.output,
              "0 16 [('recipe', 'seed = 1\\n\"quoted\" \u00fc'), ('version', '1')]\n"
              "'weight' [[0.0, -1.5, 9.99994610111476e-41], [3.0, inf, 5.0]]\n"
              "'empty' []\n"
              "'bias' -0.0\n"
              "'a \\xfc\\n' [[[7.0, 8.0]]]\n"
              "'half' [0.333251953125, -2.0]\n"
              "'bytes' [[1, 255]]\n");
}

TEST_F(SafetensorsFile, IsRefusedWhenCutAnywhere) {
    write_safetensors(path_, small_content());
    const std::string whole = read_file(path_);
    for (size_t length = 0; length < whole.size(); ++length) {
        SCOPED_TRACE(length);
        expect_input_error([&] { read_bytes(whole.substr(0, length)); }, {path_.string()});
    }
}

TEST_F(SafetensorsFile, WithADamagedByteIsRefused) {
    write_safetensors(path_, small_content());
    const std::string whole = read_file(path_);
    int refused = 0, loaded = 0;
    for (size_t position = 0; position < whole.size(); ++position) {
        for (const int flip : {0x01, 0x02, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
            std::string bytes = whole;
            bytes[position] = static_cast<char>(bytes[position] ^ flip);
            try {
                const Safetensors found = read_bytes(bytes);
                // Without a digest it is someone else's file.
                if (bytes.find("\"digest\"") != std::string::npos) expect_same(found, small_content());
                ++loaded;
            } catch (const InputError&) {
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_LT(loaded, 100);  // the name of the digest is another, or the header ends in other blanks
}

TEST_F(SafetensorsFile, MayNotHoldNan) {
    Safetensors content = small_content();
    content.tensors[0].values[4] = std::numeric_limits<float>::quiet_NaN();
    expect_input_error([&] { write_safetensors(path_, content); }, {path_.string(), "\"weight\"", "NaN at position 4"});
    EXPECT_FALSE(fs::exists(path_));
    std::string bytes = file_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
    bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\xff");
    expect_refused(bytes, {"\"a\"", "NaN at position 1"});
}

TEST_F(SafetensorsFile, IsNotWrittenWithTextThatIsNotUtf8) {
    expect_input_error(
        [&] {
            write_safetensors(path_, {.source = {}, .metadata = {{"a", "\xff"}}, .tensors = {}});
        },
        {path_.string(), "UTF-8"});
    expect_input_error(
        [&] {
            write_safetensors(path_, {.source = {}, .metadata = {}, .tensors = {{"\xc3", {0}, {}}}});
        },
        {path_.string(), "UTF-8"});
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SafetensorsFile, IsNotWrittenFromAnInconsistentContent) {
    const auto write = [&](std::vector<NamedTensor> tensors) {
        write_safetensors(path_, {.source = {}, .metadata = {}, .tensors = std::move(tensors)});
    };
    EXPECT_THROW(write({{"a", {2, 2}, {1.f}}}), InternalError);
    EXPECT_THROW(write({{"a", {1}, {1.f}}, {"a", {1}, {2.f}}}), InternalError);
    EXPECT_THROW(write({{"__metadata__", {1}, {1.f}}}), InternalError);
}

TEST_F(SafetensorsFile, WithAWrongLengthFieldIsRefused) {
    expect_refused("", {"0 bytes, too short"});
    expect_refused("1234567", {"7 bytes, too short"});
    expect_refused(file_bytes("", 0), {"header"});
    expect_refused(file_bytes("{}", 0, 3), {"would be 3 bytes long"});
    expect_refused(file_bytes("{}", 0, std::numeric_limits<int64_t>::max()), {"would be"});
    expect_refused(std::string(8, '\xff') + "{}", {"would be 18446744073709551615 bytes long"});
}

TEST_F(SafetensorsFile, WithAHeaderOver100MegabytesIsRefusedUnread) {
    write_file_atomically(path_, file_bytes("{}", 0, 200'000'000));
    fs::resize_file(path_, 300'000'000);  // sparse: takes no room
    expect_input_error([&] { read_safetensors(path_); },
                       {"would be 200000000 bytes long, the format allows 100000000"});
}

TEST_F(SafetensorsFile, WithAHostileHeaderIsRefused) {
    struct Case {
        std::string header;
        size_t data_bytes;
        std::vector<std::string> words;
    };
    const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
        return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
    };
    const auto two = [](const std::string& first, const std::string& second) {
        return R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)" + first +
               R"(},"b":{"dtype":"F32","shape":[1],"data_offsets":)" + second + "}}";
    };
    const std::string f32 = R"("F32")";
    const std::vector<Case> cases{
        // not the JSON it should be
        {"[]", 0, {"'{'"}},
        {"null", 0, {"'{'"}},
        {" {}", 0, {"'{'"}},
        {"\xef\xbb\xbf{}", 0, {"'{'"}},
        {"{", 0, {"not valid JSON"}},
        {"{}}", 0, {"not valid JSON"}},
        {"{} x", 0, {"not valid JSON"}},
        {std::string("{}\0", 3), 0, {"zero byte"}},
        {std::string("{}\0 not read by some parsers", 29), 0, {"zero byte"}},
        {"{\"a\":", 0, {"not valid JSON"}},
        {"{'a':1}", 0, {"not valid JSON"}},
        {"{\"\xff\":{}}", 0, {"not valid JSON"}},
        {"{\"\xc0\x80\":{}}", 0, {"not valid JSON"}},
        {"{\"\\ud800\":{}}", 0, {"not valid JSON"}},
        {R"({"a":)" + std::string(1'000'000, '['), 0, {"\"a\" is an array, expected an object"}},
        {R"({"a":{"shape":)" + std::string(1'000'000, '['), 0, {"shape holds an array"}},
        {[] {
             std::string deep = "{";
             for (int i = 0; i < 100'000; ++i) deep += R"("a":{)";
             return deep;
         }(),
         0,
         {"unknown field"}},
        // keys
        {R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
         0,
         {"\"a\" stands twice"}},
        {R"({"a":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}})", 0, {"\"dtype\" stands twice"}},
        {R"({"__metadata__":{"k":"1","k":"2"}})", 0, {"\"k\" stands twice"}},
        {R"({"__metadata__":{},"__metadata__":{}})", 0, {"\"__metadata__\" stands twice"}},
        {R"({"a":{"shape":[0],"data_offsets":[0,0]}})", 0, {"\"a\" has no dtype"}},
        {R"({"a":{"dtype":"F32","data_offsets":[0,0]}})", 0, {"\"a\" has no shape"}},
        {R"({"a":{"dtype":"F32","shape":[0]}})", 0, {"\"a\" has no data_offsets"}},
        {R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"more":1}})", 0, {"\"a\"", "unknown field \"more\""}},
        // values
        {R"({"a":1})", 0, {"\"a\" is a number, expected an object"}},
        {R"({"a":null})", 0, {"\"a\" is null"}},
        {R"({"__metadata__":"x"})", 0, {"\"__metadata__\" is a string"}},
        {R"({"__metadata__":{"k":1}})", 0, {"metadata \"k\" is a number, expected a string"}},
        {R"({"__metadata__":{"k":{}}})", 0, {"metadata \"k\" is an object"}},
        {R"({"__metadata__":{"k":["x"]}})", 0, {"metadata \"k\" is an array"}},
        {tensor("\"F64\"", "[1]", "[0,8]"), 8, {"\"a\" has dtype \"F64\", expected \"F32\", \"F16\" or \"U8\""}},
        {tensor("\"BF16\"", "[1]", "[0,2]"), 2, {"BF16"}},
        {tensor("32", "[1]", "[0,4]"), 4, {"dtype holds a number"}},
        {tensor("[\"F32\"]", "[1]", "[0,4]"), 4, {"dtype holds an array"}},
        {tensor(f32, "1", "[0,4]"), 4, {"shape holds a number"}},
        {tensor(f32, "\"1\"", "[0,4]"), 4, {"shape holds a string"}},
        {tensor(f32, "[\"1\"]", "[0,4]"), 4, {"shape holds a string"}},
        {tensor(f32, "[-1]", "[0,4]"), 4, {"shape holds a negative number"}},
        {tensor(f32, "[1.5]", "[0,4]"), 4, {"shape holds a fraction"}},
        {tensor(f32, "[1e0]", "[0,4]"), 4, {"shape holds a fraction"}},
        {tensor(f32, "[true]", "[0,4]"), 4, {"shape holds true or false"}},
        {tensor(f32, "[null]", "[0,4]"), 4, {"shape holds null"}},
        {tensor(f32, "[{}]", "[0,4]"), 4, {"shape holds an object"}},
        {tensor(f32, "[1]", "[0]"), 4, {"data_offsets holds 1 numbers, expected 2"}},
        {tensor(f32, "[1]", "[]"), 4, {"data_offsets holds 0 numbers"}},
        {tensor(f32, "[1]", "[0,4,4]"), 4, {"data_offsets holds 3 numbers"}},
        {tensor(f32, "[1]", "[0,-4]"), 4, {"data_offsets holds a negative number"}},
        {tensor(f32, "[1]", "[0,4.0]"), 4, {"data_offsets holds a fraction"}},
        {tensor(f32, "[9223372036854775808]", "[0,4]"), 4, {"too large"}},
        {tensor(f32, "[18446744073709551616]", "[0,4]"), 4, {"too large"}},
        {tensor(f32, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, {"more than 16 dimensions"}},
        // sizes
        {tensor(f32, "[4611686018427387904]", "[0,0]"), 0, {"too large"}},
        {tensor(f32, "[4294967296,4294967296]", "[0,0]"), 0, {"[4294967296, 4294967296] is too large"}},
        {tensor(f32, "[9223372036854775807,9223372036854775807,0]", "[0,0]"), 0, {"too large"}},
        {tensor(f32, "[1000000000000]", "[0,4]"), 4, {"4 bytes of data", "needs 4000000000000"}},
        {tensor(f32, "[2]", "[0,4]"), 4, {"needs 8"}},
        {tensor(f32, "[1]", "[0,8]"), 8, {"needs 4"}},
        {tensor(f32, "[1]", "[0,3]"), 3, {"needs 4"}},
        {tensor(f32, "[1]", "[4,0]"), 4, {"[4, 0] do not lie in the 4 bytes"}},
        {tensor(f32, "[1]", "[0,8]"), 4, {"do not lie in the 4 bytes"}},
        {tensor(f32, "[1]", "[18446744073709551612,18446744073709551615]"), 4, {"do not lie in"}},
        {tensor(f32, "[1]", "[18446744073709551612,0]"), 4, {"do not lie in"}},
        {tensor(f32, "[1]", "[0,4]"), 5, {"5 bytes of data", "account for 4"}},
        {tensor(f32, "[1]", "[4,8]"), 8, {"\"a\"", "begin at byte 4", "ends at 0"}},
        {two("[0,4]", "[0,4]"), 4, {"\"b\"", "begin at byte 0", "ends at 4"}},
        {two("[0,4]", "[2,6]"), 6, {"\"b\"", "begin at byte 2"}},
        {two("[0,4]", "[8,12]"), 12, {"\"b\"", "begin at byte 8", "ends at 4"}},
        {"{}", 4, {"4 bytes of data", "account for 0"}},
    };
    for (const Case& hostile : cases) expect_refused(file_bytes(hostile.header, hostile.data_bytes), hostile.words);
}

TEST_F(SafetensorsFile, KeepsControlCharactersAndEndlessNamesOutOfMessages) {
    const std::string name = R"(\u001b[31m)" + std::string(100'000, 'n');
    const std::string bytes = file_bytes(R"({")" + name + R"(":1})", 0);
    try {
        read_bytes(bytes);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("\\u001b[31mnnn"));
        EXPECT_LT(std::string(error.what()).size(), 400u);
    }
}

TEST_F(SafetensorsFile, OfRandomBytesIsRefused) {
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        std::string header = "{";
        for (uint64_t i = rng.below(60); i > 0; --i) header.push_back("{}[]\":,\\0123aF\xff"[rng.below(15)]);
        try {
            read_bytes(file_bytes(header, rng.below(9)));
        } catch (const InputError&) {
        }
    }
}

}  // namespace
}  // namespace cmr::io
