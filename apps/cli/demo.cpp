#include "demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "data/load.h"
#include "demo_recipe.h"
#include "eval/alarms.h"
#include "eval/ranking.h"
#include "eval/summary.h"
#include "fit_request.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "report/heatmap.h"
#include "report/page.h"
#include "report/timeline.h"
#include "report/waveforms.h"
#include "say.h"
#include "score/explain/explain.h"
#include "score/explain/mechanism.h"
#include "score/file/detector_file.h"
#include "simulate/water.h"
#include "training_program.h"

namespace cmr::cli {
namespace {

constexpr double kFalseAlarmsPerDay = 4;

// The windows of the recording under attack, as charts want them.
struct Track {
    std::vector<double> times;
    std::vector<float> combined, mechanism, marginal;  // in units of their alarm lines
    Matrix residuals;
    std::vector<uint8_t> faulty, alarm;
    int64_t first = 0;  // window of the run
    double period = 0;

    std::vector<int64_t> uninterrupted() const { return std::vector<int64_t>(times.size(), 0); }  // one recording
};

// A score in units of the level that as few healthy windows exceed as exceed the alarm line.
std::vector<float> in_units(const score::Detector& detector, const score::ScoreRun& run, const Track& track,
                            const std::string& name) {
    const auto names = detector.names();
    const auto column = std::ranges::find(names, name) - names.begin();
    std::vector<float> healthy;
    for (int64_t i = 0; i < detector.healthy.scores.rows; ++i)
        healthy.push_back(detector.healthy.scores.row(i)[column]);
    std::ranges::sort(healthy);
    const auto above =
        std::ranges::count_if(detector.healthy.trace.score, [&](double s) { return s >= detector.threshold(); });
    const float line = healthy[std::max<int64_t>(0, std::ssize(healthy) - 1 - above)];
    std::vector<float> out;
    for (size_t i = 0; i < track.times.size(); ++i)
        out.push_back(run.scores.values.row(track.first + static_cast<int64_t>(i))[column] / line);
    return out;
}

Track track_of(const score::Detector& detector, const score::ScoreRun& run, const data::Dataset& dataset,
               int32_t recording) {
    Track out;
    out.period = static_cast<double>(detector.recipe.window.stride) / dataset.rate_hz;
    while (run.windows[out.first].window.recording != recording) ++out.first;
    for (int64_t i = out.first; i < std::ssize(run.windows) && run.windows[i].window.recording == recording; ++i) {
        out.times.push_back(run.windows[i].end_s);
        out.faulty.push_back(run.windows[i].window.state == data::State::kFaulty);
        out.alarm.push_back(run.windows[i].alarm);
        out.combined.push_back(static_cast<float>(run.windows[i].level));
    }
    out.residuals = Matrix(std::ssize(out.times), run.scores.residuals.columns);
    for (int64_t i = 0; i < out.residuals.rows; ++i)
        std::ranges::copy(run.scores.residuals.row(out.first + i), out.residuals.row(i).begin());
    out.mechanism = in_units(detector, run, out, "lagged");
    out.marginal = in_units(detector, run, out, "marginal");
    return out;
}

struct Outcome {
    const data::Event* event;
    std::optional<double> alarm_s;
    std::optional<score::Explanation> explanation;
};

// The windows of each attack.
std::vector<eval::FlaggedRun> attacks_of(const data::Dataset& dataset, const score::ScoreRun& run, const Track& track) {
    std::vector<eval::FlaggedRun> out(dataset.events.size());
    for (int64_t i = 0; i < std::ssize(track.times); ++i)
        if (const int32_t event = run.windows[track.first + i].window.event; event >= 0) {
            if (out[event].end == 0) out[event].begin = i;
            out[event].end = i + 1;
        }
    return out;
}

// What became of each attack.
std::vector<Outcome> outcomes(const score::Detector& detector, const data::Dataset& dataset, const score::ScoreRun& run,
                              const Track& track) {
    const std::vector<eval::FlaggedRun> alarms = eval::flagged_runs(track.alarm, track.uninterrupted());
    const auto found_by = eval::found_by(attacks_of(dataset, run, track), alarms);
    std::vector<Outcome> out;
    for (size_t e = 0; e < dataset.events.size(); ++e) {
        Outcome& outcome = out.emplace_back(Outcome{&dataset.events[e], {}, {}});
        if (!found_by[e]) continue;
        const eval::FlaggedRun& alarm = alarms[*found_by[e]];
        outcome.alarm_s = track.times[alarm.begin];
        // The strongest window of the alarm says most.
        const auto first = run.windows.begin() + track.first;
        const auto best =
            std::ranges::max_element(first + alarm.begin, first + alarm.end, {}, &score::ScoredWindow::level);
        outcome.explanation = score::explain(detector, dataset, run, best - run.windows.begin());
    }
    return out;
}

double auroc_of(const Track& track, const std::vector<float>& scores) {
    return eval::auroc(std::vector<double>(scores.begin(), scores.end()), track.faulty);
}

// Signals around the first alarm: the effect that broke with what was expected of it, and its likeliest causes.
report::Html waveforms(const score::Detector& detector, const data::Dataset& dataset, int32_t recording,
                       const Outcome& first, const std::vector<report::Band>& bands) {
    const data::Recording& r = dataset.recordings[recording];
    const double begin_s = first.event->start_s - 1800,
                 end_s = std::min(first.event->end_s + 1200, first.event->start_s + 7200);
    const double t0 = data::time_of(r, 0, dataset.rate_hz);
    const auto begin = std::clamp<int64_t>(static_cast<int64_t>((begin_s - t0) * dataset.rate_hz), 0, r.length());
    const auto end = std::clamp<int64_t>(static_cast<int64_t>((end_s - t0) * dataset.rate_hz), begin, r.length());
    std::vector<double> times;
    for (int64_t t = begin; t < end; ++t) times.push_back(data::time_of(r, t, dataset.rate_hz));
    const auto& inputs = detector.pipeline.preprocessing().inputs;
    std::vector<std::vector<float>> kept;
    kept.reserve(8);
    report::Waveforms out{
        .description = "Causes and effects around the first alarm", .begin = begin_s, .end = end_s, .signals = {}};
    const auto add = [&](const std::string& name, bool effect, bool expected) {
        const auto& side = effect ? inputs.effects() : inputs.causes();
        const auto at = std::ranges::find(side, name, &data::Channel::name) - side.begin();
        const int64_t channel =
            (effect ? detector.pipeline.preprocessing().effects : detector.pipeline.preprocessing().causes)[at];
        const auto values = r.channels[channel].values().subspan(begin, end - begin);
        kept.emplace_back(values.begin(), values.end());
        const std::span<const float> observed = kept.back();
        std::span<const float> wanted;
        if (expected) {
            kept.push_back(score::expected_effect(detector.pipeline, dataset, {recording, begin, end}, at));
            wanted = kept.back();
        }
        out.signals.push_back({name, "", effect ? report::SignalRole::kEffect : report::SignalRole::kCause, times,
                               observed, wanted, 1 / dataset.rate_hz});
    };
    const score::Explanation& why = *first.explanation;
    add(why.causes.front().name, false, false);
    add(why.effects[0].name, true, true);
    if (why.causes.size() > 1) add(why.causes[1].name, false, false);
    if (why.effects.size() > 1) add(why.effects[1].name, true, true);
    out.bands = bands;
    out.onset = *first.alarm_s;
    out.onset_name = "alarm at " + report::time_of_day(*first.alarm_s);
    return report::draw(out);
}

double delay_s(const Outcome& found) { return std::max(0.0, *found.alarm_s - found.event->start_s); }

report::HtmlTable table_of_attacks(const std::vector<Outcome>& all) {
    report::HtmlTable out{
        {{"attack"}, {"alarm after", true}, {"named channel"}, {"named cause"}, {"attacked channels"}, {"start, UTC"}},
        {}};
    for (const Outcome& o : all)
        out.rows.push_back({o.event->name,
                            {o.alarm_s ? duration_text(delay_s(o)) : "missed",
                             o.alarm_s ? report::Tone::kHealthy : report::Tone::kAlarm},
                            o.explanation ? o.explanation->effects.front().name : "",
                            o.explanation && o.explanation->cause_named ? o.explanation->causes.front().name : "",
                            o.event->target,
                            report::date_and_time(o.event->start_s)});
    return out;
}

report::Page page(const score::Detector& detector, const data::Dataset& dataset, const score::ScoreRun& run,
                  const Track& track, const std::vector<Outcome>& all, int32_t recording, const DemoOptions& options) {
    std::vector<report::Band> bands;
    std::vector<report::HeatMark> marks;
    std::vector<double> delays;
    const auto& channels = run.scores.channels;
    for (const Outcome& o : all) {
        bands.push_back({o.event->start_s, o.event->end_s, o.event->name});
        const std::string named = o.explanation ? o.explanation->effects.front().name : "";
        if (o.explanation)
            marks.push_back({std::ranges::find(channels, named) - channels.begin(), o.event->start_s, o.event->end_s});
        if (o.alarm_s) delays.push_back(delay_s(o));
    }
    const auto found = std::ranges::find_if(all, [](const Outcome& o) { return o.explanation.has_value(); });
    report::Timeline scores{
        .description = "Scores over time with the alarm line and the attacks",
        .times = track.times,
        .period = track.period,
        .series = {{"Combined score", "decides about the alarm, of a window or lasting", track.combined},
                   {"Linear mechanism", "does each effect still follow its causes?", track.mechanism},
                   {"Marginal score", "does each sensor alone look normal?", track.marginal}},
        .bands = bands};
    for (size_t i = 0; i < run.alarms.size(); ++i)
        if (run.alarm_recording[i] == recording) scores.alarms.push_back({run.alarms[i].begin_s, run.alarms[i].end_s});
    const std::vector<int64_t> uninterrupted = track.uninterrupted();
    const eval::AlarmReport alarms =
        eval::count_alarms({track.times, uninterrupted, uninterrupted, track.faulty, track.alarm, track.period});
    const report::HeatMap residuals{.description = "How far each sensor is from what its causes make one expect",
                                    .times = track.times,
                                    .period = track.period,
                                    .values = track.residuals,
                                    .rows = channels,
                                    .levels = {3, 4, 5, 6, 8, 12},
                                    .bands = bands,
                                    .marks = marks};
    report::Page out;
    out.title = "Water plant under attack";
    out.subtitle = fmt::format("Simulated plant, {} sensors and {} actuators that move", channels.size(),
                               detector.pipeline.preprocessing().causes.size());
    out.lead = found == all.end() ? "No attack raised an alarm." : found->explanation->sentence;
    out.lead_tone = found == all.end() ? report::Tone::kNeutral : report::Tone::kAlarm;
    out.key_numbers = {
        {fmt::format("{} of {}", delays.size(), all.size()), "attacks found", report::Tone::kHealthy},
        {delays.empty() ? "–" : duration_text(eval::median(delays)), "from attack to alarm, median"},
        {fmt::format("{}", alarms.false_alarms),
         fmt::format("false alarms; {} per day were promised", short_number(kFalseAlarmsPerDay))},
        {short_number(100 * alarms.healthy_time_in_alarm().value_or(0), 2) + " %", "of the healthy time in alarm"},
        {fmt::format("{:.2f}", auroc_of(track, track.marginal)), "AUROC of each sensor alone (0.5 is chance)"},
        {fmt::format("{:.2f}", auroc_of(track, track.combined)), "AUROC of the combined score"}};
    out.sections.push_back({"What happened, and when",
                            {"A score above 1 is an alarm. Amber: an attack was really going on. In each attack the "
                             "record of some sensors "
                             "is that of another healthy day: every sensor alone looks normal, only the answer to the "
                             "actuators is wrong."},
                            {{draw(scores), "Each score in units of its alarm line."}}});
    out.sections.push_back(
        {"Which sensor",
         {"How far each sensor is from what its causes make one expect. The named channel of each attack is framed."},
         {{draw(residuals), "Healthy deviations of each sensor's relation to its causes."}}});
    if (found != all.end())
        out.sections.push_back(
            {"What the first alarm saw",
             {"Dashed: what the linear mechanism expects of the sensor, given the actuators."},
             {{waveforms(detector, dataset, recording, *found, bands), "Causes and effects around the first alarm."}}});
    out.sections.push_back(
        {"All attacks",
         {},
         {{draw(table_of_attacks(all)), "Delays run from the start of the attack to the start of the alarm."}}});
    out.facts = {{"recipe", detector.recipe.name},
                 {"seed", std::to_string(detector.provenance.seed)},
                 {"version", std::string(version())},
                 {"data", detector.provenance.fingerprint},
                 {"command", fmt::format("cmr demo --out {} --seed {}", options.out.string(), options.seed)}};
    return out;
}

}  // namespace

std::string demo(const DemoOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    std::filesystem::create_directories(options.out);
    const auto recipe_file = options.out / "demo.toml", model = options.out / "demo.cmr";
    say("1/5 simulating a water plant: two healthy days, and one under attack\n");
    simulate::WaterOptions plant;
    plant.scale = 0.16;
    plant.normal_rows = 1'000'000;
    plant.format = "csv";
    plant.faults = "mechanism";
    plant.seed = options.seed;
    simulate::simulate_water(options.out / "data" / "plant", plant, [](double) {});
    io::write_file_atomically(recipe_file, kDemoRecipe);

    say("2/5 learning how its sensors answer its actuators, from healthy data only\n");
    FitRequest request;
    request.recipe = recipe_file.string();
    request.data_root = (options.out / "data").string();
    request.out = model.string();
    run_training_program({"fit", io::to_json(request).dump()});

    say("3/5 setting the alarm line to {} false alarms per day\n", kFalseAlarmsPerDay);
    score::Detector detector = score::load_detector(model);
    const score::AlarmRule rule{.on_delay_s = 0, .off_delay_s = 300, .release = 0.9};
    detector.alarm = {score::calibrate(detector.healthy.trace, rule, kFalseAlarmsPerDay), rule};
    score::save_detector(detector, model);

    say("4/5 scoring the day under attack\n");
    const data::Dataset dataset = data::load(detector.recipe, options.out / "data");
    const score::ScoreRun run = score::run(detector, dataset);
    io::write_file_atomically(options.out / "scores.csv", score::to_csv(run, dataset));
    const auto attacked = std::ranges::find_if(
        dataset.recordings, [&](const data::Recording& r) { return dataset.parts[r.part].role == "test"; });
    CMR_ASSERT(attacked != dataset.recordings.end(), "the plant was attacked");
    const auto recording = static_cast<int32_t>(attacked - dataset.recordings.begin());

    say("5/5 explaining its alarms\n");
    const Track track = track_of(detector, run, dataset, recording);
    const std::vector<Outcome> all = outcomes(detector, dataset, run, track);
    const auto file = options.out / "demo.html";
    io::write_file_atomically(file, report::to_html(page(detector, dataset, run, track, all, recording, options)));

    const auto detected = std::ranges::count_if(all, [](const Outcome& o) { return o.alarm_s.has_value(); });
    const double marginal = auroc_of(track, track.marginal), combined = auroc_of(track, track.combined);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto first = std::ranges::find_if(all, [](const Outcome& o) { return o.explanation.has_value(); });
    const std::string sentence = first == all.end() ? "No attack raised an alarm." : first->explanation->sentence;
    if (options.json)
        return io::Json{{"page", file.string()},      {"attacks", all.size()},      {"detected", detected},
                        {"marginal_auroc", marginal}, {"combined_auroc", combined}, {"sentence", sentence},
                        {"seconds", seconds}}
                   .dump(2) +
               "\n";
    return fmt::format(
        "\n{}\n\n{} of {} attacks raised an alarm. Each sensor alone tells them from healthy windows with an AUROC of "
        "{:.2f} (0.5 is chance), the combined score with {:.2f}.\n\nLook at {} (made in {}). Next: `cmr fit` on "
        "your "
        "own data; docs/data.md shows how.\n",
        sentence, detected, all.size(), marginal, combined, file.string(), duration_text(seconds));
}

}  // namespace cmr::cli
