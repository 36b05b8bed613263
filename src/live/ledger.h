#pragma once
// The ledger: every step of every alarm with who and why, what is still to be told to whom, and levels at a kept
// resolution. A step and the messages about it are written together, before anybody is told; a message stays until its
// receiver has it.

#include <concepts>
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
    double event_s = 0;   // when it was, by the data
    double wall_s = 0;    // when it was taken, by the clock on the wall
    double raised_s = 0;  // when the alarm began, by the data: with the asset's name the key of an episode; 0: never
    std::string who;      // empty: the monitor itself
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
    int64_t outside = 0;           // windows outside the learned range

    bool operator==(const Level&) const = default;
};

struct AssetLevels {
    std::string asset;
    int64_t resolution_s = 60;
    Level level;
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Entry>
void visit_fields(C& c, const Visit& visit) {
    visit("id", c.id, "rises with every entry");
    visit("asset", c.asset, "whose");
    visit("step", c.step, "of its alarm");
    visit("event_s", c.event_s, "by the data");
    visit("wall_s", c.wall_s, "by the clock on the wall");
    visit("raised_s", c.raised_s, "when the alarm began, by the data");
    visit("who", c.who, "empty: the monitor itself");
    visit("why", c.why, "said who did it");
    visit("level", c.level, "1: the alarm line");
    visit("p_value", c.p_value, "of the window");
    visit("verdict", c.verdict, "of the explanation");
    visit("sentence", c.sentence, "of the explanation");
    visit("evidence", c.evidence, "of the explanation, as JSON");
}

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Level>
void visit_fields(C& c, const Visit& visit) {
    visit("begin_s", c.begin_s, "a multiple of the resolution");
    visit("level", c.level, "the highest; null: no window was judged");
    visit("windows", c.windows, "all of them");
    visit("unjudged", c.unjudged, "those of which nothing is said");
    visit("outside", c.outside, "those outside the learned range");
    visit("alarm", c.alarm, "was on");
    visit("residuals", c.residuals, "of each effect, the highest");
}

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, AssetLevels>
void visit_fields(C& c, const Visit& visit) {
    visit("asset", c.asset, "whose");
    visit("resolution_s", c.resolution_s, "seconds that it covers");
    visit("level", c.level, "in that span");
}

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

    // When the first span that is kept begins; none: there is nothing yet.
    std::optional<double> first_level_s(const std::string& asset, int64_t resolution_s);

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
