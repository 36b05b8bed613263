#pragma once
// How people are told: a notifier is one way out, one file in notifiers/ and one row of the table there. It sends one
// message; keeping, order and trying again are the teller's (teller.h).

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "live/action.h"
#include "live/clock.h"
#include "live/ledger.h"

namespace cmr::live {

// The receiver took the message and said that it is none: to send it again would be of no use.
class Refused : public Failure {
  public:
    using Failure::Failure;
};

class Notifier {
  public:
    virtual ~Notifier() = default;

    // Returns when the receiver has it. SystemError where it is away or not ready; Refused.
    virtual void send(const Entry& entry) = 0;
    // From another thread: what is being sent need not arrive any more, and send() ends soon, with a SystemError.
    virtual void give_up() {}
    // How often receivers that forget are told of alarms that are on; nothing for those that do not.
    virtual std::optional<double> repeat_s() const { return std::nullopt; }
    // The last step of each alarm that is on.
    virtual void repeat(std::span<const Entry> on) { static_cast<void>(on); }
};

struct NotifierContext {
    std::string plant;
    std::string link;  // to the page
    const Clock* clock = &system_clock();
    // For receivers that answer: what somebody does about an alarm. Waits for the ledger; InputError, SystemError.
    std::function<void(const Action&)> act = [](const Action&) {};
};

}  // namespace cmr::live
