#include "io/live_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace cmr::io {
namespace {

constexpr int kPatienceMs = 200;  // until a growing file is looked at again, or a wish to stop is heard

}  // namespace

LiveInput::LiveInput(fs::path path, bool follow, std::function<bool()> stopped)
    : path_(std::move(path)), follow_(follow), stopped_(std::move(stopped)) {
    if (path_ != "-") open();
}

void LiveInput::open() {
    own_ = std::make_unique<Descriptor>(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    file_ = own_->number();
    if (file_ < 0) fail_with(errno, fmt::format("{}: cannot open", path_.string()));
    position_ = 0;
    ended_ = false;
}

size_t LiveInput::read(std::span<std::byte> to) {
    while (!ended_) {
        if (stopped_()) throw Stopped{};
        // Whatever came until then is still read from a file that was replaced.
        const bool replaced = follow_ && was_replaced();
        if (!follow_) {
            pollfd ready{.fd = file_, .events = POLLIN, .revents = 0};
            if (::poll(&ready, 1, kPatienceMs) == 0) continue;
        }
        const auto got = ::read(file_, to.data(), to.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_with(errno, fmt::format("{}: cannot read", path_.string()));
        position_ += static_cast<uint64_t>(got);
        if (got > 0) return static_cast<size_t>(got);
        if (replaced || !follow_)
            ended_ = true;
        else
            ::poll(nullptr, 0, kPatienceMs);
    }
    return 0;
}

bool LiveInput::reopen() {
    if (!follow_) return false;
    open();
    return true;
}

// A name that is gone for a moment is no other file yet.
bool LiveInput::was_replaced() const {
    struct stat open_file {
    }, named{};
    if (::fstat(file_, &open_file) != 0 || ::stat(path_.c_str(), &named) != 0) return false;
    const bool same = open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
    return !same || static_cast<uint64_t>(named.st_size) < position_;
}

}  // namespace cmr::io
