#include "io/zip.h"

#include <zip.h>

#include "base/error.h"
#include "io/file.h"
#include "io/text/spelling.h"

namespace cmr::io {

ZipArchive::ZipArchive(const fs::path& path) : path_(path.string()) {
    const InputFile readable(path);  // its messages about absent files and folders are better
    int code = 0;
    zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string reason = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw InputError("{}: not a whole zip archive ({}); it may be cut short", path_, reason);
    }
    archive_.reset(archive, zip_discard);
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
        if (!name) throw InputError("{}: member {} has no readable name", path_, i + 1);
        members_.emplace_back(name);
    }
}

std::optional<size_t> ZipArchive::find(const std::string& member) const {
    const zip_int64_t index = zip_name_locate(archive_.get(), member.c_str(), ZIP_FL_NOCASE | ZIP_FL_ENC_GUESS);
    if (index < 0) return std::nullopt;
    return static_cast<size_t>(index);
}

ZipMember ZipArchive::open(size_t index) const {
    ZipMember member;
    member.archive_ = archive_;
    member.name_ = fmt::format("{}, member {}", path_, shown(members_.at(index)));
    zip_stat_t status;
    if (zip_stat_index(archive_.get(), index, 0, &status) != 0)
        throw InputError("{}: {}", member.name_, zip_strerror(archive_.get()));
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((status.valid & kNeeded) != kNeeded) throw InputError("{}: its size is not known", member.name_);
    if (status.encryption_method != ZIP_EM_NONE)
        throw InputError("{}: encrypted; expected a file without a password", member.name_);
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
        throw InputError("{}: packed by method {}, expected stored or deflated", member.name_, status.comp_method);
    member.size_ = status.size;
    member.packed_size_ = status.comp_size;
    member.file_.reset(zip_fopen_index(archive_.get(), index, 0));
    if (!member.file_) throw InputError("{}: {}", member.name_, zip_strerror(archive_.get()));
    return member;
}

void ZipMember::Close::operator()(zip_file* file) const { zip_fclose(file); }

size_t ZipMember::read(std::span<std::byte> bytes) {
    size_t filled = 0;
    while (filled < bytes.size()) {
        const zip_int64_t got = zip_fread(file_.get(), bytes.data() + filled, bytes.size() - filled);
        if (got < 0) throw InputError("{}: damaged ({})", name_, zip_error_strerror(zip_file_get_error(file_.get())));
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    return filled;
}

}  // namespace cmr::io
