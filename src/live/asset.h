#pragma once
// One machine that is watched: its stream, its alarm, its levels, and what of these the ledger does not have yet. No
// threads, no files, no clocks: state is a value that is saved, restored and compared.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/action.h"
#include "live/alarm/alarm.h"
#include "live/ledger.h"
#include "live/levels.h"
#include "live/plant/settings.h"
#include "live/sample.h"
#include "monitor/stream.h"

namespace cmr::live {

struct Now {
    double wall_s = 0;
    double steady_s = 0;
};

// A point of the curve on the page.
struct Point {
    double end_s = 0;
    float level = 0;  // NaN: not judged
    bool alarm = false, outside = false;
};

// A channel that is not well.
struct SickChannel {
    std::string name, sickness;
};

// What people see of an asset.
struct AssetView {
    std::string name;
    Alarm alarm;
    double event_s = 0;  // end of the last window; 0: none yet
    double heard_s = 0;  // wall time of the last reading; 0: none yet
    float level = 0;
    double p_value = 1;
    bool judged = false;
    bool outside_range = false;  // the last window: causes as they never were in the healthy data
    std::vector<std::string> effects;
    std::vector<float> residuals;  // of the last judged window
    std::vector<SickChannel> sick;
    std::string promise;  // why the promise of false alarms does not hold; empty: it does
    monitor::Counts counts;
    std::optional<Entry> words;  // of the alarm that is on, or waits to be acknowledged
    std::vector<Point> recent;   // the last windows
    std::vector<Level> open;     // spans that are not over: of the fine resolution, and the hour
    int64_t unrecorded = 0;      // steps that are not in the ledger yet
    uint64_t version = 0;        // of the engine, when this was seen
};

class Asset {
  public:
    Asset(std::string name, std::shared_ptr<const score::Detector> detector, const Rules& rules, int64_t level_s);

    const std::string& name() const { return name_; }
    const monitor::Stream& stream() const { return stream_; }
    const Rules& rules() const { return rules_; }
    const Alarm& alarm() const { return alarm_; }

    // Readings in the order in which they came. `live`: they are new, not replayed.
    void take(std::span<const Sample> samples, const Now& now, bool live = true);
    // Looks at the clock: did it fall silent?
    void look(const Now& now);
    // What people do. InputError where the alarm is not in a state for it.
    Entry act(const Action& action, const Now& now);
    // Notes what the model has learned since it was fitted, unless `recorded`, the evidence of the last such note in
    // the ledger, says the same.
    void note_model(const std::string& recorded, const Now& now);

    // What the ledger does not have yet, and that it has now: the steps up to a number, the first spans.
    std::span<const Entry> steps() const { return steps_; }
    std::span<const Levels> levels() const { return levels_; }
    void recorded(int64_t step, std::span<const size_t> spans);
    int64_t lost() const;  // spans that could not be kept

    // The ledger may know more steps than a snapshot, never other ones.
    void go_on_from(const Alarm& ledger);
    // Goes on as another did: alarm, levels and what is unrecorded; the stream too, where the model is the same.
    void go_on_from(const Asset& before);

    AssetView view() const;
    std::string save() const;
    void restore(const std::string& state);  // InputError where it is of another model or settings, or damaged

  private:
    void judge(const monitor::JudgedWindow& window, const Now& now);
    std::optional<bool> alarm_by(const monitor::JudgedWindow& window) const;
    void note(const Step& step, double event_s, const Now& now, const std::string& who = "",
              const std::string& why = "");
    AlarmOptions options() const { return {rules_.latching}; }

    std::string name_;
    Rules rules_;
    monitor::Stream stream_;
    Alarm alarm_;
    std::vector<Levels> levels_;  // fine, hours
    std::vector<Entry> steps_;
    std::optional<Entry> words_;  // of the episode
    std::string culprit_;         // the effect that it rests on most
    monitor::JudgedWindow last_;  // window
    std::vector<float> residuals_;
    double heard_wall_s_ = 0, heard_steady_s_ = -1;  // -1: the silence is not measured yet
    std::deque<Point> recent_;
};

}  // namespace cmr::live
