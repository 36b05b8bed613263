#pragma once
// Brings messages to one receiver: the oldest first, each until it has arrived, over any restart. While the receiver is
// away the others wait in the ledger, and attempts become rarer, up to one a minute.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "live/notifier.h"

namespace cmr::live {

struct TellerStatus {
    bool reached = true;  // the last attempt arrived
    std::string detail;   // why not
    int64_t sent = 0, failed = 0, refused = 0;
    int64_t waiting = 0;  // in the ledger
};

class Teller {
  public:
    // `ledger`: a connection of its own.
    Teller(std::string name, std::unique_ptr<Notifier> notifier, std::unique_ptr<Ledger> ledger,
           const Clock& clock = system_clock());
    ~Teller();
    Teller(const Teller&) = delete;
    Teller& operator=(const Teller&) = delete;

    const std::string& name() const { return name_; }
    void wake();  // there may be something to tell
    TellerStatus status() const;

  private:
    void work();
    bool tell_next();  // false: nothing to tell
    void repeat_if_due();
    void wait(double seconds);
    void note(const std::string& trouble);

    const std::string name_;
    const std::unique_ptr<Notifier> notifier_;
    const std::unique_ptr<Ledger> ledger_;
    const Clock& clock_;
    double repeated_s_ = 0;  // steady

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false, woken_ = false, ended_ = false;
    TellerStatus status_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace cmr::live
