#include "io/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/pattern.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/file.h"
#include "io/hdf5/hdf5.h"
#include "io/mat/mat.h"
#include "io/npy/npy.h"
#include "io/npy/npz.h"
#include "io/text/csv.h"
#include "io/text/spelling.h"
#include "io/xlsx/xlsx.h"

namespace cmr::io {
namespace {

using Open = std::unique_ptr<Table> (*)(const fs::path&, const TableOptions&);

struct FormatEntry {
    const char* name;
    std::string_view magic;  // first bytes; empty: text
    std::vector<std::string> extensions;
    Open open;
};

// A new format is a folder and one line here, and its name in recipe/check.cpp. Zip archives are told apart by their
// extension.
const std::vector<FormatEntry>& formats() {
    static const std::vector<FormatEntry> entries = {
        {"npy", "\x93NUMPY", {".npy"}, open_npy},
        {"hdf5", "\x89HDF\r\n\x1a\n", {".h5", ".hdf5", ".hdf"}, open_hdf5},
        {"mat", "MATLAB 5.0 MAT-file", {".mat"}, open_mat},
        {"xlsx", "PK\x03\x04", {".xlsx", ".xlsm"}, open_xlsx},
        {"npz", "PK\x03\x04", {".npz"}, open_npz},
        {"csv", "", {".csv", ".tsv", ".txt", ".dat"}, open_csv},
    };
    return entries;
}

std::string lower_extension(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    return extension;
}

const FormatEntry& by_name(const std::string& name, const fs::path& path) {
    std::vector<std::string> names;
    for (const FormatEntry& entry : formats()) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    const auto hint = suggest(name, names);
    throw InputError("{}: no format is called '{}'{}; known are auto, {}", path.string(), name,
                     hint ? fmt::format(", did you mean {}?", *hint) : "", fmt::join(names, ", "));
}

// What stands in a pipe can be read once: it is taken as text, and not looked at before.
bool is_pipe(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

const FormatEntry& sniff(const fs::path& path) {
    if (is_pipe(path)) return by_name("csv", path);
    std::array<std::byte, 8 + 512> head;
    InputFile file(path);
    const std::string_view start(reinterpret_cast<const char*>(head.data()), file.read(head));
    if (start.empty()) throw InputError("{}: the file is empty", path.string());
    // MATLAB 7.3 is HDF5 behind 512 bytes of text.
    if (start.size() > 512 && start.substr(512).starts_with("\x89HDF\r\n\x1a\n")) return by_name("hdf5", path);
    const std::string extension = lower_extension(path);
    const FormatEntry* found = nullptr;
    for (const FormatEntry& entry : formats()) {
        const bool right_magic = !entry.magic.empty() && start.starts_with(entry.magic);
        const bool right_extension = std::ranges::find(entry.extensions, extension) != entry.extensions.end();
        if (right_magic && (!found || right_extension)) found = &entry;
        if (right_extension && !right_magic && !entry.magic.empty())
            throw InputError(
                "{}: a file of this extension should begin as {} does, but this one does not; it may be "
                "damaged, or be something else: then say `format = ...`",
                path.string(), entry.name);
    }
    return found ? *found : by_name("csv", path);
}

// A small table turned on its side: what were its rows are the columns.
class TransposedTable : public Table {
  public:
    TransposedTable(std::unique_ptr<Table> inner, const TableOptions& options)
        : Table(inner->name()), inner_(std::move(inner)) {
        std::vector<Selection> all(inner_->columns().size());
        for (size_t i = 0; i < all.size(); ++i) all[i].column = static_cast<int64_t>(i);
        inner_->select(all);
        length_ = static_cast<int64_t>(all.size());
        TableBlock block;
        while (inner_->read(block)) {
            constexpr size_t kLimit = size_t{1} << 28;
            if (values_.size() + block.numbers.size() > kLimit)
                throw InputError(
                    "{}: more than {} values, too many to be turned on their side; store the file with one "
                    "row per moment",
                    name_, kLimit);
            values_.insert(values_.end(), block.numbers.begin(), block.numbers.end());
            lines_.insert(lines_.end(), block.lines.begin(), block.lines.end());
        }
        for (size_t row = 0; row < lines_.size(); ++row) columns_.push_back(std::to_string(row + 1));
        name_columns(options);
    }

    void name_columns(const TableOptions& options) {
        if (options.names.empty()) return;
        const auto names = expand_names(options.names);
        if (names.size() != columns_.size())
            throw InputError("{}: {} rows, but `names` has {}", name_, columns_.size(), names.size());
        columns_ = names;
        named_ = true;
    }

    void select(const std::vector<Selection>& columns) override {
        for (const Selection& s : columns)
            if (s.kind != ColumnKind::kNumber)
                throw InputError("{}: a transposed file gives numbers only, not times or texts", name_);
        selection_ = columns;
    }

    bool read(TableBlock& block) override {
        block.numbers.clear();
        block.texts.clear();
        block.lines.clear();
        block.rows = std::min<int64_t>(length_ - next_, 4096);
        for (int64_t row = 0; row < block.rows; ++row, ++next_) {
            for (const Selection& s : selection_) block.numbers.push_back(values_[s.column * length_ + next_]);
            block.lines.push_back(next_ + 1);
        }
        return block.rows > 0;
    }

    std::string place(int64_t line) const override { return fmt::format("{}, column {}", name_, line); }

  private:
    std::unique_ptr<Table> inner_;
    std::vector<double> values_;  // [columns, length]
    std::vector<int64_t> lines_;
    std::vector<Selection> selection_;
    int64_t length_ = 0;
    int64_t next_ = 0;
};

}  // namespace

bool Table::has(std::string_view column) const {
    return std::ranges::any_of(columns_,
                               [&](const std::string& name) { return matches(trimmed(name), trimmed(column)); });
}

int64_t Table::find(std::string_view column) const {
    column = trimmed(column);
    const bool pattern = column.find('*') != std::string_view::npos;
    int64_t found = -1;
    for (size_t i = 0; i < columns_.size(); ++i) {
        const std::string_view name = trimmed(columns_[i]);
        if (pattern ? !matches(name, column) : name != column) continue;
        if (found >= 0) throw InputError("{}: columns {} and {} both answer to '{}'", name_, found + 1, i + 1, column);
        found = static_cast<int64_t>(i);
    }
    if (found >= 0) return found;
    const auto hint = suggest(column, columns_);
    throw InputError(
        "{}: no column '{}'; {}", name_, column,
        hint ? fmt::format("the nearest is '{}'", *hint)
        : columns_.size()
            ? fmt::format("it has {} columns: {}{}", columns_.size(),
                          fmt::join(columns_.begin(), columns_.begin() + std::min<size_t>(columns_.size(), 8), ", "),
                          columns_.size() > 8 ? ", ..." : "")
            : "it has none");
}

std::unique_ptr<Table> open_table(const fs::path& path, const TableOptions& options) {
    const FormatEntry& format = options.format == "auto" ? sniff(path) : by_name(options.format, path);
    if (!options.transposed) return format.open(path, options);
    TableOptions upright = options;
    upright.names.clear();
    return std::make_unique<TransposedTable>(format.open(path, upright), options);
}

std::vector<std::string> renamed_columns(const std::string& table, const std::vector<std::string>& columns,
                                         bool has_header, const std::vector<std::string>& names) {
    auto expanded = expand_names(names);
    if (!has_header && expanded.size() != columns.size())
        throw InputError("{}: {} columns, but `names` has {}", table, with_commas(std::ssize(columns)),
                         with_commas(std::ssize(expanded)));
    const auto same = [](const std::string& a, const std::string& b) { return trimmed(a) == trimmed(b); };
    if (has_header && !std::ranges::equal(columns, expanded, same))
        throw InputError(
            "{}: its first row already names the columns, and not as `names` does; take `names` out, or say header = "
            "\"no\" if that row holds data",
            table);
    return expanded;
}

}  // namespace cmr::io
