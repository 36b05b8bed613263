#pragma once
// Zip archives, read member by member in pieces. Every failure is an InputError that names the archive and the member.
//
// A member may unpack to a thousand times its size, and an honest file of constants does; so nothing here asks for
// memory by what a file declares, and readers keep only what they can bound.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct zip;
struct zip_file;

namespace cmr::io {

namespace fs = std::filesystem;

// One member, unpacked from its beginning to its end.
class ZipMember {
  public:
    // As messages name it: "a.npz, member x.npy".
    const std::string& name() const { return name_; }
    // Unpacked bytes, as the archive declares them.
    uint64_t size() const { return size_; }
    // What it takes in the archive.
    uint64_t packed_size() const { return packed_size_; }

    // Fills `bytes` from where the last read ended and says how many it got: fewer only at the end of the member.
    // The checksum is known at the end only, so a reader that wants it held reads until it gets nothing.
    size_t read(std::span<std::byte> bytes);

  private:
    friend class ZipArchive;
    struct Close {
        void operator()(zip_file* file) const;
    };

    std::shared_ptr<zip> archive_;  // outlives the member
    std::unique_ptr<zip_file, Close> file_;
    std::string name_;
    uint64_t size_ = 0;
    uint64_t packed_size_ = 0;
};

class ZipArchive {
  public:
    explicit ZipArchive(const fs::path& path);

    // In the order of the archive, by which open() counts.
    const std::vector<std::string>& members() const { return members_; }
    // The member of this name in any mixture of upper and lower case, as office documents allow.
    std::optional<size_t> find(const std::string& member) const;

    // Only what is stored or deflated, and not encrypted.
    ZipMember open(size_t member) const;

  private:
    std::string path_;
    std::shared_ptr<zip> archive_;
    std::vector<std::string> members_;
};

}  // namespace cmr::io
