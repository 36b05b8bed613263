#include "io/mat/mat.h"
#include "simulate/mat_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "base/rng.h"
#include "io/file.h"
#include "support/expect_input_error.h"
#include "support/python.h"
#include "support/read_columns.h"
#include "support/temporary_folder.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::read_column;
using test::read_columns;
using test::TemporaryFolder;
using test::with_array;
using test::with_names;
using testing::ElementsAre;
using Columns = std::map<std::string, std::vector<double>>;

// Builds files by hand, in either byte order.
class Builder {
  public:
    explicit Builder(bool big_endian = false) : big_endian_(big_endian) {}

    template <typename T>
    std::string number(T value) const {
        std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
        if (big_endian_) std::ranges::reverse(bytes);
        return bytes;
    }
    template <typename T>
    std::string numbers(const std::vector<T>& values) const {
        std::string bytes;
        for (const T value : values) bytes += number(value);
        return bytes;
    }
    std::string element(uint32_t storage, std::string bytes) const {
        const auto length = static_cast<uint32_t>(bytes.size());
        bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
        return number(storage) + number(length) + bytes;
    }
    std::string small_element(uint32_t storage, std::string bytes) const {
        const auto tag = static_cast<uint32_t>(bytes.size()) << 16 | storage;
        bytes.resize(4, '\0');
        return number(tag) + bytes;
    }
    std::string head(uint32_t array_class, const std::vector<int32_t>& shape, const std::string& name) const {
        return element(6, numbers<uint32_t>({array_class, 0})) + element(5, numbers(shape)) + element(1, name);
    }
    std::string array(uint32_t array_class, const std::vector<int32_t>& shape, const std::string& name,
                      const std::string& content) const {
        return element(14, head(array_class, shape, name) + content);
    }
    // A 1 x n array of doubles, stored as 16-bit integers.
    std::string row(const std::string& name, const std::vector<int16_t>& values) const {
        return array(6, {1, static_cast<int32_t>(values.size())}, name, element(3, numbers(values)));
    }
    std::string compressed(const std::string& content) const {
        uLongf length = compressBound(content.size());
        std::string packed(length, '\0');
        compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(content.data()),
                 content.size());
        return number(uint32_t{15}) + number(static_cast<uint32_t>(length)) + packed.substr(0, length);
    }
    std::string file(const std::string& content) const {
        std::string header = "MATLAB 5.0 MAT-file, made by hand";
        header.resize(124, ' ');
        return header + number(uint16_t{0x0100}) + (big_endian_ ? "MI" : "IM") + content;
    }

  private:
    bool big_endian_;
};

class MatFile : public testing::Test {
  protected:
    void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
    Columns read_bytes(const std::string& bytes, const TableOptions& options = {}) {
        write(bytes);
        return read_columns(path_, options);
    }
    void expect_refused(const std::string& bytes, std::vector<std::string> words) {
        words.push_back(path_.string());
        expect_input_error([&] { read_bytes(bytes); }, words);
    }

    TemporaryFolder folder_;
    fs::path path_ = folder_ / "x.mat";
    Builder build_;
};

simulate::MatValue text(const std::string& letters) {
    simulate::MatValue value;
    value.text = letters;
    return value;
}

simulate::MatValue row(const std::vector<float>& numbers) {
    simulate::MatValue value;
    value.numbers = numbers;
    value.rows = 1;
    value.columns = static_cast<int64_t>(numbers.size());
    return value;
}

simulate::MatValue paderborn(size_t samples) {
    std::vector<float> signal(samples);
    std::iota(signal.begin(), signal.end(), 0.5f);
    simulate::MatValue y;
    y.fields = {{"Name", {text("force"), text("vibration_1"), text("speed")}},
                {"Data", {row({1, 2}), row(signal), row({5, 6, 7})}}};
    simulate::MatValue run;
    run.fields = {{"Info", {text("bearing K001")}}, {"Y", {y}}, {"Description", {simulate::MatValue{}}}};
    return run;
}

TEST_F(MatFile, GivesBackWhatWriteMatWrote) {
    simulate::write_mat(path_, "N15_M07_F10_K001_1", paderborn(256'001));
    const Columns columns = read_columns(path_);
    ASSERT_EQ(columns.size(), 3u);
    EXPECT_THAT(columns.at("N15_M07_F10_K001_1.Y[force].Data"), ElementsAre(1, 2));
    EXPECT_THAT(columns.at("N15_M07_F10_K001_1.Y[speed].Data"), ElementsAre(5, 6, 7));
    const std::vector<double>& signal = columns.at("N15_M07_F10_K001_1.Y[vibration_1].Data");
    ASSERT_EQ(signal.size(), 256'001u);
    for (size_t i = 0; i < signal.size(); ++i) ASSERT_EQ(signal[i], static_cast<double>(static_cast<float>(i) + 0.5f));
}

TEST_F(MatFile, OfWriteMatIsReadByScipyToo) {
    if (!test::python_has("scipy.io")) GTEST_SKIP() << "python3-scipy is not installed";
    simulate::write_mat(path_, "run", paderborn(4));
    test::make_with_python(folder_, R"(
import scipy.io
run = scipy.io.loadmat('x.mat', squeeze_me=True, struct_as_record=False)['run']
assert run.Info == 'bearing K001', run.Info
assert [y.Name for y in run.Y] == ['force', 'vibration_1', 'speed']
assert run.Y[1].Data.tolist() == [0.5, 1.5, 2.5, 3.5], run.Y[1].Data
assert run.Y[1].Data.dtype == 'float64'
assert run.Description.size == 0
)");
}

TEST_F(MatFile, OfScipyGivesTheSameCompressedOrNot) {
    if (!test::python_has("scipy.io")) GTEST_SKIP() << "python3-scipy is not installed";
    test::make_with_python(folder_, R"(
import numpy as np, scipy.io, scipy.sparse
y = np.zeros((1, 2), dtype=[('Name', 'O'), ('Type', 'O'), ('Data', 'O')])
y[0, 0] = ('force', 1, np.arange(3.)[None])
y[0, 1] = ('vibration_1', 2, np.arange(4.)[None] / 2)
plain = np.zeros((1, 2), dtype=[('v', 'O')])
plain[0, 0] = (np.array([1., 2.]),)
plain[0, 1] = (np.array([3., 4.]),)
content = {'run': {'Info': {'Text': 'abc', 'Rate': 64e3}, 'Y': y}, 'plain': plain,
           'cell': np.array([np.arange(2), 'x', [[1.5, 2]]], dtype=object),
           'flag': np.array([True, False]), 'large': np.array([2**63], dtype='u8'), 'matrix': np.ones((2, 2)),
           'complex': np.array([1 + 2j]), 'sparse': scipy.sparse.eye(3), 'empty': []}
for kind in 'i1 u1 i2 u2 i4 u4 i8 f4 f8'.split(): content[kind] = np.array([100, 101]).astype(kind)
scipy.io.savemat('x.mat', content)
scipy.io.savemat('z.mat', content, do_compression=True)
)");
    const Columns columns = read_columns(path_);
    EXPECT_EQ(read_columns(folder_ / "z.mat"), columns);
    EXPECT_EQ(columns.size(), 20u);
    EXPECT_THAT(columns.at("run.Y[force].Data"), ElementsAre(0, 1, 2));
    EXPECT_THAT(columns.at("run.Y[vibration_1].Data"), ElementsAre(0, 0.5, 1, 1.5));
    EXPECT_THAT(columns.at("run.Y[vibration_1].Type"), ElementsAre(2));
    EXPECT_THAT(columns.at("run.Info.Rate"), ElementsAre(64e3));
    EXPECT_THAT(columns.at("plain[2].v"), ElementsAre(3, 4));
    EXPECT_THAT(columns.at("cell{1}"), ElementsAre(0, 1));
    EXPECT_THAT(columns.at("cell{3}"), ElementsAre(1.5, 2));
    EXPECT_THAT(columns.at("flag"), ElementsAre(1, 0));
    EXPECT_THAT(columns.at("large"), ElementsAre(9223372036854775808.0));
    for (const std::string kind : {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "f4", "f8"})
        EXPECT_THAT(columns.at(kind), ElementsAre(100, 101)) << kind;

    const auto ask_for = [&](const std::string& array) { open_table(path_, with_array(array)); };
    expect_input_error([&] { ask_for("sparse"); }, {"x.mat, sparse: a sparse matrix, expected numbers"});
    expect_input_error([&] { ask_for("complex"); }, {"x.mat, complex: complex, expected numbers"});
    expect_input_error([&] { ask_for("run.Info.Text"); }, {"text, expected numbers"});
    expect_input_error([&] { ask_for("empty"); }, {"empty, expected numbers"});
    expect_input_error([&] { ask_for("sparce"); }, {"x.mat: no array 'sparce'; the nearest is 'sparse'"});
    expect_input_error([&] { ask_for("run.Y*"); }, {"x.mat: 4 arrays answer to 'run.Y*'"});
    EXPECT_THAT(read_column(path_, "*vibration*", with_array("*Y[vib*Data")), ElementsAre(0, 0.5, 1, 1.5));
    EXPECT_THAT(read_column(path_, "2", with_array("matrix")), ElementsAre(1, 1));
}

TEST_F(MatFile, IsTheSameInBothByteOrders) {
    const auto content = [](const Builder& build) {
        const std::string name =
            build.array(4, {1, 5}, "", build.element(17, build.numbers<uint16_t>({'f', 'o', 'r', 'c', 0xe9})));
        const std::string other = build.array(4, {1, 1}, "", build.small_element(16, "x"));
        const std::string fields = build.small_element(5, build.number(int32_t{8})) +
                                   build.element(1, std::string("Name\0\0\0\0Data\0\0\0\0", 16));
        return build.array(2, {1, 2}, "Y", fields + name + build.row("", {1, -2}) + other + build.row("", {300, 4})) +
               build.array(6, {2, 1}, "single", build.element(7, build.numbers<float>({0.5f, -1e30f}))) +
               build.array(6, {2, 1}, "double", build.element(9, build.numbers<double>({0.1, -1e300}))) +
               build.array(14, {1, 2}, "long", build.element(12, build.numbers<int64_t>({-5'000'000'000, 7}))) +
               build.array(6, {1, 1}, "small", build.small_element(4, build.number(uint16_t{513}))) +
               build.compressed(build.row("packed", {256, 1}));
    };
    const Columns little = read_bytes(Builder(false).file(content(Builder(false))));
    EXPECT_EQ(read_bytes(Builder(true).file(content(Builder(true)))), little);
    EXPECT_THAT(little.at("Y[forcé].Data"), ElementsAre(1, -2));
    EXPECT_THAT(little.at("Y[x].Data"), ElementsAre(300, 4));
    EXPECT_THAT(little.at("single"), ElementsAre(0.5, -1e30f));
    EXPECT_THAT(little.at("double"), ElementsAre(0.1, -1e300));
    EXPECT_THAT(little.at("long"), ElementsAre(-5e9, 7));
    EXPECT_THAT(little.at("small"), ElementsAre(513));
    EXPECT_THAT(little.at("packed"), ElementsAre(256, 1));
}

TEST_F(MatFile, NumbersElementsWhoseNamesAreNotLabels) {
    const auto element = [&](const std::string& name) {
        return build_.array(4, {1, static_cast<int32_t>(name.size())}, "", build_.element(16, name)) +
               build_.row("", {1});
    };
    const std::string fields = build_.small_element(5, build_.number(int32_t{8})) +
                               build_.element(1, std::string("Name\0\0\0\0Data\0\0\0\0", 16));
    write(build_.file(build_.array(2, {1, 7}, "Y",
                                   fields + element("a") + element("same") + element("same") + element("") +
                                       element("\x1b[31m") + element("\xff\xfe") + element(std::string(1000, 'n')))));
    EXPECT_THAT(open_table(path_)->columns(),
                ElementsAre("Y[a].Data", "Y[2].Data", "Y[3].Data", "Y[4].Data", "Y[5].Data", "Y[6].Data", "Y[7].Data"));
}

TEST_F(MatFile, WithOneMatrixIsATableOfItsColumns) {
    const std::string matrix =
        build_.array(6, {3, 2}, "m", build_.element(1, build_.numbers<int8_t>({1, 2, 3, 4, 5, 6})));
    const std::string rate = build_.row("rate", {100});
    EXPECT_EQ(read_bytes(build_.file(matrix + rate)), (Columns{{"1", {1, 2, 3}}, {"2", {4, 5, 6}}}));
    EXPECT_FALSE(open_table(path_)->named());
    EXPECT_THAT(open_table(path_)->left_out(), ElementsAre("rate: 1 x 1"));
    EXPECT_EQ(read_columns(path_, with_names({"x(1..2)"})), (Columns{{"x(1)", {1, 2, 3}}, {"x(2)", {4, 5, 6}}}));
    EXPECT_EQ(read_columns(path_, test::transposed()), (Columns{{"1", {1, 4}}, {"2", {2, 5}}, {"3", {3, 6}}}));
    expect_input_error([&] { open_table(path_, with_names({"a"})); }, {"m has 2 columns, but `names` has 1"});
    write(build_.file(matrix + build_.array(6, {2, 2}, "n", build_.element(1, "abcd"))));
    expect_input_error([&] { open_table(path_); }, {"2 matrices", "m (3 x 2)", "n (2 x 2)", "`array`"});
    EXPECT_EQ(read_columns(path_, with_array("n")), (Columns{{"1", {'a', 'b'}}, {"2", {'c', 'd'}}}));
}

TEST_F(MatFile, NeedsTheSameLengthOnlyOfSelectedChannels) {
    write(build_.file(build_.row("a", {1, 2, 3}) + build_.row("b", {4, 5, 6}) + build_.row("c", {7})));
    const auto table = open_table(path_);
    table->select({{1}, {0, ColumnKind::kText}, {0, ColumnKind::kTime}});
    TableBlock block;
    ASSERT_TRUE(table->read(block));
    EXPECT_EQ(block.rows, 3);
    EXPECT_THAT(block.numbers, ElementsAre(4, 1, 5, 2, 6, 3));
    EXPECT_THAT(block.texts, ElementsAre("1", "2", "3"));
    EXPECT_EQ(table->place(block.lines.at(2)), path_.string() + ", row 3");
    EXPECT_FALSE(table->read(block));
    expect_input_error(
        [&] {
            open_table(path_)->select({{0}, {2}});
        },
        {"x.mat: channels of different length: a has 3 values, c has 1"});
}

TEST_F(MatFile, IsNeverMoreThanAnInputErrorWhenCutOff) {
    simulate::write_mat(path_, "run", paderborn(20));
    const std::string compressed = read_file(path_);
    const Builder build;
    const std::string plain = build.file(build.row("a", {1, 2, 3}) + build.row("b", {4, 5}));
    for (const std::string& bytes : {compressed, plain}) {
        for (size_t length = 0; length < bytes.size(); ++length) {
            try {
                read_bytes(bytes.substr(0, length));
            } catch (const InputError&) {
            }
        }
    }
}

TEST_F(MatFile, IsNeverMoreThanAnInputErrorWhenBytesChange) {
    const Builder build;
    const std::string fields = build.small_element(5, build.number(int32_t{8})) +
                               build.element(1, std::string("Name\0\0\0\0Data\0\0\0\0", 16));
    const std::string name = build.array(4, {1, 1}, "", build.small_element(16, "x"));
    const std::string bytes = build.file(
        build.array(2, {1, 2}, "Y", fields + name + build.row("", {1}) + name + build.row("", {2})) +
        build.array(1, {1, 2}, "c", build.row("", {1}) + name) + build.compressed(build.row("z", {1, 2, 3})));
    Rng rng(1);
    for (size_t at = 100; at < bytes.size(); ++at)
        for (const int value : {0xff, static_cast<int>(rng.below(256))}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(value);
            try {
                read_bytes(damaged);
            } catch (const InputError&) {
            }
        }
}

TEST_F(MatFile, WithALyingHeaderIsRefused) {
    const auto array = [&](const std::vector<int32_t>& shape, const std::string& content) {
        return build_.file(build_.array(6, shape, "a", content));
    };
    const std::string four = build_.element(2, "abcd");
    expect_refused(array({1, 5}, four), {"byte 184", "more elements than the 4 that its bytes can hold"});
    expect_refused(array({1, 3}, four), {"a is 1 x 3, but 4 numbers are stored"});
    expect_refused(array({2147483647, 2147483647}, four), {"more elements"});
    expect_refused(array({-1, 4}, four), {"length -1"});
    expect_refused(array(std::vector<int32_t>(16, 2147483647), four), {"more elements"});
    expect_refused(array(std::vector<int32_t>(33, 1), four), {"a shape of 132 bytes"});
    expect_refused(array({1, 4}, build_.element(99, "abcd")), {"storage type 99"});
    expect_refused(array({1, 4}, build_.number(uint32_t{2}) + build_.number(0xfffffff0u)),
                   {"4294967280 bytes where 0 are left"});
    expect_refused(build_.file(build_.array(1, {1000, 1000}, "c", "")), {"more elements"});
    expect_refused(build_.file(build_.array(6, {1, 1}, std::string(300, 'n'), four)), {"a name of 300 bytes"});
    expect_refused(build_.file(build_.array(2, {1, 1}, "s", build_.small_element(5, build_.number(int32_t{-1})))),
                   {"field names of 4294967295 bytes"});
    std::string version = build_.file("");
    version[125] = 2;
    expect_refused(version, {"version 2"});
    expect_refused("MATLAB 5.0 MAT-file", {"19 bytes", "128"});
    expect_refused(build_.file(""), {"no array of numbers"});
}

TEST_F(MatFile, NestedWithoutEndIsRefused) {
    std::string cell = build_.row("", {1});
    for (int depth = 0; depth < 20; ++depth) cell = build_.array(1, {1, 1}, depth == 19 ? "c" : "", cell);
    EXPECT_EQ(read_bytes(build_.file(cell)).size(), 1u);
    for (int depth = 0; depth < 2000; ++depth) cell = build_.array(1, {1, 1}, depth == 1999 ? "c" : "", cell);
    expect_refused(build_.file(cell), {"nested deeper than 32"});
}

TEST_F(MatFile, ThatWouldInflateWithoutEndIsRefused) {
    const std::string zeros(5'000'000, '\0');  // a thousand times what it takes compressed
    const auto declare = [&](uint32_t bytes) {
        return build_.file(build_.compressed(build_.number(uint32_t{14}) + build_.number(bytes) + zeros));
    };
    expect_refused(declare(0xfffffff0u), {"variable at byte 128", "declares 4294967288 bytes"});
    expect_refused(declare(1'000'000'000), {"declares 1000000008 bytes, its compressed bytes hold 5000008"});
    expect_refused(build_.file(build_.element(15, "not compressed at all")), {"variable at byte 128", "damaged"});
    expect_refused(build_.file(build_.compressed("abc")), {"end within the first tag"});
}

TEST_F(MatFile, WithADamagedChecksumIsRefused) {
    std::string bytes = build_.file(build_.compressed(build_.row("a", {1, 2, 3})));
    bytes.back() = static_cast<char>(~bytes.back());
    expect_refused(bytes, {"compressed bytes are damaged (incorrect data check)"});
}

TEST_F(MatFile, WithNamesThatMultiplyIsRefused) {
    // Every cell repeats the long name of the variable: 4 MB of cells would ask for gigabytes of names.
    std::string cells;
    for (int i = 0; i < 500'000; ++i) cells += build_.element(14, "");
    expect_refused(build_.file(build_.array(1, {1, 500'000}, std::string(250, 'n'), cells)), {"too many arrays"});
}

}  // namespace
}  // namespace cmr::io
