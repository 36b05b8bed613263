#pragma once
// Readings on disk, in the order in which they are judged, from the last snapshot on. After a crash they are judged
// again from there.
//
// A folder of segments, each named by its first group. A group is what was synced together: its size, a checksum, its
// number, and rows of readings; names stand in each segment where they are first used. A group that was cut short by a
// crash was never acknowledged and is cut away.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/file.h"
#include "live/sample.h"

namespace cmr::live {

struct Replayed {
    uint64_t last_group = 0;
    int64_t groups = 0, samples = 0;
    std::string damage;  // what could not be read, in words; empty: nothing
};

// Hands over the groups after `after`, in order. What is of assets or channels that `names` does not have is left out.
Replayed replay(const std::filesystem::path& folder, uint64_t after, const Names& names,
                const std::function<void(std::span<const Sample>)>& take);

class Journal {
  public:
    // Goes on after `last_group`, in a new segment.
    Journal(std::filesystem::path folder, uint64_t last_group, Names names);

    // Returns when the samples are on disk, with the number of their group. SystemError where the disk would not; what
    // was begun is cut away, and the next call tries anew.
    uint64_t append(std::span<const Sample> samples);
    // From now on samples mean these.
    void rename(Names names);
    // Groups up to this one are not needed any more.
    void forget(uint64_t group);
    int64_t bytes() const;  // on disk

  private:
    void begin_segment();
    std::string encode(std::span<const Sample> samples);
    uint32_t id_of(const std::string& name, std::string& to);

    mutable std::mutex mutex_;
    std::filesystem::path folder_;
    uint64_t group_;
    Names names_;
    std::unique_ptr<io::Descriptor> file_;
    std::filesystem::path path_;
    int64_t size_ = 0;  // of what is whole in the segment
    std::map<std::string, uint32_t> ids_;
};

}  // namespace cmr::live
