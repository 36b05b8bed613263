#include "live/teller.h"

#include <algorithm>

namespace cmr::live {
namespace {

constexpr double kFirstWait_s = 0.5, kLongestWait_s = 60;
constexpr double kLook_s = 5;      // without being woken: the ledger may have been away
constexpr double kGrace_s = 0.5;   // for a message that is on its way when it is time to end
constexpr double kSlice_s = 0.05;  // the clock may be faster than ours

}  // namespace

Teller::Teller(std::string name, std::unique_ptr<Notifier> notifier, std::unique_ptr<Ledger> ledger, const Clock& clock)
    : name_(std::move(name)),
      notifier_(std::move(notifier)),
      ledger_(std::move(ledger)),
      clock_(clock),
      repeated_s_(clock.steady_s()),
      thread_([this] {
          work();
          const std::lock_guard lock(mutex_);
          ended_ = true;
          changed_.notify_all();
      }) {
    pthread_setname_np(thread_.native_handle(), "cmr-tell");
}

Teller::~Teller() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::duration<double>(kGrace_s), [&] { return ended_; });
    }
    notifier_->give_up();
    thread_.join();
}

void Teller::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    changed_.notify_all();
}

TellerStatus Teller::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void Teller::work() {
    double pause = kFirstWait_s;
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) return;
            woken_ = false;
        }
        try {
            while (tell_next()) {
                pause = kFirstWait_s;
                const std::lock_guard lock(mutex_);
                if (stopping_) return;
            }
            repeat_if_due();
            pause = kFirstWait_s;
            wait(std::min(kLook_s, notifier_->repeat_s().value_or(kLook_s)));
        } catch (const Failure& trouble) {
            note(trouble.what());
            // Being woken does not bring the receiver back.
            const double until = clock_.steady_s() + pause;
            std::unique_lock lock(mutex_);
            while (!stopping_ && clock_.steady_s() < until)
                changed_.wait_for(lock, std::chrono::duration<double>(std::min(pause, kSlice_s)));
            pause = std::min(2 * pause, kLongestWait_s);
        }
    }
}

bool Teller::tell_next() {
    const auto message = ledger_->oldest(name_);
    const int64_t waiting = message ? ledger_->waiting(name_) : 0;
    {
        const std::lock_guard lock(mutex_);
        status_.waiting = waiting;
    }
    if (!message) return false;
    bool refused = false;
    try {
        notifier_->send(message->entry);
    } catch (const Refused& reason) {
        note(reason.what());
        refused = true;
    }
    ledger_->delivered(message->id);
    const std::lock_guard lock(mutex_);
    --status_.waiting;
    if (refused) {
        ++status_.refused;
    } else {
        ++status_.sent;
        status_.reached = true;
        status_.detail.clear();
    }
    return true;
}

void Teller::repeat_if_due() {
    const auto every = notifier_->repeat_s();
    if (!every || clock_.steady_s() < repeated_s_ + *every) return;
    std::vector<Entry> on;
    for (const auto& [asset, alarm] : ledger_->alarms()) {
        if (!alarm.on() || alarm.suppressed()) continue;
        auto last = ledger_->entries({.asset = asset, .limit = 1});
        if (!last.empty()) on.push_back(std::move(last.front()));
    }
    notifier_->repeat(on);
    repeated_s_ = clock_.steady_s();
    const std::lock_guard lock(mutex_);
    status_.reached = true;
    status_.detail.clear();
}

void Teller::wait(double seconds) {
    const double until = clock_.steady_s() + seconds;
    std::unique_lock lock(mutex_);
    while (!stopping_ && !woken_ && clock_.steady_s() < until)
        changed_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, kSlice_s)));
}

void Teller::note(const std::string& trouble) {
    const std::lock_guard lock(mutex_);
    status_.reached = false;
    status_.detail = trouble;
    ++status_.failed;
}

}  // namespace cmr::live
