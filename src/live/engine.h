#pragma once
// Many assets: readings in, judged windows, alarms and levels out, nothing lost by a crash.
//
//   sources → Intake (journal, synced) → judge → Recorder (ledger, outbox) → tellers
//                                          └→ views, for the page and the metrics
//
// One thread, the judge, owns the assets; it hands work to the pool of base/parallel.h and takes what people do between
// two rounds. Every `snapshot_s` the state of all assets is written, at one place of the journal. After a crash the
// snapshot is restored and the journal replayed from there: the same windows, and steps that the ledger has are not
// taken again.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "live/asset.h"
#include "live/clock.h"
#include "live/delays.h"
#include "live/intake.h"
#include "live/ledger.h"
#include "live/models.h"
#include "live/recorder.h"
#include "live/snapshot.h"
#include "live/source.h"
#include "live/teller.h"

namespace cmr::live {

struct NamedSource {
    std::string name, kind;
    SourceStatus status;
};

struct NamedTeller {
    std::string name;
    TellerStatus status;
};

inline constexpr double kStuck_s = 30;  // a judge that has not begun a round for so long is stuck

struct EngineStatus {
    IntakeStatus intake;
    RecorderStatus recorder;
    std::vector<NamedSource> sources;
    std::vector<NamedTeller> tellers;
    int64_t assets = 0;
    int64_t journal_bytes = 0, snapshot_bytes = 0;
    double snapshot_s = 0;  // wall time of the last one; 0: none yet
    std::string snapshot_trouble;
    int64_t lost_levels = 0;
    Delays delays;         // from a reading's arrival to its being judged
    double started_s = 0;  // wall
    double round_s = 0;    // steady; when the judge last began a round: a watchdog looks at it
};

class Engine {
  public:
    using Log = std::function<void(const std::string&)>;

    // Loads models, opens the ledger, restores the state and replays the journal. InputError where the plant cannot be.
    Engine(Plant plant, Log log, const Clock& clock = system_clock());
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void start();  // sources and judging
    void stop();   // within five seconds, all state saved

    // Another configuration, other models; assets of the same name go on as they were. InputError, and everything as
    // before, where it cannot be. What it does not change: storage, ledger and web.
    void reload(Plant plant);

    Sink& sink() { return *intake_; }

    // What people do. Returns when it is in the ledger: InputError where it cannot be done, SystemError where the
    // ledger is away; it is then done, and recorded later.
    Entry act(const Action& action);

    std::vector<AssetView> views() const;
    std::optional<AssetView> view(const std::string& asset) const;
    // Views that changed after `version`; waits for one, at most so long.
    std::vector<AssetView> changed(uint64_t version, double seconds) const;
    uint64_t version() const;
    EngineStatus status() const;
    Plant plant() const;

  private:
    struct Command {
        Action action;
        std::promise<Entry> answer;
    };

    std::vector<std::unique_ptr<Asset>> make_assets(const Plant& plant, Models& models) const;
    Watched watched(const Plant& plant, const std::vector<std::unique_ptr<Asset>>& assets) const;
    void recover();
    // Of assets whose model has learned, or was put back: the ledger says who did it. Where it is away, another time.
    void note_models(std::span<const std::unique_ptr<Asset>> assets) const;
    void make_sources();
    void stop_sources();
    void make_tellers();
    void clear_tellers();

    void judge();
    bool round();  // false: there was nothing to do
    void take(std::vector<Sample> samples, const Now& now, bool live);
    void obey(const Now& now);
    void look_at_clock(const Now& now);
    void hand_to_ledger(const Now& now);
    void settle_recorded();
    void publish();
    void snapshot(const Now& now);
    Snapshot saved() const;
    Now now() const { return {clock_.wall_s(), clock_.steady_s()}; }
    void wake();

    Plant plant_;
    const Log log_;
    const Clock& clock_;
    Models models_;
    std::vector<std::unique_ptr<Asset>> assets_;  // the judge's, while it runs
    std::vector<bool> touched_;                   // since the last publication
    uint64_t group_ = 0;                          // of the journal: judged so far
    std::unique_ptr<Journal> journal_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<Intake> intake_;
    std::vector<std::unique_ptr<Source>> sources_;
    std::vector<std::unique_ptr<Teller>> tellers_;

    mutable std::shared_mutex outside_;  // of plant, sources and tellers, which a reload replaces
    mutable std::mutex mutex_;           // of what follows
    mutable std::condition_variable changed_;
    bool woken_ = false, stopping_ = false, pausing_ = false, paused_ = false;
    std::vector<Command> commands_;
    std::map<std::string, AssetView> views_;
    uint64_t version_ = 0;
    Delays delays_;
    EngineStatus status_;

    double looked_s_ = 0, snapshot_due_s_ = 0, retention_due_s_ = 0;  // the judge's, steady
    std::future<void> snapshot_;
    std::thread judge_;
};

}  // namespace cmr::live
