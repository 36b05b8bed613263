#include "live/web/api.h"

#include <algorithm>
#include <cmath>

#include "live/words.h"

namespace cmr::live {
namespace {

io::Json numbers(const std::vector<float>& values) {
    io::Json out = io::Json::array();
    for (const float value : values)
        out.push_back(std::isfinite(value) ? io::Json(std::round(value * 10) / 10) : io::Json());
    return out;
}

io::Json number(double value) { return std::isfinite(value) ? io::Json(value) : io::Json(); }

// Evidence is JSON that we wrote; a ledger may have been edited by others.
io::Json parsed(const std::string& text) {
    io::Json out = io::Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return out.is_discarded() ? io::Json() : out;
}

}  // namespace

io::Json summary_json(const AssetView& view) {
    return {{"name", view.name},
            {"state", std::string(name(view.alarm.shown()))},
            {"on", view.alarm.on()},
            {"stale", view.alarm.stale},
            {"level", number(view.level)},
            {"event_s", view.event_s},
            {"since_s", view.alarm.since_s},
            {"raised_s", view.alarm.raised_s},
            {"shelved_until_s", view.alarm.shelved_until_s},
            {"sick", view.sick.size()},
            {"outside_range", view.outside_range},
            {"promise", view.promise},
            {"unrecorded", view.unrecorded},
            {"steps", view.alarm.steps - view.unrecorded},
            {"sentence", view.words ? view.words->sentence : ""}};
}

io::Json detail_json(const AssetView& view) {
    io::Json out = summary_json(view);
    out["p_value"] = number(view.p_value);
    out["heard_s"] = view.heard_s;
    out["effects"] = view.effects;
    out["residuals"] = numbers(view.residuals);
    io::Json sick = io::Json::array();
    for (const SickChannel& channel : view.sick)
        sick.push_back({{"name", channel.name}, {"sickness", channel.sickness}});
    out["sick_channels"] = sick;
    const monitor::Counts& counts = view.counts;
    out["counts"] = {{"readings", counts.readings}, {"late", counts.late},       {"doubled", counts.doubled},
                     {"gaps", counts.gaps},         {"windows", counts.windows}, {"unjudged", counts.unjudged}};
    if (view.words) {
        out["verdict"] = view.words->verdict;
        out["evidence"] = parsed(view.words->evidence);
    }
    io::Json time = io::Json::array(), level = io::Json::array(), alarm = io::Json::array(),
             outside = io::Json::array();
    for (const Point& point : view.recent) {
        time.push_back(point.end_s);
        level.push_back(number(point.level));
        alarm.push_back(point.alarm ? 1 : 0);
        outside.push_back(point.outside ? 1 : 0);
    }
    out["recent"] = {{"time", time}, {"level", level}, {"alarm", alarm}, {"outside", outside}};
    return out;
}

io::Json entry_json(const Entry& entry) {
    io::Json out = io::to_json(entry);
    out["headline"] = headline(entry);
    out["evidence"] = parsed(entry.evidence);
    return out;
}

io::Json status_json(const EngineStatus& status) {
    io::Json sources = io::Json::array(), tellers = io::Json::array();
    for (const NamedSource& source : status.sources)
        sources.push_back({{"name", source.name},
                           {"kind", source.kind},
                           {"connected", source.status.connected},
                           {"detail", source.status.detail},
                           {"received", source.status.received},
                           {"refused", source.status.refused},
                           {"last_s", number(source.status.last_s)}});
    for (const NamedTeller& teller : status.tellers)
        tellers.push_back({{"name", teller.name},
                           {"reached", teller.status.reached},
                           {"detail", teller.status.detail},
                           {"sent", teller.status.sent},
                           {"waiting", teller.status.waiting},
                           {"refused", teller.status.refused}});
    return {{"sources", sources},
            {"notifiers", tellers},
            {"journal",
             {{"safe", status.intake.safe},
              {"trouble", status.intake.trouble},
              {"unsafe", status.intake.unsafe},
              {"bytes", status.journal_bytes}}},
            {"ledger",
             {{"reached", status.recorder.reached},
              {"trouble", status.recorder.trouble},
              {"lost_levels", status.lost_levels}}},
            {"snapshot",
             {{"time_s", status.snapshot_s}, {"bytes", status.snapshot_bytes}, {"trouble", status.snapshot_trouble}}},
            {"readings", status.intake.readings},
            {"unwatched", status.intake.unwatched},
            {"queued", status.intake.queued}};
}

Curve pooled(std::vector<Level> levels, double from_s, double to_s, int64_t resolution_s, int64_t points) {
    Curve out;
    const double wanted = (to_s - from_s) / static_cast<double>(std::max<int64_t>(points, 1));
    const auto spans =
        std::max<int64_t>(1, static_cast<int64_t>(std::ceil(wanted / static_cast<double>(resolution_s))));
    out.span_s = spans * resolution_s;
    const auto span = static_cast<double>(out.span_s);
    for (Level& level : levels) {
        const double begin_s = std::floor(level.begin_s / span) * span;
        if (out.levels.empty() || out.levels.back().begin_s != begin_s) {
            level.begin_s = begin_s;
            out.levels.push_back(std::move(level));
            continue;
        }
        Level& into = out.levels.back();
        into.level = std::fmax(into.level, level.level);
        into.windows += level.windows;
        into.unjudged += level.unjudged;
        into.outside += level.outside;
        into.alarm |= level.alarm;
        into.residuals.resize(std::max(into.residuals.size(), level.residuals.size()));
        for (size_t i = 0; i < level.residuals.size(); ++i)
            into.residuals[i] = std::fmax(into.residuals[i], level.residuals[i]);
    }
    return out;
}

io::Json curve_json(const Curve& curve, const std::vector<std::string>& effects) {
    io::Json time = io::Json::array(), level = io::Json::array(), alarm = io::Json::array(),
             unjudged = io::Json::array(), outside = io::Json::array(), residuals = io::Json::array();
    for (const Level& one : curve.levels) {
        time.push_back(one.begin_s);
        level.push_back(number(one.level));
        alarm.push_back(one.alarm ? 1 : 0);
        unjudged.push_back(one.unjudged);
        outside.push_back(one.outside);
        residuals.push_back(numbers(one.residuals));
    }
    return {{"span_s", curve.span_s}, {"time", time},       {"level", level},     {"alarm", alarm},
            {"unjudged", unjudged},   {"outside", outside}, {"effects", effects}, {"residuals", residuals}};
}

}  // namespace cmr::live
