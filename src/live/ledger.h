#pragma once
// The ledger: every step of every alarm with who and why, what is still to be told to whom, and levels at a kept
// resolution. A step and the messages about it are written together, before anybody is told; a message stays until its
// receiver has it.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/alarm/alarm.h"
#include "live/ledgers/database.h"

namespace cmr::live {

// A step of an alarm, as people read of it.
struct Entry {
    std::string asset;
    Step step;
    double event_s = 0;  // when it was, by the data
    double wall_s = 0;   // when it was taken, by the clock on the wall
    std::string who;     // empty: the monitor itself
    std::string why;
    double level = std::numeric_limits<double>::quiet_NaN();
    double p_value = std::numeric_limits<double>::quiet_NaN();
    std::string verdict;   // of the explanation; empty where there is none
    std::string sentence;  // likewise
    std::string evidence;  // likewise, as JSON
    int64_t id = 0;        // given by the ledger: rises with every entry
};

// What a span of time was like: the highest of everything.
struct Level {
    double begin_s = 0;  // a multiple of the resolution
    float level = 0;     // NaN: no window was judged
    int64_t windows = 0, unjudged = 0;
    bool alarm = false;
    std::vector<float> residuals;  // of each effect, in healthy deviations; kept in steps of 0.1, at most 25.5

    bool operator==(const Level&) const = default;
};

struct AssetLevels {
    std::string asset;
    int64_t resolution_s = 60;
    Level level;
};

// An alarm after its last step, with the names that its residuals have.
struct AssetRow {
    std::string asset;
    Alarm alarm;
    std::vector<std::string> effects;
};

struct EntryQuery {
    std::string asset{};    // empty: of all
    int64_t before_id = 0;  // older than this one; 0: from the newest
    int64_t after_id = 0;
    int64_t limit = 100;
    std::vector<std::string> events{};  // only these; empty: all
};

// Older than these is forgotten.
struct Retention {
    double entries_before_wall_s = 0;
    std::vector<std::pair<int64_t, double>> levels_before_s;  // resolution, begin
};

// May be used by several threads, which wait for each other; whoever must not wait has a ledger of its own on the same
// database. SystemError while the database is away.
class Ledger {
  public:
    explicit Ledger(const DatabaseAddress& address);

    // All of them or none. Entries that are there already stay as they are and make no second message.
    void record(std::span<const Entry> entries, std::span<const AssetRow> assets,
                std::span<const std::string> notifiers);
    void keep(std::span<const AssetLevels> levels);  // over what is there for that time
    void forget(const Retention& retention);

    std::map<std::string, Alarm> alarms();
    std::vector<Entry> entries(const EntryQuery& query);  // the newest first
    std::vector<Level> levels(const std::string& asset, int64_t resolution_s, double from_s, double to_s);

    // Messages to one receiver, in order: the oldest, how many wait, and that one is delivered.
    struct Message {
        int64_t id = 0;
        Entry entry;
    };
    std::optional<Message> oldest(const std::string& notifier);
    int64_t waiting(const std::string& notifier);
    void delivered(int64_t id);

    int64_t bytes();  // on disk

  private:
    std::mutex mutex_;
    std::unique_ptr<Database> database_;
};

}  // namespace cmr::live
