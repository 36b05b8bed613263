#pragma once
// Bytes as they come: of a pipe or a terminal until it ends, or of a file that goes on growing.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "io/file.h"

namespace cmr::io {

// Thrown by read() when the caller wishes to stop.
struct Stopped {};

class LiveInput {
  public:
    // "-" is standard input. `stopped` is asked at least twice a second while nothing comes.
    LiveInput(fs::path path, bool follow, std::function<bool()> stopped);

    // Waits for some bytes and says how many; 0 at the end. A followed file ends where it was made shorter, or another
    // file got its name.
    size_t read(std::span<std::byte> to);
    // After the end: is there a file that took its place, to be read from its beginning?
    bool reopen();

  private:
    void open();
    bool was_replaced() const;

    fs::path path_;
    bool follow_;
    std::function<bool()> stopped_;
    std::unique_ptr<Descriptor> own_;  // none: standard input
    int file_ = 0;
    uint64_t position_ = 0;
    bool ended_ = false;
};

}  // namespace cmr::io
