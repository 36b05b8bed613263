#include "live/clock.h"

#include <chrono>

namespace cmr::live {
namespace {

template <typename StdClock>
double seconds() {
    return std::chrono::duration<double>(StdClock::now().time_since_epoch()).count();
}

class SystemClock final : public Clock {
  public:
    double wall_s() const override { return seconds<std::chrono::system_clock>(); }
    double steady_s() const override { return seconds<std::chrono::steady_clock>(); }
};

}  // namespace

const Clock& system_clock() {
    static const SystemClock clock;
    return clock;
}

}  // namespace cmr::live
