#include "io/npy/npz.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/error.h"
#include "base/pattern.h"
#include "io/arrays/array_table.h"
#include "io/npy/columns.h"
#include "io/text/spelling.h"
#include "io/zip.h"

namespace cmr::io {
namespace {

// One array of the archive. Its header is known; of its values nothing is.
struct Member {
    size_t index = 0;
    std::string name;
    std::string place;  // for messages
    NpyHeader header;
    uint64_t bytes = 0;  // after the header, as the archive declares
};

ReadBytes reading(const std::shared_ptr<ZipMember>& member) {
    return [member](std::span<std::byte> bytes) { return member->read(bytes); };
}

std::vector<Member> members_of(const ZipArchive& archive, const std::string& path) {
    std::vector<Member> members;
    for (size_t i = 0; i < archive.members().size(); ++i) {
        std::string name = archive.members()[i];
        if (!name.ends_with(".npy")) continue;
        const auto file = std::make_shared<ZipMember>(archive.open(i));
        NpyHeader header = read_npy_header(reading(file), file->name());
        const uint64_t bytes = file->size() > header.bytes ? file->size() - header.bytes : 0;
        name.resize(name.size() - 4);
        std::string place = fmt::format("{}, array {}", path, shown(name));
        members.push_back({i, std::move(name), std::move(place), std::move(header), bytes});
    }
    if (members.empty()) throw InputError("{}: no array in this archive, expected members called *.npy", path);
    return members;
}

bool is_column(const Member& member) { return member.header.shape.size() == 1; }

std::string listed(const std::vector<Member>& members) {
    std::string list;
    for (size_t i = 0; i < std::min<size_t>(members.size(), 8); ++i)
        list += fmt::format("{}{} {}", i ? ", " : "", shown(members[i].name), tuple_text(members[i].header.shape));
    return list + (members.size() > 8 ? ", ..." : "");
}

// The one array that is the whole table, if there is one.
const Member* whole_table(const std::vector<Member>& members, const std::string& wanted, const std::string& path) {
    if (wanted.empty()) {
        if (members.size() == 1) return &members[0];
        const auto flat = std::ranges::find_if(members, is_column);
        const auto is_matrix = [](const Member& member) { return member.header.shape.size() == 2; };
        if (flat == members.end() && std::ranges::count_if(members, is_matrix) == 1)
            return &*std::ranges::find_if(members, is_matrix);
        if (flat == members.end())
            throw InputError("{}: several arrays, say which by `array`: {}", path, listed(members));
        return nullptr;
    }
    const Member* found = nullptr;
    for (const Member& member : members) {
        if (!matches(member.name, wanted)) continue;
        if (found)
            throw InputError("{}: the arrays {} and {} both answer to '{}'", path, shown(found->name),
                             shown(member.name), wanted);
        found = &member;
    }
    if (!found) throw InputError("{}: no array '{}'; it has {}", path, wanted, listed(members));
    return found;
}

// Unpacks an array that is stored column after column into a nameless temporary file, where places can be read.
ReadBytesAt unpacked(const std::shared_ptr<ZipMember>& member) {
    constexpr uint64_t kSmall = uint64_t{256} << 20, kLikely = 200;
    if (member->size() > kSmall && member->size() / kLikely > member->packed_size())
        throw InputError("{}: would unpack {} bytes to {}; expected C order, or less of it", member->name(),
                         member->packed_size(), member->size());
    const std::shared_ptr<FILE> file(std::tmpfile(), [](FILE* open) {
        if (open) std::fclose(open);
    });
    const auto check = [&](bool good) {
        if (!good)
            fail_with(errno, fmt::format("{}: cannot be unpacked in the folder for temporary files", member->name()));
    };
    check(file != nullptr);
    std::vector<std::byte> piece(1 << 18);
    while (const size_t got = member->read(piece)) check(std::fwrite(piece.data(), 1, got, file.get()) == got);
    check(std::fflush(file.get()) == 0);
    return [file](uint64_t offset, std::span<std::byte> bytes) -> size_t {
        const ssize_t got = ::pread(::fileno(file.get()), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        return got < 0 ? 0 : static_cast<size_t>(got);
    };
}

class NpzTable : public ArrayTable {
  public:
    NpzTable(const fs::path& path, const TableOptions& options) : ArrayTable(path.string(), options), archive_(path) {
        std::vector<Member> members = members_of(archive_, name_);
        if (const Member* whole = whole_table(members, options.array, name_)) {
            name_ = whole->place;
            members_ = {*whole};
            if (!is_column(*whole)) {
                number_columns(npy_layout(whole->header, whole->bytes, name_).columns, options);
                return;
            }
        } else {
            std::ranges::copy_if(members, std::back_inserter(members_), is_column);
        }
        if (!options.names.empty())
            throw InputError("{}: its columns are arrays with names of their own; take `names` out", name_);
        one_array_per_column_ = true;
        named_ = true;
        for (const Member& member : members_) columns_.emplace_back(trimmed(member.name));
    }

  private:
    int64_t open_columns(const std::vector<int64_t>& columns) override {
        if (!one_array_per_column_) {
            const NpyLayout layout = npy_layout(members_[0].header, members_[0].bytes, name_);
            readers_.push_back(open(members_[0], layout, columns));
            return layout.rows;
        }
        NpyLayout first;
        for (const int64_t column : columns) {
            const Member& member = members_.at(static_cast<size_t>(column));
            const NpyLayout layout = npy_layout(member.header, member.bytes, member.place);
            if (readers_.empty()) first = layout;
            if (layout.rows != first.rows)
                throw UnequalLengths("{}: the array {} has {} values, but {} has {}; columns need the same length",
                                     name_, shown(members_[static_cast<size_t>(columns[0])].name), first.rows,
                                     shown(member.name), layout.rows);
            readers_.push_back(open(member, layout, {0}));
        }
        return first.rows;
    }

    void read_columns(int64_t rows, std::span<double> values) override {
        for (size_t i = 0; i < readers_.size(); ++i)
            readers_[i]->read(rows, values.data() + i, values.size() / static_cast<size_t>(rows));
    }

    std::unique_ptr<NpyColumns> open(const Member& member, const NpyLayout& layout,
                                     const std::vector<int64_t>& columns) const {
        const auto file = std::make_shared<ZipMember>(archive_.open(member.index));
        read_npy_header(reading(file), member.place);  // the values begin behind it
        if (layout.column_after_column) return read_places(layout, columns, unpacked(file), member.place);
        return read_rows(layout, columns, reading(file), member.place);
    }

    ZipArchive archive_;
    std::vector<Member> members_;
    bool one_array_per_column_ = false;
    std::vector<std::unique_ptr<NpyColumns>> readers_;  // one, or one per chosen column
};

}  // namespace

std::unique_ptr<Table> open_npz(const fs::path& path, const TableOptions& options) {
    return std::make_unique<NpzTable>(path, options);
}

}  // namespace cmr::io
