#include "io/arrays/named_array_table.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/pattern.h"
#include "base/suggest.h"

namespace cmr::io {

std::optional<Extent> extent(const std::vector<int64_t>& shape) {
    std::vector<int64_t> axes;
    for (const int64_t length : shape)
        if (length != 1) axes.push_back(length);
    if (axes.size() > 2) return std::nullopt;
    axes.resize(2, 1);
    return Extent{axes[0], axes[1]};
}

std::string shape_text(const std::vector<int64_t>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

NamedArrayTable::NamedArrayTable(const fs::path& path, std::vector<ArrayInfo> arrays, const TableOptions& options)
    : ArrayTable(path.string(), options), arrays_(std::move(arrays)) {
    for (ArrayInfo& array : arrays_)
        if (array.obstacle.empty() && std::ranges::count(array.shape, 0) > 0) array.obstacle = "empty";
    if (!options.array.empty()) {
        const size_t chosen = find_array(options.array);
        name_ += ", " + arrays_[chosen].name;
        offer_array(chosen, options);
        return;
    }
    std::vector<size_t> matrices;
    bool has_vectors = false;
    for (size_t i = 0; i < arrays_.size(); ++i) {
        if (!arrays_[i].obstacle.empty()) continue;
        const auto size = extent(arrays_[i].shape);
        if (!size || size->columns > 1)
            matrices.push_back(i);
        else if (size->rows > 1)
            has_vectors = true;
    }
    // Scalars beside a matrix are its settings, such as a sampling rate.
    if (has_vectors || matrices.empty())
        offer_vectors();
    else if (matrices.size() == 1)
        offer_array(matrices.front(), options);
    if (!columns_.empty())
        list_left_out();
    else
        throw InputError("{}: holds {} matrices, among them {} ({}) and {} ({}); say which one with `array`", name_,
                         matrices.size(), arrays_[matrices[0]].name, shape_text(arrays_[matrices[0]].shape),
                         arrays_[matrices[1]].name, shape_text(arrays_[matrices[1]].shape));
}

void NamedArrayTable::offer_vectors() {
    named_ = true;
    for (size_t i = 0; i < arrays_.size(); ++i) {
        const auto size = extent(arrays_[i].shape);
        if (!arrays_[i].obstacle.empty() || !size || size->columns > 1) continue;
        columns_.push_back(arrays_[i].name);
        offered_.push_back({i, 0});
    }
    if (!columns_.empty()) return;
    const std::string first =
        arrays_.empty() ? "" : fmt::format(", but {}, which is {}", arrays_[0].name, arrays_[0].obstacle);
    throw InputError("{}: holds no array of numbers{}", name_, first);
}

void NamedArrayTable::list_left_out() {
    for (size_t i = 0; i < arrays_.size(); ++i) {
        if (std::ranges::find(offered_, i, &ArrayColumn::array) != offered_.end()) continue;
        const std::string& obstacle = arrays_[i].obstacle;
        left_out_.push_back(
            fmt::format("{}: {}", arrays_[i].name, obstacle.empty() ? shape_text(arrays_[i].shape) : obstacle));
    }
}

void NamedArrayTable::offer_array(size_t index, const TableOptions& options) {
    const ArrayInfo& array = arrays_[index];
    if (!array.obstacle.empty()) throw InputError("{}: {}, expected numbers", name_, array.obstacle);
    const auto size = extent(array.shape);
    if (!size)
        throw InputError("{}: {} is {}, expected a vector or a matrix", name_, array.name, shape_text(array.shape));
    constexpr int64_t kMostColumns = int64_t{1} << 24;
    if (size->columns > kMostColumns)
        throw InputError("{}: {} is {}, expected at most {} columns", name_, array.name, shape_text(array.shape),
                         kMostColumns);
    for (int64_t i = 0; i < size->columns; ++i) {
        columns_.push_back(size->columns == 1 ? array.name : std::to_string(i + 1));
        offered_.push_back({index, i});
    }
    named_ = size->columns == 1;
    if (options.names.empty()) return;
    auto names = expand_names(options.names);
    if (names.size() != columns_.size())
        throw InputError("{}: {} has {} columns, but `names` has {}", name_, array.name, columns_.size(), names.size());
    columns_ = std::move(names);
    named_ = true;
}

// The one array of numbers that answers to the pattern; what else answers to it counts only where no numbers do.
size_t NamedArrayTable::find_array(const std::string& pattern) const {
    std::vector<size_t> readable, others;
    std::vector<std::string> names;
    for (size_t i = 0; i < arrays_.size(); ++i) {
        names.push_back(arrays_[i].name);
        if (matches(arrays_[i].name, pattern)) (arrays_[i].obstacle.empty() ? readable : others).push_back(i);
    }
    if (readable.empty()) readable = others;
    if (readable.size() == 1) return readable.front();
    if (readable.size() > 1)
        throw InputError("{}: {} arrays answer to '{}', among them {} and {}", name_, readable.size(), pattern,
                         names[readable[0]], names[readable[1]]);
    const auto hint = suggest(pattern, names);
    throw InputError("{}: no array '{}'{}", name_, pattern,
                     hint            ? fmt::format("; the nearest is '{}'", *hint)
                     : names.empty() ? "; it has none"
                                     : fmt::format("; it has {}, the first is '{}'", names.size(), names.front()));
}

int64_t NamedArrayTable::open_columns(const std::vector<int64_t>& columns) {
    CMR_ASSERT(selected_.empty(), "columns are selected once");
    for (const int64_t column : columns) selected_.push_back(offered_.at(static_cast<size_t>(column)));
    if (selected_.empty()) return 0;
    const ArrayInfo& first = arrays_[selected_.front().array];
    const int64_t length = extent(first.shape)->rows;
    for (const ArrayColumn& column : selected_) {
        const ArrayInfo& other = arrays_[column.array];
        if (const int64_t rows = extent(other.shape)->rows; rows != length)
            throw UnequalLengths("{}: channels of different length: {} has {} values, {} has {}", name_, first.name,
                                 length, other.name, rows);
    }
    return length;
}

void NamedArrayTable::read_columns(int64_t rows, std::span<double> values) {
    fetch(next_, rows, values);
    next_ += rows;
}

}  // namespace cmr::io
