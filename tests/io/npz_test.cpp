#include "io/npy/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/file.h"
#include "support/expect_input_error.h"
#include "support/python.h"
#include "support/read_table.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::read_all;
using test::read_selected;
using test::with;
using testing::ElementsAre;

class NpzFile : public testing::Test {
  protected:
    void SetUp() override {
        if (!test::python_has("numpy")) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    }
    // Lines of Python that make a.npz.
    void make(const std::string& script) {
        const auto python = test::run_python(folder_, "import numpy as np, zipfile, io\n" + script);
        ASSERT_EQ(python.exit_code, 0) << python.output;
    }
    void expect_refused(const TableOptions& options, std::vector<std::string> words) {
        words.push_back(path_.string());
        expect_input_error([&] { read_all(*open_npz(path_, options)); }, words);
    }

    test::TemporaryFolder folder_;
    fs::path path_ = folder_ / "a.npz";
};

TEST_F(NpzFile, OfOneMatrixIsATableOfItsColumns) {
    for (const char* save : {"np.savez", "np.savez_compressed"}) {
        for (const char* order : {"C", "F"}) {
            SCOPED_TRACE(std::string(save) + order);
            make(std::string(save) + "('a.npz', X=np.array([[1, 2], [3, 4], [5, 6.5]], order='" + order + "'))");
            const auto table = open_table(path_);
            EXPECT_EQ(table->name(), path_.string() + ", array 'X'");
            EXPECT_THAT(table->columns(), ElementsAre("1", "2"));
            const auto whole = read_selected(*table, {{1}, {0}});
            EXPECT_THAT(whole.numbers[0], ElementsAre(2, 4, 6.5));
            EXPECT_THAT(whole.numbers[1], ElementsAre(1, 3, 5));
        }
    }
}

TEST_F(NpzFile, OfVectorsHasAColumnForEach) {
    make(
        "np.savez_compressed('a.npz', speed=np.arange(3.), load=np.arange(3, dtype='>i2') * 10, rate=np.array(50.),"
        " maps=np.zeros((2, 2)), label=np.array([True, False, True]))");
    const auto table = open_table(path_);
    EXPECT_THAT(table->columns(), ElementsAre("speed", "load", "label"));
    EXPECT_TRUE(table->named());
    const auto whole = read_selected(*table, {{2, ColumnKind::kText}, {1}, {0}});
    EXPECT_THAT(whole.texts[0], ElementsAre("1", "0", "1"));
    EXPECT_THAT(whole.numbers[0], ElementsAre(0, 10, 20));
    EXPECT_THAT(whole.numbers[1], ElementsAre(0, 1, 2));
}

TEST_F(NpzFile, NeedsEqualLengthsOnlyOfTheChosenColumns) {
    make("np.savez('a.npz', a=np.arange(3), b=np.arange(4), c=np.arange(3))");
    const auto table = open_npz(path_, {});
    EXPECT_EQ(read_selected(*table, {{0}, {2}}).lines.size(), 3u);
    expect_refused({}, {"'a' has 3 values, but 'b' has 4"});
}

TEST_F(NpzFile, MayHoldObjectsAndTextsThatNobodyChose) {
    make("np.savez('a.npz', a=np.arange(3), o=np.array([None, 1, 2], dtype=object), s=np.array(['x', 'y', 'z']))");
    EXPECT_THAT(read_selected(*open_npz(path_, {}), {{0}}).numbers[0], ElementsAre(0, 1, 2));
    expect_input_error([&] { read_selected(*open_npz(path_, {}), {{1}}); }, {"array 'o'", "never unpickled"});
    expect_input_error([&] { read_selected(*open_npz(path_, {}), {{2}}); }, {"array 's'", "texts"});
}

TEST_F(NpzFile, GivesTheArrayThatTheOptionNames) {
    make("np.savez('a.npz', train_x=np.ones((4, 2)), test_x=np.zeros((3, 2)), y=np.arange(4))");
    EXPECT_EQ(read_all(*open_npz(path_, with(&TableOptions::array, "test_x"))).lines.size(), 3u);
    EXPECT_EQ(read_all(*open_npz(path_, with(&TableOptions::array, "train*"))).lines.size(), 4u);
    EXPECT_THAT(
        open_npz(path_, with(&TableOptions::array, "test*", with(&TableOptions::names, {"P(1..2)"})))->columns(),
        ElementsAre("P(1)", "P(2)"));
    EXPECT_THAT(open_npz(path_, with(&TableOptions::array, "y"))->columns(), ElementsAre("y"));
    expect_refused(with(&TableOptions::array, "*_x"), {"'train_x' and 'test_x' both answer to '*_x'"});
    expect_refused(with(&TableOptions::array, "z"), {"no array 'z'", "'train_x' (4, 2), 'test_x' (3, 2), 'y' (4,)"});
}

TEST_F(NpzFile, WithSeveralMatricesAsksWhich) {
    make("np.savez('a.npz', a=np.ones((4, 2)), b=np.zeros((3, 2)))");
    expect_refused({}, {"say which by `array`", "'a' (4, 2), 'b' (3, 2)"});
}

TEST_F(NpzFile, LargerThanABlockIsStreamed) {
    make(
        "n = 400_000\nnp.savez_compressed('a.npz', a=np.arange(n), b=-np.arange(n, dtype='f4'))\n"
        "np.savez_compressed('f.npz', np.asfortranarray(np.arange(n * 2).reshape(n, 2)))");
    const auto vectors = read_all(*open_npz(path_, {}));
    const auto matrix = read_all(*open_npz(folder_ / "f.npz", {}));
    EXPECT_GT(vectors.blocks, 2);
    ASSERT_EQ(vectors.lines.size(), 400'000u);
    ASSERT_EQ(matrix.lines.size(), 400'000u);
    for (size_t row = 0; row < vectors.lines.size(); ++row) {
        const auto wanted = static_cast<double>(row);
        ASSERT_EQ(vectors.numbers[0][row], wanted);
        ASSERT_EQ(vectors.numbers[1][row], -wanted);
        ASSERT_EQ(matrix.numbers[0][row], 2 * wanted);
        ASSERT_EQ(matrix.numbers[1][row], 2 * wanted + 1);
    }
}

TEST_F(NpzFile, OfConstantsIsNoBomb) {
    make("np.savez_compressed('a.npz', np.full((3_000_000, 2), 7, 'f8'))");
    ASSERT_GT(48'000'000 / fs::file_size(path_), 500u);
    EXPECT_EQ(read_selected(*open_npz(path_, {}), {{1}}).lines.size(), 3'000'000u);
}

TEST_F(NpzFile, ThatUnpacksToMoreThanItsShapeOrLessIsRefused) {
    make(R"(
b = io.BytesIO(); np.save(b, np.arange(6.)); raw = b.getvalue()
for name, data in (('more', raw + bytes(8)), ('less', raw[:-8]), ('bomb', raw + bytes(50_000_000))):
    with zipfile.ZipFile(name + '.npz', 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('x.npy', data)
)");
    for (const char* name : {"more.npz", "less.npz", "bomb.npz"})
        expect_input_error([&] { read_all(*open_npz(folder_ / name, {})); }, {name, "array 'x'", "needs 48"});
}

TEST_F(NpzFile, WhoseDirectoryLiesAboutTheSizeIsRefused) {
    make(R"(
import struct
b = io.BytesIO(); np.save(b, np.arange(6.)); raw = b.getvalue()
claim = raw.replace(b"(6,), ", b"(99,),")
z = zipfile.ZipFile('a.npz', 'w', zipfile.ZIP_DEFLATED); z.writestr('x.npy', claim); z.close()
data = open('a.npz', 'rb').read()
old, new = struct.pack('<I', len(raw)), struct.pack('<I', len(raw) + 93 * 8)
open('a.npz', 'wb').write(data.replace(old, new))
)");
    expect_refused({}, {"x"});
}

TEST_F(NpzFile, WithADamagedByteIsRefusedOrStillConsistent) {
    make("np.savez_compressed('a.npz', a=np.arange(6), b=np.arange(6.))");
    const std::string whole = read_file(path_);
    int refused = 0;
    for (size_t position = 0; position < whole.size(); ++position) {
        std::string bytes = whole;
        bytes[position] = static_cast<char>(bytes[position] ^ 0x11);
        std::ofstream(path_, std::ios::binary) << bytes;
        try {
            read_all(*open_npz(path_, {}));
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(path_.string()));
            ++refused;
        }
    }
    EXPECT_GT(refused, static_cast<int>(whole.size()) / 2);
}

TEST_F(NpzFile, WithAWrongChecksumIsRefusedAtItsEnd) {
    make("np.savez('a.npz', x=np.arange(200_000.))");  // stored, so that a byte can be changed
    std::string bytes = read_file(path_);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(path_, std::ios::binary) << bytes;
    expect_refused({}, {"member 'x.npy'", "CRC"});
}

TEST_F(NpzFile, IsRefusedWhenCutAnywhere) {
    make("np.savez_compressed('a.npz', a=np.arange(6), b=np.arange(6.))");
    const std::string whole = read_file(path_);
    for (size_t length = 0; length < whole.size(); ++length) {
        SCOPED_TRACE(length);
        std::ofstream(path_, std::ios::binary) << whole.substr(0, length);
        expect_input_error([&] { read_all(*open_npz(path_, {})); }, {path_.string()});
    }
}

TEST_F(NpzFile, ThatIsEncryptedIsRefused) {
    make(R"(
np.savez('a.npz', x=np.arange(3))
data = bytearray(open('a.npz', 'rb').read())
data[6] |= 1                                     # the flag in the member's own header
data[data.rindex(b'PK\x01\x02') + 8] |= 1        # and in the directory
open('a.npz', 'wb').write(data)
)");
    expect_refused({}, {"member 'x.npy'", "encrypted"});
}

TEST_F(NpzFile, PackedInAnotherWayIsRefused) {
    make(
        "b = io.BytesIO(); np.save(b, np.arange(3))\n"
        "with zipfile.ZipFile('a.npz', 'w', zipfile.ZIP_BZIP2) as z: z.writestr('x.npy', b.getvalue())");
    expect_refused({}, {"member 'x.npy'", "method 12", "stored or deflated"});
}

TEST_F(NpzFile, WithoutArraysIsRefused) {
    make("with zipfile.ZipFile('a.npz', 'w') as z: z.writestr('readme.txt', 'x')");
    expect_refused({}, {"no array"});
    std::ofstream(path_) << "PK\x03\x04 but no archive";
    expect_refused({}, {"not a whole zip archive"});
    make("with zipfile.ZipFile('a.npz', 'w') as z: z.writestr('x.npy', 'no magic at all')");
    expect_refused({}, {"member 'x.npy'", "\\x93NUMPY"});
}

}  // namespace
}  // namespace cmr::io
