#pragma once
// What `cmr score` says of a run beyond its windows, of files and of streams in the same words: sick sensors, windows
// outside the learned range, promises that became void.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/recording.h"
#include "score/health/health.h"

namespace cmr::cli {

class SickSensors {
  public:
    // Of one window, each channel.
    void count(const std::vector<score::Sickness>& sensors, const std::vector<data::Channel>& channels);
    // "z frozen" and in how many windows, the most first.
    std::vector<std::pair<std::string, int64_t>> sorted() const;
    // A line for each of the first five; empty where all are well.
    std::string text(int64_t windows) const;

  private:
    std::map<std::string, int64_t> windows_;
};

// Windows outside the learned range, and alarms that begin there.
struct Outside {
    int64_t windows = 0, alarms = 0;
    std::string text(int64_t all_windows) const;  // empty where there are none
};

// A stretch in which the promise does not hold; without a promise, in which sensors are not as when healthy.
std::string void_text(bool calibrated, std::string_view since, std::string_view recording, std::string_view why);

}  // namespace cmr::cli
