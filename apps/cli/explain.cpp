#include "explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "data/load.h"
#include "io/json_fields.h"
#include "io/text/number.h"
#include "io/text/time.h"
#include "load_data.h"
#include "score/explain/explain.h"
#include "score/file/detector_file.h"
#include "text_table.h"

namespace cmr::cli {
namespace {

int64_t chosen_window(const ExplainOptions& options, const data::Dataset& dataset, const score::ScoreRun& run) {
    if (options.at.empty() && options.recording.empty()) return score::first_alarm(run);
    int32_t recording = run.windows.front().window.recording;
    if (!options.recording.empty()) {
        const auto found = std::ranges::find(dataset.recordings, options.recording, &data::Recording::name);
        if (found == dataset.recordings.end()) throw InputError("no recording \"{}\"", options.recording);
        recording = static_cast<int32_t>(found - dataset.recordings.begin());
    }
    if (options.at.empty()) return score::window_at(run, 0, recording);
    const auto number = io::parse_number(options.at);
    const auto time = number ? number : io::parse_time(options.at, io::DateOrder::kUnknown);
    if (!time) throw InputError("--at {}: expected a time such as 2026-03-01 14:32:00, or seconds", options.at);
    if (options.recording.empty())  // the recording whose windows reach there
        for (const score::ScoredWindow& w : run.windows)
            if (w.start_s <= *time && *time <= w.end_s) {
                recording = w.window.recording;
                break;
            }
    return score::window_at(run, *time, recording);
}

}  // namespace

std::string explain(const ExplainOptions& options) {
    const score::Detector detector = score::load_detector(options.model);
    const data::Dataset dataset = options.data.empty()
                                      ? load_data(detector.recipe, options.data_root)
                                      : data::load(score::recipe_of_file(detector.recipe, options.data),
                                                   std::filesystem::absolute(options.data).parent_path());
    const score::ScoreRun run = score::run(detector, dataset);
    const score::Explanation found = score::explain(detector, dataset, run, chosen_window(options, dataset, run));
    if (options.json) {
        io::Json out = {{"verdict", score::name(found.verdict)},
                        {"sentence", found.sentence},
                        {"at_s", found.at_s},
                        {"onset_s", found.onset_s},
                        {"level", found.level},
                        {"p_value", found.p_value},
                        {"cause_level", found.cause_level},
                        {"newly_active_causes", found.newly_active_causes},
                        {"effects", io::Json::array()},
                        {"causes", io::Json::array()}};
        for (const auto& e : found.effects)
            out["effects"].push_back({{"channel", e.name}, {"residual", e.residual}, {"alone", e.alone}});
        for (const auto& c : found.causes) out["causes"].push_back({{"channel", c.name}, {"share", c.share}});
        return out.dump(2, ' ', false, io::Json::error_handler_t::replace) + "\n";
    }
    std::string text =
        fmt::format("{}\n{}\n\nlevel {:.2f} of the alarm line, p = {:.2g}; causes {:.2f} of what is new\n\n",
                    score::name(found.verdict), found.sentence, found.level, found.p_value, found.cause_level);
    TextTable effects({"<effect", "residual", "by itself"});
    for (size_t i = 0; i < std::min<size_t>(found.effects.size(), 8); ++i)
        effects.add({found.effects[i].name, fmt::format("{:.1f}", found.effects[i].residual),
                     fmt::format("{:.1f}", found.effects[i].alone)});
    TextTable causes({"<cause of " + found.effects.front().name, "share of what is unexplained"});
    for (size_t i = 0; i < std::min<size_t>(found.causes.size(), 5); ++i)
        causes.add({found.causes[i].name, fmt::format("{:.2f}", found.causes[i].share)});
    return text + effects.text() + "\n" + causes.text();
}

}  // namespace cmr::cli
