#pragma once
// Where all sources hand over. Readings get the numbers of their asset and channel, go to the journal in groups (one
// sync for all that waited), and from there to the judge. When the judge is behind, sources wait: what is on the way is
// bounded.
//
// A disk that would not (full, gone) does not stop the watch: readings are judged all the same, and it is said that a
// crash would lose them. They are written again as soon as there is room.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "live/journal.h"
#include "live/sample.h"
#include "live/source.h"

namespace cmr::live {

// Which column is which channel.
struct Watched {
    Names names;
    std::vector<std::unordered_map<std::string, int32_t>> columns;  // of each asset: name outside → channel
};

struct IntakeStatus {
    int64_t readings = 0;   // taken
    int64_t unwatched = 0;  // of assets or channels that nobody watches
    int64_t senseless = 0;  // with a time that is none
    int64_t unsafe = 0;     // judged without being in the journal
    int64_t queued = 0;     // wait for the judge
    bool safe = true;       // the last group is in the journal
    std::string trouble;    // why not
};

class Intake final : public Sink {
  public:
    // `ready` is called when there is something to judge. `most_queued` readings are on the way, or one message.
    Intake(Journal& journal, Watched watched, int64_t most_queued, std::function<void()> ready);
    ~Intake() override;

    void take(std::span<const Reading> readings) override;

    // What is to be judged, in order, and the last group of the journal that it is in. Whole groups, about kAtOnce
    // readings: who stops in the middle of many has not long to wait.
    static constexpr int64_t kAtOnce = 20'000;
    struct Batch {
        std::vector<Sample> samples;
        uint64_t group = 0;
        double taken_s = 0;  // steady; when the oldest of them came
    };
    Batch next(uint64_t group);

    // After all sources have stopped and everything is judged: from now on these are watched.
    void watch(Watched watched);
    void stop();
    IntakeStatus status() const;

  private:
    struct Group {
        std::vector<Sample> samples;
        uint64_t number = 0;  // 0: it is not in the journal
        double taken_s = 0;   // steady
    };

    void commit();
    Group written(std::span<const Sample> samples, std::string& trouble);
    std::vector<Sample> numbered(std::span<const Reading> readings);

    Journal& journal_;
    const int64_t most_queued_;
    const std::function<void()> ready_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Watched watched_;
    std::unordered_map<std::string, int32_t> assets_;
    std::vector<Sample> pending_;
    std::deque<Group> queue_;
    int64_t on_the_way_ = 0;                  // samples: pending, being written, in the queue
    uint64_t handed_in_ = 0, committed_ = 0;  // tickets
    bool stopping_ = false, ended_ = false;
    IntakeStatus status_;
    std::thread thread_;
};

}  // namespace cmr::live
