#include "live/metrics.h"

#include <cmath>

#include "base/version.h"

namespace cmr::live {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        if (letter == '\\' || letter == '"') out += '\\';
        if (letter == '\n')
            out += "\\n";
        else
            out += letter;
    }
    return out;
}

class Text {
  public:
    void family(const char* name, const char* type, const char* help) {
        name_ = name;
        out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    }
    void value(double value, const std::vector<std::pair<const char*, std::string>>& labels = {},
               const char* suffix = "") {
        std::string all;
        for (const auto& [key, text] : labels)
            all += fmt::format("{}{}=\"{}\"", all.empty() ? "" : ",", key, escaped(text));
        out_ += fmt::format("{}{}{} {}\n", name_, suffix, all.empty() ? "" : "{" + all + "}",
                            std::isnan(value) ? "NaN" : fmt::format("{}", value));
    }
    void one(const char* name, const char* type, const char* help, double of) {
        family(name, type, help);
        value(of);
    }
    std::string take() { return std::move(out_); }

  private:
    std::string name_, out_;
};

struct AssetMetric {
    const char *name, *type, *help;
    double (*of)(const AssetView&);
};

template <auto Count>
double count(const AssetView& view) {
    return static_cast<double>(view.counts.*Count);
}

using monitor::Counts;
constexpr AssetMetric kAssetMetrics[] = {
    {"cmr_level", "gauge", "Level of the last window; 1 is the alarm line.",
     [](const AssetView& v) { return static_cast<double>(v.level); }},
    {"cmr_alarm_on", "gauge", "1 while the alarm is on, acknowledged or not.",
     [](const AssetView& v) { return v.alarm.on() ? 1.0 : 0.0; }},
    {"cmr_stale", "gauge", "1 while no data come.", [](const AssetView& v) { return v.alarm.stale ? 1.0 : 0.0; }},
    {"cmr_event_time_seconds", "gauge", "Event time of the last window.", [](const AssetView& v) { return v.event_s; }},
    {"cmr_sick_channels", "gauge", "Channels that are not well in the last window.",
     [](const AssetView& v) { return static_cast<double>(v.sick.size()); }},
    {"cmr_outside_range", "gauge", "1 while the last window is outside the learned range.",
     [](const AssetView& v) { return v.outside_range ? 1.0 : 0.0; }},
    {"cmr_promise_void", "gauge", "1 while the promise of false alarms does not hold.",
     [](const AssetView& v) { return v.promise.empty() ? 0.0 : 1.0; }},
    {"cmr_unrecorded_steps", "gauge", "Steps of the alarm that the ledger does not have yet.",
     [](const AssetView& v) { return static_cast<double>(v.unrecorded); }},
    {"cmr_readings_total", "counter", "Readings that came.", count<&Counts::readings>},
    {"cmr_late_readings_total", "counter", "Readings that came too late to be judged.", count<&Counts::late>},
    {"cmr_doubled_readings_total", "counter", "Readings that came twice.", count<&Counts::doubled>},
    {"cmr_gaps_total", "counter", "Interruptions of the data.", count<&Counts::gaps>},
    {"cmr_windows_total", "counter", "Windows.", count<&Counts::windows>},
    {"cmr_unjudged_windows_total", "counter", "Windows of which nothing could be said.", count<&Counts::unjudged>},
    {"cmr_alarms_total", "counter", "Alarms that began.", count<&Counts::alarms>},
};

}  // namespace

std::string metrics_text(const EngineStatus& status, const std::vector<AssetView>& views, double wall_s) {
    Text text;
    text.family("cmr_info", "gauge", "The program.");
    text.value(1, {{"version", std::string(version())}});
    text.one("cmr_uptime_seconds", "gauge", "Since the monitor was started.", wall_s - status.started_s);
    text.one("cmr_assets", "gauge", "Assets that are watched.", static_cast<double>(views.size()));
    for (const AssetMetric& metric : kAssetMetrics) {
        text.family(metric.name, metric.type, metric.help);
        for (const AssetView& view : views) text.value(metric.of(view), {{"asset", view.name}});
    }
    text.family("cmr_state", "gauge", "1 for the state that the alarm is in.");
    for (const AssetView& view : views)
        text.value(1, {{"asset", view.name}, {"state", std::string(name(view.alarm.shown()))}});

    text.family("cmr_source_connected", "gauge", "1 while the source reaches what it reads.");
    for (const NamedSource& source : status.sources)
        text.value(source.status.connected ? 1 : 0, {{"source", source.name}, {"kind", source.kind}});
    text.family("cmr_source_readings_total", "counter", "Readings that the source handed over.");
    for (const NamedSource& source : status.sources)
        text.value(static_cast<double>(source.status.received), {{"source", source.name}});
    text.family("cmr_source_refused_total", "counter", "Messages of the source that could not be read.");
    for (const NamedSource& source : status.sources)
        text.value(static_cast<double>(source.status.refused), {{"source", source.name}});
    text.family("cmr_notifier_reached", "gauge", "1 where the last message arrived.");
    for (const NamedTeller& teller : status.tellers)
        text.value(teller.status.reached ? 1 : 0, {{"notifier", teller.name}});
    text.family("cmr_messages_waiting", "gauge", "Messages that wait in the ledger for their receiver.");
    for (const NamedTeller& teller : status.tellers)
        text.value(static_cast<double>(teller.status.waiting), {{"notifier", teller.name}});
    text.family("cmr_messages_total", "counter", "Messages that arrived, were refused, or attempts that failed.");
    for (const NamedTeller& teller : status.tellers) {
        text.value(static_cast<double>(teller.status.sent), {{"notifier", teller.name}, {"result", "sent"}});
        text.value(static_cast<double>(teller.status.refused), {{"notifier", teller.name}, {"result", "refused"}});
        text.value(static_cast<double>(teller.status.failed), {{"notifier", teller.name}, {"result", "failed"}});
    }

    text.one("cmr_journal_safe", "gauge", "1 where the last readings are on disk.", status.intake.safe ? 1 : 0);
    text.one("cmr_unsafe_readings_total", "counter", "Readings that were judged without being on disk.",
             static_cast<double>(status.intake.unsafe));
    text.one("cmr_unwatched_readings_total", "counter", "Readings of assets or channels that nobody watches.",
             static_cast<double>(status.intake.unwatched));
    text.one("cmr_queued_readings", "gauge", "Readings that wait to be judged.",
             static_cast<double>(status.intake.queued));
    text.one("cmr_journal_bytes", "gauge", "Size of the journal.", static_cast<double>(status.journal_bytes));
    text.one("cmr_snapshot_bytes", "gauge", "Size of the last snapshot.", static_cast<double>(status.snapshot_bytes));
    text.one("cmr_snapshot_time_seconds", "gauge", "When it was written.", status.snapshot_s);
    text.one("cmr_ledger_reached", "gauge", "1 where the last write arrived.", status.recorder.reached ? 1 : 0);
    text.one("cmr_lost_levels_total", "counter", "Spans of levels that the ledger was away too long for.",
             static_cast<double>(status.lost_levels));
    text.family("cmr_judging_delay_seconds", "histogram", "From a reading's arrival to its being judged.");
    int64_t sum = 0;
    for (size_t i = 0; i < Delays::kLimits_s.size(); ++i) {
        sum += status.delays.counts[i];
        text.value(static_cast<double>(sum), {{"le", fmt::format("{}", Delays::kLimits_s[i])}}, "_bucket");
    }
    text.value(static_cast<double>(status.delays.total()), {{"le", "+Inf"}}, "_bucket");
    text.value(status.delays.sum_s, {}, "_sum");
    text.value(static_cast<double>(status.delays.total()), {}, "_count");
    return text.take();
}

}  // namespace cmr::live
