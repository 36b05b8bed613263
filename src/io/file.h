#pragma once
// Whole files in and out. Every failure names the file and the system's reason: an InputError where the user can mend
// it (no such file), a SystemError where the machine would not (no space left).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::io {

namespace fs = std::filesystem;

// An open file descriptor, closed at the end of its life.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }

  private:
    int number_;
};

// A file read from its beginning to its end, or in places.
class InputFile {
  public:
    explicit InputFile(const fs::path& path);

    // Bytes in the file when it was opened; 0 for a pipe.
    uint64_t size() const { return size_; }
    // Its descriptor.
    int number() const { return file_.number(); }

    // Fills `bytes` from where the last read ended and says how many it got: fewer only at the end of the file.
    size_t read(std::span<std::byte> bytes);
    // The same from `offset`, wherever the last read ended.
    size_t read_at(uint64_t offset, std::span<std::byte> bytes) const;

  private:
    fs::path path_;
    Descriptor file_;
    uint64_t size_ = 0;
};

std::string read_file(const fs::path& path);

// InputError where `out` is one of the files that are read, by whatever name: writing it would destroy what is read.
void refuse_to_overwrite(const fs::path& out, const std::vector<fs::path>& inputs);

// Replaces `path` by what `produce` hands to its argument, all of it or nothing: the bytes go to a temporary name in
// the same folder, reach the disk, and only then get the name. After any failure, an exception of `produce` included,
// the old file stands untouched and the temporary one is gone. Only regular files are replaced, so /dev/null stays a
// device.
using Sink = std::function<void(std::span<const std::byte>)>;
void write_file_atomically(const fs::path& path, const std::function<void(const Sink&)>& produce);
void write_file_atomically(const fs::path& path, std::string_view content);

// Removes what unfinished calls of write_file_atomically have written so far. For a signal handler that ends the
// process.
void remove_temporary_files() noexcept;

}  // namespace cmr::io
