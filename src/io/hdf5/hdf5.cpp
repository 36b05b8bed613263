// The HDF5 library is known to crash on damaged files, so it runs in a child process (docs/decisions/0004). The child
// answers two requests: an empty one with a line "name \t obstacle \t shape" per array, and the numbers of an
// Hdf5Request with the doubles of that rectangle.

#include "io/hdf5/hdf5.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "io/hdf5/isolated.h"
#include "io/hdf5/reader.h"

namespace cmr::io {
namespace {

std::string encode(const std::vector<Hdf5Array>& arrays) {
    std::string lines;
    for (const auto& [info, address, reversed] : arrays)
        lines += fmt::format("{}\t{}\t{}\n", info.name, info.obstacle, fmt::join(info.shape, " "));
    return lines;
}

std::vector<ArrayInfo> decode(const std::string& lines) {
    std::vector<ArrayInfo> arrays;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
        std::istringstream parts(line);
        ArrayInfo array;
        std::getline(parts, array.name, '\t');
        std::getline(parts, array.obstacle, '\t');
        for (int64_t length; parts >> length;) array.shape.push_back(length);
        const bool sound = std::ranges::all_of(array.shape, [](int64_t length) { return length > 0; });
        if (array.obstacle.empty() && !sound) array.obstacle = "damaged";
        arrays.push_back(std::move(array));
    }
    return arrays;
}

class Child {
  public:
    explicit Child(const fs::path& path) : name_(path.string()), file_(path), process_(start(name_)) {}

    std::vector<ArrayInfo> arrays() { return decode(process_.ask("")); }

    void read(const Hdf5Request& request, std::string& bytes) {
        const std::string_view question(reinterpret_cast<const char*>(&request), sizeof request);
        bytes = process_.ask(question);
        const size_t wanted = static_cast<size_t>(request.rows * request.columns) * sizeof(double);
        if (bytes.size() != wanted)  // whatever the library has done to the child
            throw InputError("{}: the HDF5 library gave {} bytes, expected {}", name_, bytes.size(), wanted);
    }

  private:
    IsolatedProcess start(const std::string& name) {
        const uint64_t bytes = file_.size();
        // By its descriptor, so that it is the file whose size is known.
        const std::string path = fmt::format("/proc/self/fd/{}", file_.number());
        constexpr uint64_t kLeast = uint64_t{1} << 29, kMost = uint64_t{1} << 32;
        const IsolationLimits limits{.memory_bytes = std::min(kLeast + 16 * std::min(bytes, kMost), kMost)};
        const auto reader = std::make_shared<std::optional<Hdf5Reader>>();  // comes to life in the child
        return {name, "HDF5", limits, file_.number(), [=](std::string_view question) -> std::string {
                    if (!*reader) reader->emplace(name, path, bytes);
                    if (question.empty()) return encode((*reader)->arrays());
                    Hdf5Request request;
                    CMR_ASSERT(question.size() == sizeof request, "the parent asks for a rectangle");
                    std::memcpy(&request, question.data(), sizeof request);
                    const std::vector<double> numbers = (*reader)->read(request);
                    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
                }};
    }

    std::string name_;
    InputFile file_;
    IsolatedProcess process_;
};

class Hdf5Table : public NamedArrayTable {
  public:
    Hdf5Table(const fs::path& path, std::unique_ptr<Child> child, const TableOptions& options)
        : NamedArrayTable(path, child->arrays(), options), child_(std::move(child)) {}

  private:
    // Neighbouring columns of one array come together, as they lie in the file.
    void fetch(int64_t first_row, int64_t rows, std::span<double> numbers) override {
        const std::vector<ArrayColumn>& columns = selected();
        for (size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
            const auto [array, first] = columns[begin];
            for (end = begin + 1; end < columns.size(); ++end)
                if (columns[end].array != array || columns[end].column != first + static_cast<int64_t>(end - begin))
                    break;
            const size_t width = end - begin;
            child_->read({array, first_row, rows, first, static_cast<int64_t>(width)}, bytes_);
            for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
                std::memcpy(&numbers[row * columns.size() + begin], bytes_.data() + row * width * sizeof(double),
                            width * sizeof(double));
        }
    }

    std::unique_ptr<Child> child_;
    std::string bytes_;
};

}  // namespace

std::unique_ptr<Table> open_hdf5(const fs::path& path, const TableOptions& options) {
    return std::make_unique<Hdf5Table>(path, std::make_unique<Child>(path), options);
}

}  // namespace cmr::io
