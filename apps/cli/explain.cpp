#include "explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "choose_window.h"
#include "io/json_fields.h"
#include "score/explain/explain.h"
#include "score/file/detector_file.h"
#include "score/memory.h"
#include "text_table.h"

namespace cmr::cli {
std::string explain(const ExplainOptions& options) {
    const score::Detector detector = score::load_detector(options.model);
    const auto [recipe, dataset] = load_data_to_score(detector.recipe, options.data);
    score::check_memory_to_score(dataset, detector.recipe, recipe.window.stride);
    const score::ScoreRun run = score::run(detector, dataset, recipe.window.stride);
    const double period_s = static_cast<double>(recipe.window.stride) / dataset.rate_hz;
    const score::Explanation found =
        score::explain(detector, dataset, run, choose_window(run, dataset, period_s, options.at, options.recording));
    const score::ScoredWindow& window = run.windows[found.window];
    const data::Recording& recording = dataset.recordings[window.window.recording];
    const std::string start = moment_text(recording, window.start_s), end = moment_text(recording, window.end_s);
    if (options.json) {
        io::Json out = {
            {"verdict", score::name(found.verdict)},
            {"sentence", found.sentence},
            {"recording", recording.name},
            {"window", {{"start", start}, {"end", end}, {"start_s", window.start_s}, {"end_s", window.end_s}}},
            {"at_s", found.at_s},
            {"onset", moment_text(recording, found.onset_s)},
            {"onset_s", found.onset_s},
            {"level", found.level},
            {"p_value", found.p_value},
            {"voice", found.voice},
            {"cause_level", found.cause_level},
            {"newly_active_causes", found.newly_active_causes},
            {"root", io::Json::array()},
            {"sensors", io::Json::array()},
            {"effects", io::Json::array()},
            {"causes", io::Json::array()}};
        for (const auto& s : found.sensors)
            out["sensors"].push_back({{"channel", s.name}, {"sickness", score::name(s.sickness)}});
        for (const auto& e : found.effects)
            out["effects"].push_back({{"channel", e.name},
                                      {"residual", e.residual},
                                      {"alone", e.alone},
                                      {"coupling", e.coupling},
                                      {"observed", e.observed},
                                      {"expected", e.expected}});
        for (const auto& c : found.causes)
            out["causes"].push_back({{"channel", c.name}, {"share", c.share}, {"alone", c.alone}});
        for (const auto& d : found.root)
            out["root"].push_back(
                {{"channel", d.name}, {"onset", moment_text(recording, d.onset_s)}, {"onset_s", d.onset_s}});
        out["cause_named"] = found.cause_named;
        return out.dump(2, ' ', false, io::Json::error_handler_t::replace) + "\n";
    }
    std::string text;
    for (const auto& s : found.sensors) text += fmt::format("sick sensor: {}, {}\n", s.name, score::name(s.sickness));
    if (!window.judged)
        return text + fmt::format("{}\n{}\n\n{}, window from {} to {}\n", score::name(found.verdict), found.sentence,
                                  recording.name, start, end);
    text += fmt::format(
        "{}\n{}\n\n{}, window from {} to {}\nlevel {:.2f} of the alarm line, p = {:.2g}, mostly by {}; causes at "
        "{:.2f} "
        "of the limit of the learned range\n\n",
        score::name(found.verdict), found.sentence, recording.name, start, end, found.level, found.p_value, found.voice,
        found.cause_level);
    TextTable effects({"<effect", "residual", "by itself", "is on average", "expected"});
    for (size_t i = 0; i < std::min<size_t>(found.effects.size(), 8); ++i)
        effects.add({found.effects[i].name, fmt::format("{:.1f}", found.effects[i].residual),
                     fmt::format("{:.1f}", found.effects[i].alone), short_number(found.effects[i].observed, 4),
                     short_number(found.effects[i].expected, 4)});
    TextTable causes({"<cause of " + found.effects.front().name, "share of what is unexplained", "by itself"});
    for (size_t i = 0; i < std::min<size_t>(found.causes.size(), 5); ++i)
        causes.add({found.causes[i].name,
                    found.causes[i].share > 0 ? fmt::format("{:.2f}", found.causes[i].share) : "–",
                    fmt::format("{:.1f}", found.causes[i].alone)});
    if (found.root.size() > 1) {
        // Within a window's length the order does not tell, and the one that drives the others stands first.
        const bool together = found.root[0].onset_s >= found.root[1].onset_s;
        text +=
            fmt::format("root: {} at {}", found.root.front().name, moment_text(recording, found.root.front().onset_s));
        for (size_t i = 1; i < std::min<size_t>(found.root.size(), 6); ++i)
            text += fmt::format("{} {} at {}",
                                i > 1      ? ","
                                : together ? ", which drives the others; within a window of it"
                                           : "; then",
                                found.root[i].name, moment_text(recording, found.root[i].onset_s));
        text += "\n\n";
    }
    return text + effects.text() + "\n" + causes.text();
}

}  // namespace cmr::cli
