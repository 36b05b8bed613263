#pragma once
// The time of day and the time that passes, as a parameter, so that a test can make an hour of a second.

namespace cmr::live {

class Clock {
  public:
    virtual ~Clock() = default;
    virtual double wall_s() const = 0;    // Unix seconds; may be set back and forth by an administrator
    virtual double steady_s() const = 0;  // never goes back; for waiting
};

// Those of the machine.
const Clock& system_clock();

}  // namespace cmr::live
