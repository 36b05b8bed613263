#pragma once
// Writes to the ledger on a thread of its own, so that a ledger that is slow or away stops no judging. One batch at a
// time: what comes meanwhile waits in the assets, whose state is saved. A batch is tried until the ledger has it.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "live/ledger.h"

namespace cmr::live {

struct LedgerBatch {
    std::vector<Entry> entries;
    std::vector<AssetRow> assets;
    std::vector<AssetLevels> levels;
    std::optional<Retention> retention;

    bool empty() const { return entries.empty() && assets.empty() && levels.empty() && !retention; }
};

struct RecorderStatus {
    bool reached = true;
    std::string trouble;
    int64_t entries = 0, levels = 0;  // written
};

class Recorder {
  public:
    // `done` is called, on the recorder's thread, after each batch.
    Recorder(std::unique_ptr<Ledger> ledger, std::function<void()> done);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    bool busy() const;
    // Only where it is not busy. `notifiers` are told of the entries.
    void record(LedgerBatch batch, std::vector<std::string> notifiers);
    std::optional<LedgerBatch> take_done();  // the batch that was written since the last call
    // Waits for the batch that is being written, at most so long; then does not try again.
    void stop(double seconds);
    RecorderStatus status() const;

  private:
    void work();

    const std::unique_ptr<Ledger> ledger_;
    const std::function<void()> done_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<LedgerBatch> batch_, finished_;
    std::vector<std::string> notifiers_;
    bool stopping_ = false;
    RecorderStatus status_;
    std::thread thread_;
};

}  // namespace cmr::live
