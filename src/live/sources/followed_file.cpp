#include "live/sources/followed_file.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.h"

namespace cmr::live {
namespace {

constexpr int64_t kHeadBytes = 1024;        // tell one file from another
constexpr int64_t kPieceBytes = 256 << 10;  // at a time

struct stat status_of(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0) fail_with(errno, "cannot look at a followed file");
    return status;
}

}  // namespace

FollowedFile::FollowedFile(std::filesystem::path path, std::unique_ptr<TextFormat> format, int64_t max_line)
    : format_(std::move(format)), max_line_(max_line), file_(path) {
    const struct stat status = status_of(file_.number());
    place_.path = path.string();
    place_.device = static_cast<int64_t>(status.st_dev);
    place_.number = static_cast<int64_t>(status.st_ino);
}

bool FollowedFile::resume(const Place& place) {
    if (place.device != place_.device || place.number != place_.number) return false;
    const std::string path = place_.path;
    if (status_of(file_.number()).st_size < place.bytes || head_sum(place.head_bytes) != place.head_sum) return false;
    place_ = place;
    place_.path = path;
    return true;
}

std::optional<FollowedFile::Piece> FollowedFile::next() {
    notice_truncation();
    if (!begun_ && !find_start()) return std::nullopt;
    for (;;) {
        std::string text = read_lines(place_.bytes + skipped_);
        // Behind a line that is too long, only its end is looked for.
        const size_t end = skipped_ > 0 ? text.find('\n') : text.rfind('\n');
        if (end != std::string::npos) {
            text.resize(end + 1);
            next_bytes_ = skipped_ + static_cast<int64_t>(text.size());
            next_lines_ = std::ranges::count(text, '\n');
            return Piece{skipped_ > 0 ? "" : std::move(text), place_.line, skipped_ > 0};
        }
        if (static_cast<int64_t>(text.size()) <= max_line_) return std::nullopt;
        skipped_ += static_cast<int64_t>(text.size());
    }
}

void FollowedFile::taken() {
    skipped_ = 0;
    place_.bytes += next_bytes_;
    place_.line += next_lines_;
    next_bytes_ = next_lines_ = 0;
    if (place_.head_bytes == kHeadBytes) return;
    place_.head_bytes = std::min(place_.bytes, kHeadBytes);
    place_.head_sum = head_sum(place_.head_bytes);
}

void FollowedFile::notice_truncation() {
    if (status_of(file_.number()).st_size < place_.bytes || head_sum(place_.head_bytes) != place_.head_sum) reset();
}

void FollowedFile::reset() {
    place_.bytes = place_.head_bytes = place_.head_sum = 0;
    place_.line = 1;
    skipped_ = 0;
    begun_ = false;
}

// The head of the file, up to its last whole line, shows the format; the data begin behind it.
bool FollowedFile::find_start() {
    std::string head = read_lines(0);
    const size_t end = head.rfind('\n');
    if (end == std::string::npos) return false;
    head.resize(end + 1);
    const auto start = format_->begin(head);
    if (!start) return false;
    begun_ = true;
    if (place_.bytes < static_cast<int64_t>(start->bytes)) {
        place_.bytes = static_cast<int64_t>(start->bytes);
        place_.line = start->line;
    }
    return true;
}

// FNV-1a (Fowler, Noll, Vo), of 64 bits.
int64_t FollowedFile::head_sum(int64_t bytes) const {
    if (bytes == 0) return 0;
    uint64_t sum = 14695981039346656037u;
    for (const char c : read(0, bytes)) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return static_cast<int64_t>(sum);
}

// At least one line, where there is one that is not too long.
std::string FollowedFile::read_lines(int64_t from) const {
    std::string text = read(from, kPieceBytes);
    const bool full = static_cast<int64_t>(text.size()) == kPieceBytes;
    if (full && max_line_ > kPieceBytes && text.find('\n') == std::string::npos) text = read(from, max_line_ + 1);
    return text;
}

std::string FollowedFile::read(int64_t from, int64_t bytes) const {
    std::string text(static_cast<size_t>(bytes), '\0');
    text.resize(file_.read_at(static_cast<uint64_t>(from), std::as_writable_bytes(std::span(text))));
    return text;
}

}  // namespace cmr::live
