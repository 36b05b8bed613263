#pragma once
// A sink in memory, which may be told to fail as a full disk does.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "live/source.h"

namespace cmr::test {

class Collected : public live::Sink {
  public:
    void take(std::span<const live::Reading> readings) override {
        const std::lock_guard lock(mutex_);
        if (failing_) {
            ++failures_;
            throw SystemError("no space left on device");
        }
        readings_.insert(readings_.end(), readings.begin(), readings.end());
    }

    void fail(bool failing) {
        const std::lock_guard lock(mutex_);
        failing_ = failing;
    }
    int failures() const {
        const std::lock_guard lock(mutex_);
        return failures_;
    }
    std::vector<live::Reading> readings() const {
        const std::lock_guard lock(mutex_);
        return readings_;
    }
    size_t size() const { return readings().size(); }
    // How often each value came.
    std::map<int, int> values() const {
        std::map<int, int> out;
        for (const live::Reading& reading : readings()) ++out[static_cast<int>(reading.value)];
        return out;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<live::Reading> readings_;
    bool failing_ = false;
    int failures_ = 0;
};

}  // namespace cmr::test
