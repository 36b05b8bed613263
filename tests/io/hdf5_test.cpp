#include "io/hdf5/hdf5.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/rng.h"
#include "io/file.h"
#include "io/hdf5/handle.h"
#include "support/expect_input_error.h"
#include "support/memory_limit.h"
#include "support/python.h"
#include "support/read_columns.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::make_with_python;
using test::read_column;
using test::read_columns;
using test::TemporaryFolder;
using test::with_array;
using test::with_names;
using testing::ElementsAre;
using Columns = std::map<std::string, std::vector<double>>;

class Hdf5File : public testing::Test {
  protected:
    void SetUp() override {
        if (!test::python_has("h5py")) GTEST_SKIP() << "python3-h5py is not installed";
    }
    // `body` fills the file f.
    void make(const std::string& body, const std::string& options = "") {
        make_with_python(folder_,
                         "import h5py, numpy as np\nwith h5py.File('x.h5', 'w'" + options + ") as f:\n" + body);
    }
    // Random bytes of the file change; nothing but an InputError may follow.
    void expect_survival_of_damage(int rounds) {
        const std::string bytes = read_file(path_);
        Rng rng(1);
        for (int round = 0; round < rounds; ++round) {
            std::string damaged = bytes;
            for (uint64_t i = 1 + rng.below(8); i > 0; --i)
                damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
            if (round % 4 == 0) damaged.resize(rng.below(damaged.size()));
            std::ofstream(path_, std::ios::binary) << damaged;
            try {
                read_columns(path_);
            } catch (const InputError&) {
            }
        }
    }

    TemporaryFolder folder_;
    fs::path path_ = folder_ / "x.h5";
};

TEST_F(Hdf5File, HasAColumnPerVectorAtAnyDepth) {
    make(R"(
    f['speed'] = np.array([1, -2, 300], dtype='>i2')
    f['a/b/temperature'] = np.array([[0.5], [1.5]], dtype='<f4')
    f['a/flag'] = np.array([True, False])
    f['a/half'] = np.array([0.25], dtype='f2')
    f['large'] = np.array([2**63], dtype='>u8')
    f['scalar'] = 7
    f['text'] = 'abc'
    f['records'] = np.zeros(3, dtype=[('a', 'f4'), ('b', 'i4')])
    f['matrix'] = np.ones((2, 2))
    f['cube'] = np.ones((2, 2, 2))
    f['empty'] = np.zeros((0, 3))
    f['a/round'] = f['a']
    f['soft'] = h5py.SoftLink('/speed')
)");
    EXPECT_EQ(read_columns(path_), (Columns{{"/speed", {1, -2, 300}},
                                            {"/a/b/temperature", {0.5, 1.5}},
                                            {"/a/flag", {1, 0}},
                                            {"/a/half", {0.25}},
                                            {"/large", {9223372036854775808.0}},
                                            {"/scalar", {7}}}));
    const auto ask_for = [&](const std::string& array) { open_table(path_, with_array(array)); };
    expect_input_error([&] { ask_for("/text"); }, {"x.h5, /text: text, expected numbers"});
    expect_input_error([&] { ask_for("/records"); }, {"x.h5, /records: made of records"});
    expect_input_error([&] { ask_for("/empty"); }, {"empty"});
    expect_input_error([&] { ask_for("/cube"); }, {"2 x 2 x 2, expected a vector or a matrix"});
    expect_input_error([&] { ask_for("/sped"); }, {"no array '/sped'; the nearest is '/speed'"});
    expect_input_error([&] { open_table(path_)->select({{0}, {3}}); }, {"channels of different length"});
}

TEST_F(Hdf5File, WithOneMatrixIsATableOfItsColumns) {
    make("    f['data'] = np.arange(6.).reshape(3, 2)\n    f['rate'] = 100\n");
    EXPECT_EQ(read_columns(path_), (Columns{{"1", {0, 2, 4}}, {"2", {1, 3, 5}}}));
    EXPECT_EQ(read_columns(path_, with_names({"x(1..2)"})), (Columns{{"x(1)", {0, 2, 4}}, {"x(2)", {1, 3, 5}}}));
    EXPECT_EQ(read_columns(path_, test::transposed()), (Columns{{"1", {0, 1}}, {"2", {2, 3}}, {"3", {4, 5}}}));
}

TEST_F(Hdf5File, LargerThanABlockComesInBlocks) {
    make(R"(
    f.create_dataset('wide', data=np.arange(2e6).reshape(400000, 5), chunks=(30000, 2), compression='gzip', shuffle=True)
    f['long'] = np.arange(400000, dtype='i4')
)");
    const auto table = open_table(path_, with_array("/wide"));
    table->select({{4}, {1}, {2}, {0}});
    int64_t row = 0, blocks = 0;
    for (TableBlock block; table->read(block); ++blocks) {
        ASSERT_EQ(block.numbers.size(), static_cast<size_t>(4 * block.rows));
        for (int64_t i = 0; i < block.rows; ++i, ++row) {
            const double first = 5.0 * static_cast<double>(row);
            const double* found = &block.numbers[static_cast<size_t>(4 * i)];
            ASSERT_TRUE(found[0] == first + 4 && found[1] == first + 1 && found[2] == first + 2 && found[3] == first)
                << row;
            ASSERT_EQ(block.lines[static_cast<size_t>(i)], row + 1);
        }
    }
    EXPECT_EQ(row, 400'000);
    EXPECT_GT(blocks, 10);
    EXPECT_EQ(table->place(812), path_.string() + ", /wide, row 812");
    const std::vector<double> values = read_column(path_, "/long");
    ASSERT_EQ(values.size(), 400'000u);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i));
}

TEST_F(Hdf5File, OfMatlabHasTheNamesAndTheShapeThatMatlabShows) {
    make(R"(
    def put(group, name, values, kind):
        group[name] = values
        group[name].attrs['MATLAB_class'] = np.bytes_(kind)
        return group[name]
    def letters(text): return np.array([[ord(c)] for c in text], dtype='u2')
    def struct(group, name):
        group.create_group(name).attrs['MATLAB_class'] = np.bytes_('struct')
        return group[name]
    def references(group, name, targets):
        return group.create_dataset(name, data=np.array([[t.ref] for t in targets], dtype=h5py.ref_dtype),
                                    dtype=h5py.ref_dtype)
    put(f, 'rate', [[64e3]], 'double')
    put(f, 'flag', np.array([[1], [0]], dtype='u1'), 'logical')
    put(f, 'matrix', np.arange(6.).reshape(2, 3), 'double')
    put(f, 'message', letters('hello'), 'char')
    put(f, 'empty', np.array([0, 0], dtype='u8'), 'double').attrs['MATLAB_empty'] = np.uint8(1)
    put(f, 'complex', np.zeros((2, 1), dtype=[('real', 'f8'), ('imag', 'f8')]), 'double')
    put(f, 'date', np.zeros((1, 6), dtype='u4'), 'datetime')
    sparse = f.create_group('sparse')
    sparse.attrs['MATLAB_class'] = np.bytes_('double')
    sparse.attrs['MATLAB_sparse'] = np.uint64(3)
    refs = f.create_group('#refs#')
    run = struct(f, 'run')
    put(run, 'Info', letters('abc'), 'char')
    inner = struct(run, 'Setup')
    put(inner, 'Load', [[0.7]], 'double')
    y = struct(run, 'Y')
    names = [put(refs, f'n{i}', letters(n), 'char') for i, n in enumerate(['force', 'vibration_1', 'd\u00e9bit'])]
    data = [put(refs, f'd{i}', np.arange(3. + i)[:, None], 'double') for i in range(3)]
    references(y, 'Name', names)
    references(y, 'Data', data)
    plain = struct(f, 'plain')
    references(plain, 'v', data[:2])
    references(f, 'cell', [data[0], names[0], data[1]]).attrs['MATLAB_class'] = np.bytes_('cell')
with open('x.h5', 'r+b') as f: f.write(b'MATLAB 7.3 MAT-file, Platform: GLNXA64'.ljust(116) + bytes(9) + b'\2IM')
import os
os.rename('x.h5', 'x.mat')
)",
         ", userblock_size=512");
    const fs::path path = folder_ / "x.mat";
    const Columns columns = read_columns(path);
    EXPECT_EQ(columns, (Columns{{"rate", {64e3}},
                                {"flag", {1, 0}},
                                {"run.Setup.Load", {0.7}},
                                {"run.Y[force].Data", {0, 1, 2}},
                                {"run.Y[vibration_1].Data", {0, 1, 2, 3}},
                                {"run.Y[débit].Data", {0, 1, 2, 3, 4}},
                                {"plain[1].v", {0, 1, 2}},
                                {"plain[2].v", {0, 1, 2, 3}},
                                {"cell{1}", {0, 1, 2}},
                                {"cell{3}", {0, 1, 2, 3}}}));
    EXPECT_EQ(read_columns(path, with_array("matrix")), (Columns{{"1", {0, 1, 2}}, {"2", {3, 4, 5}}}));
    TableOptions as_mat;
    as_mat.format = "mat";
    EXPECT_EQ(read_columns(path, as_mat), columns);
    const auto ask_for = [&](const std::string& array) { open_table(path, with_array(array)); };
    expect_input_error([&] { ask_for("message"); }, {"x.mat, message: text, expected numbers"});
    expect_input_error([&] { ask_for("empty"); }, {"empty: empty"});
    expect_input_error([&] { ask_for("complex"); }, {"complex: complex"});
    expect_input_error([&] { ask_for("date"); }, {"a datetime of MATLAB"});
    expect_input_error([&] { ask_for("sparse"); }, {"a sparse matrix"});
}

TEST_F(Hdf5File, LeadsToNoOtherFile) {
    make_with_python(folder_, R"(
import h5py, numpy as np
with h5py.File('secret.h5', 'w') as f: f['data'] = np.arange(4.)
open('secret.bin', 'wb').write(bytes(32))
with h5py.File('x.h5', 'w') as f:
    f['own'] = np.arange(2.)
    f['link'] = h5py.ExternalLink('secret.h5', '/data')
    f['through'] = h5py.SoftLink('/link')
    f.create_dataset('raw', (4,), 'f8', external=[('secret.bin', 0, 32)])
    layout = h5py.VirtualLayout((4,), 'f8')
    layout[:] = h5py.VirtualSource('secret.h5', 'data', (4,))
    f.create_virtual_dataset('virtual', layout)
)");
    EXPECT_EQ(read_columns(path_), (Columns{{"/own", {0, 1}}}));
    expect_input_error([&] { open_table(path_, with_array("/raw")); }, {"/raw: stored in another file"});
    expect_input_error([&] { open_table(path_, with_array("/virtual")); }, {"/virtual: stored in another file"});
}

TEST_F(Hdf5File, ThatDeclaresADatasetWithoutEndIsRefused) {
    make(R"(
    f.create_dataset('never', (10**15,), 'f8', chunks=(1000,))
    f.create_dataset('barely', (10**15,), 'f8', chunks=(1000,))[0] = 1
)");
    expect_input_error([&] { open_table(path_); }, {"x.h5: holds no array of numbers"});
    expect_input_error([&] { open_table(path_, with_array("/never")); }, {"/never: without any value written"});
    expect_input_error([&] { open_table(path_, with_array("/barely")); },
                       {"/barely: declared as 1000000000000000, more than a file of"});
}

TEST_F(Hdf5File, SurvivesAnyDamage) {
    make(R"(
    f['speed'] = np.arange(30, dtype='>i2')
    f['a/b'] = np.linspace(0, 1, 30)
    f.create_dataset('packed', data=np.arange(300.), chunks=(100,), compression='gzip', fletcher32=True)
)");
    expect_survival_of_damage(150);
    make("    f.create_dataset('d', data=np.arange(300.), chunks=(100,), compression='gzip')\n", ", libver='latest'");
    expect_survival_of_damage(50);
}

TEST_F(Hdf5File, CutOffIsAnInputError) {
    make("    f['speed'] = np.arange(1000.)\n");
    const std::string bytes = read_file(path_);
    for (size_t length = 8; length < bytes.size(); length += 97) {
        std::ofstream(path_, std::ios::binary) << bytes.substr(0, length);
        expect_input_error([&] { read_columns(path_); }, {"x.h5"});
    }
}

TEST_F(Hdf5File, IsReadByManyThreadsAndLeavesNoProcess) {
    if (test::kSanitized) GTEST_SKIP() << "the sanitizer's own memory may be locked in a process that was forked";
    make("    f['data'] = np.arange(300000.)\n");
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (int i = 0; i < 5; ++i) EXPECT_EQ(read_column(path_, "/data").size(), 300'000u);
            });
    }
    open_table(path_);  // and one that is never read
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

// One packed chunk of so many rows of zeros: a small file that takes 8 bytes of memory per value.
void write_one_chunk(const fs::path& path, hsize_t rows, hsize_t columns) {
    const std::array<hsize_t, 2> shape{rows, columns};
    const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const Hdf5Handle space(H5Screate_simple(2, shape.data(), nullptr)), layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout.id(), 2, shape.data());
    H5Pset_deflate(layout.id(), 1);
    const Hdf5Handle dataset(
        H5Dcreate2(file.id(), "/x", H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
    const std::vector<double> zeros(rows * columns);
    ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()), 0);
}

TEST(Hdf5, ThatNeedsMoreMemoryThanTheMachineGivesIsNotCalledDamaged) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    const TemporaryFolder folder;
    write_one_chunk(folder / "x.h5", 1'000'000, 20);
    const auto read = [&] {
        const auto table = open_hdf5(folder / "x.h5", {});
        table->select({{0, ColumnKind::kNumber}, {1, ColumnKind::kNumber}});
        TableBlock block;
        return table->read(block);
    };
    EXPECT_TRUE(read());
    const test::MemoryLimit limit(100 << 20);
    const auto begin = std::chrono::steady_clock::now();
    test::expect_system_error(read, {"x.h5: out of memory", "ulimit -v"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace cmr::io
