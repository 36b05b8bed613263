#include "live/recorder.h"

#include <pthread.h>

#include <chrono>

#include "base/error.h"

namespace cmr::live {
namespace {

constexpr auto kAgain = std::chrono::seconds(1);

}  // namespace

Recorder::Recorder(std::unique_ptr<Ledger> ledger, std::function<void()> done)
    : ledger_(std::move(ledger)), done_(std::move(done)), thread_([this] { work(); }) {
    pthread_setname_np(thread_.native_handle(), "cmr-ledger");
}

Recorder::~Recorder() { stop(0); }

bool Recorder::busy() const {
    const std::lock_guard lock(mutex_);
    return batch_ || finished_;
}

void Recorder::record(LedgerBatch batch, std::vector<std::string> notifiers) {
    {
        const std::lock_guard lock(mutex_);
        CMR_ASSERT(!batch_ && !finished_, "one batch at a time");
        batch_ = std::move(batch);
        notifiers_ = std::move(notifiers);
    }
    changed_.notify_all();
}

std::optional<LedgerBatch> Recorder::take_done() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, std::nullopt);
}

void Recorder::stop(double seconds) {
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !batch_; });
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

RecorderStatus Recorder::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void Recorder::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || batch_; });
        if (stopping_) return;
        const LedgerBatch& batch = *batch_;  // nobody else touches it until it is finished
        lock.unlock();
        std::string trouble;
        try {
            if (!batch.entries.empty() || !batch.assets.empty())
                ledger_->record(batch.entries, batch.assets, notifiers_);
            if (!batch.levels.empty()) ledger_->keep(batch.levels);
            if (batch.retention) ledger_->forget(*batch.retention);
        } catch (const Failure& failure) {
            trouble = failure.what();
        }
        lock.lock();
        status_.reached = trouble.empty();
        status_.trouble = trouble;
        if (!trouble.empty()) {
            changed_.wait_for(lock, kAgain, [&] { return stopping_; });
            continue;
        }
        status_.entries += std::ssize(batch.entries);
        status_.levels += std::ssize(batch.levels);
        finished_ = std::move(*batch_);
        batch_.reset();
        changed_.notify_all();
        lock.unlock();
        done_();
        lock.lock();
    }
}

}  // namespace cmr::live
