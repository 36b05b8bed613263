#include "io/hdf5/reader.h"

#include <cstdlib>
#include <new>

#include "base/error.h"

namespace cmr::io {
namespace {

// The last call of the library failed. Throws bad_alloc where that was for want of memory, so that a sound file is not
// called damaged.
void check_memory() {
    bool short_of_memory = false;
    const auto look = [](unsigned, const H5E_error2_t* entry, void* found) -> herr_t {
        *static_cast<bool*>(found) |= entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &short_of_memory);
    if (short_of_memory) throw std::bad_alloc();
}

Hdf5Handle open_file(const std::string& name, const std::string& path) {
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);  // locks fail on network drives, and we only read
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);    // prints nothing
    H5Lunregister(H5L_TYPE_EXTERNAL);               // a hostile file must not lead to others
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    // Blocks are smaller than the chunks of many files: a chunk should be unpacked once and serve several blocks.
    constexpr size_t kSlots = 1009, kCacheBytes = size_t{1} << 26;
    H5Pset_cache(access.id(), 0, kSlots, kCacheBytes, 1.0);
    Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
    if (!file.valid()) {
        check_memory();
        throw InputError("{}: the HDF5 library cannot open it; it is damaged or cut off", name);
    }
    return file;
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& name, const std::string& path, uint64_t file_bytes)
    : name_(name), file_(open_file(name, path)), arrays_(list_hdf5(name, file_bytes, file_.id())) {}

hid_t Hdf5Reader::dataset(size_t array) {
    const auto [entry, fresh] = open_.try_emplace(array);
    if (fresh) entry->second = Hdf5Handle(H5Oopen_by_addr(file_.id(), arrays_.at(array).address));
    return entry->second.id();
}

std::vector<double> Hdf5Reader::read(const Hdf5Request& request) {
    const Hdf5Array& array = arrays_.at(request.array);
    // The rectangle in the file's axes; those of length 1 stay at 0.
    const size_t axes = array.info.shape.size();
    std::vector<hsize_t> begin(axes, 0), count(axes, 1);
    bool is_row = true;
    for (size_t i = 0; i < axes; ++i) {
        if (array.info.shape[i] == 1) continue;
        const size_t axis = array.reversed ? axes - 1 - i : i;
        begin[axis] = static_cast<hsize_t>(is_row ? request.first_row : request.first_column);
        count[axis] = static_cast<hsize_t>(is_row ? request.rows : request.columns);
        is_row = false;
    }
    std::vector<double> numbers(static_cast<size_t>(request.rows * request.columns));
    const hsize_t total = numbers.size();
    const hid_t source = dataset(request.array);
    const Hdf5Handle in_file(H5Dget_space(source));
    const Hdf5Handle in_memory(H5Screate_simple(1, &total, nullptr));
    if ((axes > 0 &&
         H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) < 0) ||
        H5Dread(source, H5T_NATIVE_DOUBLE, in_memory.id(), in_file.id(), H5P_DEFAULT, numbers.data()) < 0) {
        check_memory();
        throw InputError(
            "{}, {}, rows {} to {}: cannot be read; the file is damaged, or packed by a filter that is not installed",
            name_, array.info.name, request.first_row + 1, request.first_row + request.rows);
    }
    if (!array.reversed || request.columns == 1) return numbers;
    std::vector<double> upright(numbers.size());
    for (int64_t column = 0; column < request.columns; ++column)
        for (int64_t row = 0; row < request.rows; ++row)
            upright[static_cast<size_t>(row * request.columns + column)] =
                numbers[static_cast<size_t>(column * request.rows + row)];
    return upright;
}

}  // namespace cmr::io
