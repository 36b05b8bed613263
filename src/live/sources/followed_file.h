#pragma once
// One file that another program writes to, read as it grows: whole lines, from a place that is kept. The file may be
// renamed or deleted while we read; if it is cut short or begun anew, it is read from its beginning.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "io/file.h"
#include "live/sources/text_stream.h"

namespace cmr::live {

// How far a file was read. The number of a file may be given again after it was deleted; its first bytes tell then.
struct Place {
    std::string path;
    int64_t device = 0, number = 0;  // of the file: st_dev, st_ino
    int64_t bytes = 0, line = 1;     // behind the last line that was taken
    int64_t head_bytes = 0;          // of the beginning, whose checksum this is
    int64_t head_sum = 0;

    bool operator==(const Place&) const = default;
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Place>
void visit_fields(C& c, const Visit& visit) {
    visit("path", c.path, "");
    visit("device", c.device, "");
    visit("number", c.number, "");
    visit("bytes", c.bytes, "");
    visit("line", c.line, "");
    visit("head_bytes", c.head_bytes, "");
    visit("head_sum", c.head_sum, "");
}

class FollowedFile {
  public:
    // Whole lines, behind the place.
    struct Piece {
        std::string text;
        int64_t line = 1;
        bool too_long = false;  // a line longer than the limit, which is left out
    };

    FollowedFile(std::filesystem::path path, std::unique_ptr<TextFormat> format, int64_t max_line);

    // Goes on at a place where we were, if this is that file; says whether it is.
    bool resume(const Place& place);
    // The next piece; nothing where there is no whole line more. InputError where the file is not of the format.
    std::optional<Piece> next();
    // The last piece is safe: the place moves behind it.
    void taken();

    TextFormat& format() { return *format_; }
    const Place& place() const { return place_; }
    // Another name of the same file.
    void set_path(const std::filesystem::path& path) { place_.path = path.string(); }

  private:
    void reset();
    void notice_truncation();
    int64_t head_sum(int64_t bytes) const;
    std::string read(int64_t from, int64_t bytes) const;
    std::string read_lines(int64_t from) const;
    bool find_start();

    std::unique_ptr<TextFormat> format_;
    int64_t max_line_;
    io::InputFile file_;
    Place place_;
    bool begun_ = false;      // is the format's start known?
    int64_t next_bytes_ = 0;  // of the piece that was handed out
    int64_t next_lines_ = 0;
    int64_t skipped_ = 0;  // of a line that is too long, behind the place
};

}  // namespace cmr::live
