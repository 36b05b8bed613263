#include "io/npy/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "io/file.h"
#include "support/expect_input_error.h"
#include "support/python.h"
#include "support/read_table.h"
#include "support/write_npy.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::read_all;
using test::read_selected;
using test::with;
using test::write_npy;
using testing::ElementsAre;

class NpyFile : public testing::Test {
  protected:
    // A file of version 1 with this dict, in front of these bytes.
    static std::string file_bytes(const std::string& dict, const std::string& data) {
        std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
        bytes += static_cast<char>(dict.size() & 0xff);
        bytes += static_cast<char>(dict.size() >> 8);
        return bytes + dict + data;
    }
    std::unique_ptr<Table> open_bytes(const std::string& bytes, const TableOptions& options = {}) {
        std::ofstream(path_, std::ios::binary) << bytes;
        return open_npy(path_, options);
    }
    void expect_refused(const std::string& dict, size_t data_bytes, std::vector<std::string> words) {
        SCOPED_TRACE(dict.substr(0, 200));
        words.push_back(path_.string());
        expect_input_error([&] { read_all(*open_bytes(file_bytes(dict, std::string(data_bytes, '\1')))); }, words);
    }

    test::TemporaryFolder folder_;
    fs::path path_ = folder_ / "a.npy";
};

const std::vector<float> kSix = {1.5f, -2.f, 3.f, 4.f, 5.f, 6.25f};

TEST_F(NpyFile, ReturnsWhatWasWritten) {
    write_npy(path_, kSix, {3, 2});
    const auto table = open_table(path_);
    EXPECT_THAT(table->columns(), ElementsAre("1", "2"));
    EXPECT_FALSE(table->named());
    const auto whole = read_all(*table);
    EXPECT_THAT(whole.numbers[0], ElementsAre(1.5, 3, 5));
    EXPECT_THAT(whole.numbers[1], ElementsAre(-2, 4, 6.25));
    EXPECT_THAT(whole.lines, ElementsAre(1, 2, 3));
    EXPECT_EQ(table->place(2), path_.string() + ", row 2");
}

TEST_F(NpyFile, IsUnderstoodByNumpy) {
    if (!test::python_has("numpy")) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    write_npy(path_, kSix, {3, 2});
    const auto python = test::run_python(
        folder_, "import numpy as np\na = np.load('a.npy', mmap_mode='r')\nprint(a.dtype.str, a.shape, a.tolist())");
    EXPECT_EQ(python.output, "<f4 (3, 2) [[1.5, -2.0], [3.0, 4.0], [5.0, 6.25]]\n");
}

TEST_F(NpyFile, OfEveryTypeOrderAndVersionReadsAsNumpyMeantIt) {
    if (!test::python_has("numpy")) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    const auto python = test::run_python(folder_, R"(
import numpy as np
for kind in 'f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1'.split():
    for sign in '<>':
        for order in 'CF':
            for version in (1, 2, 3):
                base = np.array([[0, 1, 2, 3], [100, 101, 102, 103], [4, 3, 2, 1]])
                if kind[0] in 'fi': base[2] *= -1
                a = np.array(base.astype(sign + kind), order=order)
                name = f'{kind}{"le" if sign == "<" else "be"}{order}{version}.npy'
                with open(name, 'wb') as f: np.lib.format.write_array(f, a, version=(version, 0))
                print(name, *a.astype('f8').ravel())
)");
    std::istringstream lines(python.output);
    int files = 0;
    for (std::string line; std::getline(lines, line); ++files) {
        SCOPED_TRACE(line);
        std::istringstream words(line);
        std::string name;
        ASSERT_TRUE(words >> name);
        const auto table = open_table(folder_ / name);
        const auto whole = read_selected(*table, {{3}, {0}, {2}, {1}});
        ASSERT_EQ(whole.lines.size(), 3u);
        for (size_t row = 0; row < 3; ++row)
            for (const size_t column : {1, 3, 2, 0}) {  // where 0, 1, 2, 3 were put by the selection
                double wanted = 0;
                ASSERT_TRUE(words >> wanted);
                EXPECT_EQ(whole.numbers[column][row], wanted);
            }
    }
    EXPECT_EQ(files, 11 * 2 * 2 * 3);
}

TEST_F(NpyFile, LargerThanABlockReadsTheSameInEitherOrder) {
    if (!test::python_has("numpy")) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    test::run_python(folder_, R"(
import numpy as np
a = np.arange(300_000 * 3, dtype='i4').reshape(-1, 3)
np.save('c.npy', a)
np.save('f.npy', np.asfortranarray(a))
)");
    for (const char* name : {"c.npy", "f.npy"}) {
        const auto table = open_table(folder_ / name);
        const auto whole = read_selected(*table, {{2}, {0}});
        EXPECT_GT(whole.blocks, 2);
        ASSERT_EQ(whole.lines.size(), 300'000u);
        EXPECT_EQ(whole.lines.back(), 300'000);
        for (size_t row = 0; row < whole.lines.size(); ++row) {
            ASSERT_EQ(whole.numbers[0][row], static_cast<double>(3 * row + 2));
            ASSERT_EQ(whole.numbers[1][row], static_cast<double>(3 * row));
        }
    }
}

TEST_F(NpyFile, OfOneDimensionIsOneColumn) {
    write_npy(path_, kSix, {6});
    const auto table = open_npy(path_, with(&TableOptions::names, {"x"}));
    EXPECT_THAT(table->columns(), ElementsAre("x"));
    EXPECT_TRUE(table->named());
    EXPECT_THAT(read_all(*table).numbers[0], ElementsAre(1.5, -2, 3, 4, 5, 6.25));
}

TEST_F(NpyFile, OfThreeDimensionsIsReadWhenOneOfThemIsSingle) {
    for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{{1, 3, 2}, {3, 1, 2}, {3, 2, 1}}) {
        write_npy(path_, kSix, shape);
        EXPECT_THAT(read_all(*open_npy(path_, {})).numbers[1], ElementsAre(-2, 4, 6.25));
    }
    write_npy(path_, std::vector<float>(8), {2, 2, 2});
    expect_input_error([&] { open_npy(path_, {}); }, {path_.string(), "(2, 2, 2)", "one or two dimensions"});
}

TEST_F(NpyFile, GivesTextsAndTimesToo) {
    write_npy(path_, kSix, {3, 2});
    const auto table = open_npy(path_, with(&TableOptions::missing, {"3"}));
    const auto whole = read_selected(*table, {{0, ColumnKind::kText}, {1, ColumnKind::kTime}});
    EXPECT_THAT(whole.texts[0], ElementsAre("1.5", "", "5"));
    EXPECT_THAT(whole.numbers[0], ElementsAre(-2, 4, 6.25));
}

TEST_F(NpyFile, HasAbsentValuesWhereItHoldsNanOrAMissingNumber) {
    write_npy(path_, std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), -200}, {3});
    const auto whole = read_all(*open_npy(path_, with(&TableOptions::missing, {"-200", "Bad"})));
    EXPECT_THAT(whole.numbers[0], ElementsAre(1, testing::IsNan(), testing::IsNan()));
}

TEST_F(NpyFile, TakesAsManyNamesAsItHasColumns) {
    write_npy(path_, kSix, {3, 2});
    EXPECT_THAT(open_npy(path_, with(&TableOptions::names, {"XMV(1..2)"}))->columns(), ElementsAre("XMV(1)", "XMV(2)"));
    expect_input_error([&] { open_npy(path_, with(&TableOptions::names, {"a"})); },
                       {path_.string(), "2 columns, but `names` has 1"});
}

TEST_F(NpyFile, IsRefusedWhenCutAnywhere) {
    write_npy(path_, kSix, {3, 2});
    const std::string whole = read_file(path_);
    for (size_t length = 0; length < whole.size(); ++length) {
        SCOPED_TRACE(length);
        expect_input_error([&] { open_bytes(whole.substr(0, length)); }, {path_.string()});
    }
}

TEST_F(NpyFile, WithADamagedByteIsRefusedOrStillConsistent) {
    write_npy(path_, kSix, {3, 2});
    const std::string whole = read_file(path_);
    for (size_t position = 0; position < whole.size(); ++position) {
        for (const int flip : {0x01, 0x10, 0x80}) {
            std::string bytes = whole;
            bytes[position] = static_cast<char>(bytes[position] ^ flip);
            try {
                const auto table = open_bytes(bytes);
                EXPECT_EQ(read_all(*table).lines.size() * table->columns().size() * 4, 24u);
            } catch (const InputError&) {
            }
        }
    }
}

TEST_F(NpyFile, WithALyingHeaderIsRefused) {
    const auto dict = [](const std::string& type, const std::string& shape) {
        return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    };
    expect_refused(dict("<f4", "(3, 2)"), 20, {"20 bytes of values", "(3, 2)", "needs 24"});
    expect_refused(dict("<f4", "(3, 2)"), 28, {"28 bytes of values", "needs 24"});
    expect_refused(dict("<f8", "(4611686018427387904, 4)"), 8, {"too large"});
    expect_refused(dict("<f8", "(1000000000000,)"), 8, {"needs 8000000000000"});
    expect_refused(dict("<f8", "(99999999999999999999,)"), 8, {"expected a dimension"});
    expect_refused(dict("<f8", "(-1,)"), 8, {"expected a dimension"});
    expect_refused(dict("<f8", "(0, 3)"), 0, {"no values", "(0, 3)"});
    expect_refused(dict("<f8", "()"), 8, {"a single value"});
    expect_refused(dict("<f8", "(1)"), 8, {"expected ','"});
    expect_refused(dict("<f8", "[1]"), 8, {"expected '('"});
    expect_refused(dict("<f8", "(1, 1"), 8, {"expected a dimension"});
}

TEST_F(NpyFile, OfWhatIsNoNumberIsRefusedByName) {
    const auto dict = [](const std::string& type) {
        return "{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }\n";
    };
    expect_refused(dict("'|O'"), 8, {"'|O'", "never unpickled"});
    expect_refused(dict("'<U7'"), 28, {"'<U7'", "texts"});
    expect_refused(dict("'|S3'"), 3, {"'|S3'", "texts"});
    expect_refused(dict("'<M8[ns]'"), 8, {"'<M8[ns]'", "dates"});
    expect_refused(dict("'<c8'"), 8, {"'<c8'", "complex"});
    expect_refused(dict("'<f2'"), 2, {"'<f2'"});
    expect_refused(dict("'|f4'"), 4, {"'|f4'"});
    expect_refused(dict("'f4'"), 4, {"'f4'"});
    expect_refused(dict("''"), 4, {"''"});
    expect_refused(dict("[('a', '<f4'), ('b', '<i4')]"), 8, {"[('a', '<f4'), ('b', '<i4')]", "records"});
}

TEST_F(NpyFile, WithADictOtherThanNumpysIsRefused) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "expected '{'"},
        {"{", "a text in quotes"},
        {"{}", "lacks descr"},
        {"{'descr': '<f4'}", "lacks fortran_order"},
        {"{'descr': '<f4', 'fortran_order': True}", "lacks shape"},
        {"{'descr': '<f4', 'descr': '<f4'}", "once each"},
        {"{'evil': 1}", "the key 'evil'"},
        {"{'descr': __import__('os')}", "a text in quotes"},
        {"{'descr': '<f4\\'}", "without backslashes"},
        {"{'descr': '<f4}", "a closing quote"},
        {"{'descr': [[[[", "']'"},
        {"{'fortran_order': 1}", "True or False"},
        {"{'descr': '<f4' 'shape': (1,)}", "','"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", "the end of the header"},
        {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", "at most 32"},
    };
    for (const auto& [dict, word] : cases) expect_refused(dict, 4, {word});
}

TEST_F(NpyFile, OfAnotherVersionOrWithoutItsMagicIsRefused) {
    std::string bytes = file_bytes("{}", "");
    bytes[6] = 4;
    expect_input_error([&] { open_bytes(bytes); }, {"version 4.0", "expected 1.0, 2.0 or 3.0"});
    bytes[0] = 'x';
    expect_input_error([&] { open_bytes(bytes); }, {"\\x93NUMPY"});
    // A header of 4 GB is not even asked for.
    expect_input_error([&] { open_bytes(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)); },
                       {"4294967295 bytes long"});
}

}  // namespace
}  // namespace cmr::io
