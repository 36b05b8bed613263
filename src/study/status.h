#pragma once
// How far a run is.

#include <map>

#include "study/run_folder.h"

namespace cmr::study {

struct Status {
    int64_t cells = 0, done = 0, failed = 0, running = 0;
    double seconds_left = 0;  // NaN while nothing is known

    int64_t waiting() const { return cells - done - failed - running; }
};

// Looks again at the folder each time; results that were there once are not read again.
class Watch {
  public:
    Watch(const RunFolder& folder, const Plan& plan) : folder_(folder), plan_(plan) {}

    // `workers`: that go on with it; 0: as many as are running.
    Status look(int64_t workers = 0);
    // Cells that ended since the last call.
    std::vector<const Result*> ended();
    const std::map<std::string, Result>& results() const { return results_; }

  private:
    double expected_seconds(const Cell& cell) const;

    const RunFolder& folder_;
    const Plan& plan_;
    std::map<std::string, Result> results_;
    std::vector<std::string> news_;
};

}  // namespace cmr::study
