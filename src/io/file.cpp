#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "base/error.h"

namespace cmr::io {
namespace {

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
    fail_with(error, fmt::format("{}: cannot {}", path.string(), what));
}

// Calls a system function until no signal interrupts it; its failure names the file.
template <typename Call>
auto checked(const fs::path& path, const char* what, Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0) return result;
        if (errno != EINTR) fail(path, what, errno);
    }
}

void write_all(const fs::path& path, int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = checked(path, "write", [&] { return ::write(file, bytes.data(), bytes.size()); });
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

// The file that will be replaced: behind a symbolic link it is what the link points to, so that the link survives.
fs::path resolve_target(const fs::path& path) {
    if (!path.has_filename()) throw InputError("{}: names a folder, expected a file", path.string());
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::none) fail(path, "write", error.value());
    if (!fs::exists(status)) return path;
    if (fs::is_directory(status)) fail(path, "write", EISDIR);
    if (!fs::is_regular_file(status)) throw InputError("{}: cannot write: not a regular file", path.string());
    fs::path target = fs::canonical(path, error);
    if (error) fail(path, "write", error.value());
    return target;
}

// The temporary files that exist now, for a signal handler, which may neither lock nor allocate. Where there are more
// than places, an interrupt leaves the others behind.
struct Place {
    static constexpr int kFree = -1, kTaken = -2;
    std::atomic<int> folder{kFree};
    std::array<char, 48> name{};
};
std::array<Place, 64> places;

Place* take_place() {
    for (Place& place : places)
        if (int free = Place::kFree; place.folder.compare_exchange_strong(free, Place::kTaken)) return &place;
    return nullptr;
}

// Temporary files of processes that died. Who writes one holds its lock; the kernel (on NFS 4 the server) drops it with
// the process. A file is locked a moment after it is made, so young ones are left alone.
void remove_stale_files(int folder) {
    constexpr time_t kYoung = 60;  // seconds
    DIR* entries = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!entries) return;  // they are in nobody's way
    while (const dirent* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with(".cmr-") || !name.ends_with(".tmp")) continue;
        const Descriptor file(::openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat status {};
        if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (::time(nullptr) - status.st_mtime < kYoung) continue;
        if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlinkat(folder, entry->d_name, 0);
    }
    ::closedir(entries);
}

// A new file in `folder` that no longer exists under this name when the object dies. The name is short, so it fits
// wherever the final name fits; O_EXCL settles who owns it when processes of several machines share the folder.
class TemporaryFile {
  public:
    TemporaryFile(const fs::path& path, int folder) : folder_(folder), file_(create(path)) {}
    ~TemporaryFile() {
        if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
        forget();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int number() const { return file_.number(); }

    void rename(const fs::path& target) {
        const std::string final_name = target.filename().string();
        checked(target, "write", [&] { return ::renameat(folder_, name_.c_str(), folder_, final_name.c_str()); });
        name_.clear();
    }

  private:
    int create(const fs::path& path) {
        static std::atomic<int> counter{0};
        for (;;) {
            const std::string name = fmt::format(".cmr-{}-{}.tmp", ::getpid(), ++counter);
            remember(name);  // first, so that there is no moment in which an interrupt would leave it behind
            const int file = ::openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file >= 0) {
                ::flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, none is taken for stale either
                name_ = name;
                return file;
            }
            const int error = errno;
            forget();
            if (error != EEXIST && error != EINTR) fail(path, "write in its folder", error);
        }
    }

    void remember(const std::string& name) {
        place_ = take_place();
        if (!place_) return;
        CMR_ASSERT(name.size() < place_->name.size(), "names of temporary files are short");
        std::ranges::copy(name, place_->name.begin());
        place_->name[name.size()] = '\0';
        place_->folder = folder_;
    }
    void forget() {
        if (place_) place_->folder = Place::kFree;
        place_ = nullptr;
    }

    int folder_;
    std::string name_;
    Place* place_ = nullptr;
    Descriptor file_;
};

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

InputFile::InputFile(const fs::path& path)
    : path_(path), file_(checked(path, "open", [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })) {
    struct stat status {};
    checked(path, "open", [&] { return ::fstat(file_.number(), &status); });
    if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
    size_ = static_cast<uint64_t>(status.st_size);
}

size_t InputFile::read(std::span<std::byte> bytes) {
    size_t filled = 0;
    while (filled < bytes.size()) {
        const auto rest = bytes.subspan(filled);
        const auto got = checked(path_, "read", [&] { return ::read(file_.number(), rest.data(), rest.size()); });
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    return filled;
}

size_t InputFile::read_at(uint64_t offset, std::span<std::byte> bytes) const {
    size_t filled = 0;
    while (filled < bytes.size()) {
        const auto rest = bytes.subspan(filled);
        const auto from = static_cast<off_t>(offset + filled);
        const auto got =
            checked(path_, "read", [&] { return ::pread(file_.number(), rest.data(), rest.size(), from); });
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    return filled;
}

std::string read_file(const fs::path& path) {
    InputFile file(path);
    std::string content(file.size(), '\0');
    content.resize(file.read(std::as_writable_bytes(std::span(content))));
    // What a pipe holds, or what was appended since the size was asked, comes in pieces.
    std::array<char, 1 << 16> piece;
    while (const size_t got = file.read(std::as_writable_bytes(std::span(piece)))) content.append(piece.data(), got);
    return content;
}

void refuse_to_overwrite(const fs::path& out, const std::vector<fs::path>& inputs) {
    std::error_code error;
    if (!fs::is_regular_file(out, error)) return;
    for (const fs::path& input : inputs)
        if (fs::equivalent(out, input, error))
            throw InputError("{}: is read ({}), and writing it would destroy it; give another --out", out.string(),
                             input.string());
}

void write_file_atomically(const fs::path& path, const std::function<void(const Sink&)>& produce) {
    const fs::path target = resolve_target(path);
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    // Opened first: a folder that cannot be synced later is refused while nothing has happened yet.
    const Descriptor folder(
        checked(path, "open its folder", [&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    remove_stale_files(folder.number());
    {
        TemporaryFile temporary(path, folder.number());
        produce([&](std::span<const std::byte> bytes) { write_all(path, temporary.number(), bytes); });
        checked(path, "write", [&] { return ::fsync(temporary.number()); });
        temporary.rename(target);
    }
    // EINVAL: this filesystem has no way to sync a folder, as some network filesystems do not.
    checked(path, "sync its folder", [&] {
        const int result = ::fsync(folder.number());
        return result < 0 && errno == EINVAL ? 0 : result;
    });
}

void remove_temporary_files() noexcept {
    for (const Place& place : places)
        if (const int folder = place.folder; folder >= 0) ::unlinkat(folder, place.name.data(), 0);
}

void write_file_atomically(const fs::path& path, std::string_view content) {
    write_file_atomically(path, [&](const Sink& sink) { sink(std::as_bytes(std::span(content))); });
}

}  // namespace cmr::io
