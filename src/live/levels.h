#pragma once
// Windows summed up over spans of time, for the ledger: the highest level of each minute and of each hour.

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "live/ledger.h"
#include "monitor/stream.h"

namespace cmr::live {

class Levels {
  public:
    Levels(int64_t resolution_s, size_t effects);

    void add(const monitor::JudgedWindow& window, bool alarm);

    int64_t resolution_s() const { return resolution_s_; }
    const std::optional<Level>& open() const { return open_; }  // of the span that is not over
    std::span<const Level> over() const { return over_; }       // and not in the ledger yet
    int64_t lost() const { return lost_; }                      // too many for the ledger to come back to
    void recorded(size_t count);                                // the first ones are in the ledger

    // The same again, for snapshots.
    std::vector<Level> save() const;  // those that are over, and the open one last
    void restore(std::vector<Level> saved, bool last_is_open);

  private:
    int64_t resolution_s_;
    size_t effects_;
    std::optional<Level> open_;
    std::vector<Level> over_;
    int64_t lost_ = 0;
};

}  // namespace cmr::live
