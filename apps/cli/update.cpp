#include "update.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "io/json_fields.h"
#include "io/text/time.h"
#include "live/marked.h"
#include "live/plant/settings.h"
#include "load_data.h"
#include "progress.h"
#include "score/file/detector_file.h"
#include "score/file/facts.h"
#include "score/memory.h"
#include "score/score_run.h"
#include "score/update.h"
#include "who.h"

namespace cmr::cli {
namespace {

namespace fs = std::filesystem;

// The model as it was before its last additions: plant.cmr.0 before the first, plant.cmr.1 before the second.
fs::path kept_file(const fs::path& model, size_t additions) {
    return fs::path(model).concat(fmt::format(".{}", additions));
}

double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// An alarm comes at the end of a window, and after the delay of the rule.
std::vector<score::HealthySpan> spans_of(const UpdateOptions& options, const score::Detector& detector) {
    if (options.asset.empty()) throw InputError("--marked needs --asset: whose alarms?");
    const live::Plant plant = live::read_plant(options.marked);
    live::Ledger ledger({plant.ledger.address, live::read_secret(plant.ledger.password_file)});
    const double before_s = static_cast<double>(detector.recipe.window.length) / detector.recipe.data.rate_hz +
                            detector.alarm.rule.on_delay_s;
    std::vector<score::HealthySpan> out;
    for (const live::Marked& alarm : live::marked(ledger, options.asset))
        out.push_back({alarm.raised_s - before_s, alarm.end_s});
    if (out.empty())
        throw InputError("{}: no alarm of '{}' is marked as false; mark them on the page, or by `cmr alarms --do mark`",
                         options.marked.string(), options.asset);
    return out;
}

data::Dataset read(const score::Detector& detector, const score::Addition& about) {
    return load_data_to_score(detector.recipe, {about.file, {}, about.part, about.settings}).dataset;
}

std::string added_text(const score::Addition& addition) {
    return fmt::format(
        "{}  {} windows of {}{}{}{}\n", io::format_time(std::floor(addition.wall_s)), with_commas(addition.windows),
        addition.file, addition.spans.empty() ? "" : fmt::format(", {} spans of it", addition.spans.size()),
        addition.who.empty() ? "" : ", by " + addition.who, addition.why.empty() ? "" : ": " + addition.why);
}

std::string list(const UpdateOptions& options, const score::Detector& detector) {
    if (options.json) return io::to_text(io::to_json(detector.provenance.added), 2) + "\n";
    std::string out;
    for (const score::Addition& addition : detector.provenance.added) out += added_text(addition);
    return out.empty() ? fmt::format("{}: nothing was added since it was fitted\n", options.model.string()) : out;
}

std::string undo(const UpdateOptions& options, const score::Detector& detector) {
    const size_t additions = detector.provenance.added.size();
    if (additions == 0) throw InputError("{}: nothing was added since it was fitted", options.model.string());
    const fs::path kept = kept_file(options.model, additions - 1);
    if (!fs::exists(kept))
        throw InputError("{}: is not there any more; it is what the model was before the last addition", kept.string());
    if (score::load_detector(kept).provenance.added.size() != additions - 1)
        throw InputError("{}: is not what the model was before the last addition", kept.string());
    const fs::path undone = kept_file(options.model, additions);
    fs::copy_file(options.model, undone, fs::copy_options::overwrite_existing);
    fs::rename(kept, options.model);
    return fmt::format("{}: as it was before {}\nWhat it was until now is {}.\n", options.model.string(),
                       detector.provenance.added.back().file, undone.string());
}

// Alarms that a detector raises in what was healthy.
int64_t alarms_in(const score::Detector& detector, const data::Dataset& dataset, const score::Addition& about) {
    int64_t count = 0;
    bool on = false;
    for (const score::ScoredWindow& window : score::run(detector, dataset).windows) {
        const bool healthy = about.spans.empty() || std::ranges::any_of(about.spans, [&](const auto& span) {
                                 return window.end_s >= span.begin_s && window.end_s <= span.end_s;
                             });
        if (window.alarm && !on && healthy) ++count;
        on = window.alarm;
    }
    return count;
}

std::string promise_text(const score::AlarmSettings& was, const score::AlarmSettings& is) {
    if (!is.calibration) return "It is not calibrated (`cmr calibrate`).\n";
    return fmt::format(
        "Alarm where `both` reaches {} (was {}). Promised {} false alarms per day; with 95 % confidence the true rate "
        "is between {} and {} (were {} and {}), by {} of healthy data.\n",
        short_number(is.calibration->threshold, 4), short_number(was.calibration->threshold, 4),
        short_number(is.calibration->promised_per_day), short_number(is.calibration->low_per_day),
        short_number(is.calibration->high_per_day), short_number(was.calibration->low_per_day),
        short_number(was.calibration->high_per_day), duration_text(is.calibration->healthy_days * 86'400));
}

}  // namespace

std::string update(const UpdateOptions& options) {
    const score::Detector before = score::load_detector(options.model);
    if (options.undo && !options.healthy.data.empty()) throw InputError("--undo and --healthy: one at a time");
    if (options.undo) return undo(options, before);
    if (options.healthy.data.empty()) return list(options, before);
    score::Addition about{.file = fs::absolute(options.healthy.data).lexically_normal().string(),
                          .part = options.healthy.part,
                          .settings = options.healthy.settings,
                          .spans = {},
                          .fingerprint = {},
                          .windows = 0,
                          .wall_s = now_s(),
                          .who = who_acts(options.who),
                          .why = options.why};
    if (!options.marked.empty()) about.spans = spans_of(options, before);
    std::vector<score::MoreHealthy> all;
    for (const score::Addition& earlier : before.provenance.added) all.push_back({earlier, read(before, earlier)});
    const data::Dataset healthy = read(before, about);
    score::check_memory_to_score(healthy, before.recipe);
    all.push_back({about, healthy});
    data::Dataset original = load_data(before.recipe, options.healthy.data_root);
    const score::Detector after = [&] {
        ProgressBar bar("fitting the detector");
        return score::update(before, std::move(original), std::move(all),
                             [&](int64_t done, int64_t total) { bar.update(done, total); });
    }();

    const int64_t alarms_before = alarms_in(before, healthy, about), alarms_after = alarms_in(after, healthy, about);
    const fs::path next = fs::path(options.model).concat(".next"),
                   kept = kept_file(options.model, before.provenance.added.size());
    score::save_detector(after, next);
    score::load_detector(next);  // its golden windows hold
    fs::copy_file(options.model, kept, fs::copy_options::overwrite_existing);
    fs::rename(next, options.model);
    if (options.json)
        return io::Json{{"model", options.model.string()},
                        {"kept", kept.string()},
                        {"alarms", {{"before", alarms_before}, {"after", alarms_after}}},
                        {"added", io::to_json(after.provenance.added.back())},
                        {"calibration", after.alarm.calibration ? io::to_json(*after.alarm.calibration) : io::Json()}}
                   .dump(2) +
               "\n";
    return fmt::format(
        "{}: learned {} more healthy windows, {} in all\nAlarms in them: {}, before {}{}.\n{}What it was is {}; `cmr "
        "update --undo {}` puts it back.\n",
        options.model.string(), with_commas(after.provenance.added.back().windows),
        with_commas(after.healthy.scores.rows), alarms_after, alarms_before,
        alarms_after > 0 ? "; a promise of fewer (`cmr calibrate`) raises the line" : "",
        promise_text(before.alarm, after.alarm), kept.string(), options.model.string());
}

}  // namespace cmr::cli
