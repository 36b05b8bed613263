#include "report/sample_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "report/heatmap.h"
#include "report/sample_study.h"
#include "report/timeline.h"
#include "report/waveforms.h"

namespace cmr::test {

report::Page make_sample_page(const SamplePlant& plant) {
    const double start = plant.times.front();
    const SampleAttack& first = plant.attacks.front();
    const double first_alarm = start + static_cast<double>(first.begin) + first.delay;
    std::vector<report::Band> bands{
        {start, start + static_cast<double>(plant.fit_end), "healthy", report::BandKind::kHealthy}};
    std::vector<report::HeatMark> marks;
    std::vector<double> delays;
    report::HtmlTable attacks{
        {{"attack"}, {"alarm after", true}, {"named channel"}, {"its cause"}, {"start, UTC"}, {"length", true}}, {}};
    for (const SampleAttack& attack : plant.attacks) {
        const double begin = start + static_cast<double>(attack.begin), end = start + static_cast<double>(attack.end);
        delays.push_back(attack.delay);
        bands.push_back({begin, end, attack.name});
        marks.push_back({std::ranges::find(plant.channels, attack.channel) - plant.channels.begin(), begin, end});
        attacks.rows.push_back({attack.name,
                                {attack.delay < 0 ? "missed" : duration_text(attack.delay),
                                 attack.delay < 0 ? report::Tone::kAlarm : report::Tone::kHealthy},
                                attack.channel,
                                attack.cause,
                                report::date_and_time(begin),
                                duration_text(end - begin)});
    }
    report::Timeline scores{
        .description = "Three scores over two days; the mechanism score crosses the alarm line in each attack",
        .times = plant.times,
        .period = 1,
        .series = {{"Combined score", "decides about the alarm", plant.combined},
                   {"Mechanism score", "does each effect still follow its causes?", plant.mechanism},
                   {"Marginal score", "does each sensor alone look normal?", plant.marginal}},
        .bands = bands};
    for (const auto& [begin, end] : plant.alarms) scores.alarms.push_back({begin, end});
    const report::HeatMap residuals{.description = "Residuals of 25 channels over two days",
                                    .times = plant.times,
                                    .period = 1,
                                    .values = plant.residuals,
                                    .rows = plant.channels,
                                    .levels = {4, 5, 6, 8, 10, 12},
                                    .bands = bands,
                                    .marks = marks};
    using enum report::SignalRole;
    const report::Waveforms around{
        .description = "Causes and effects around the first alarm",
        .begin = first_alarm - 3600,
        .end = first_alarm + 5400,
        .signals = {{"P401", "", kCause, plant.times, plant.pump, {}, 1},
                    {"FIT401", "m³/h", kEffect, plant.times, plant.flow, plant.expected_flow, 1},
                    {"MV301", "", kCause, plant.times, plant.valve, {}, 1},
                    {"LIT401", "mm", kEffect, plant.times, plant.level, {}, 1}},
        .bands = bands,
        .onset = first_alarm,
        .onset_name = "alarm at " + report::time_of_day(first_alarm)};

    std::ranges::sort(delays);
    report::Page page;
    page.title = "Water plant under attack";
    page.subtitle = "Simulated plant, 25 sensors and 11 actuators, 9 to 11 March 2020";
    page.lead = fmt::format("{} stopped following {} at {}; each sensor alone still looks normal.", first.channel,
                            first.cause, report::time_of_day(first_alarm));
    page.lead_tone = report::Tone::kAlarm;
    page.key_numbers = {{"3 of 3", "attacks found", report::Tone::kHealthy},
                        {duration_text(delays[delays.size() / 2]), "from attack to alarm, median"},
                        {"0.5", "false alarms per day"},
                        {"0 of 3", "attacks that a single sensor shows"}};
    page.sections = {
        {"What happened, and when",
         {"A score above 1 is an alarm. Amber: an attack was really going on. Green: healthy time that was learned "
          "from."},
         {{draw(scores),
           "All three scores on the same logarithmic scale. Per column the highest and the lowest value are drawn."}}},
        {"Which sensor",
         {"How far each sensor is from what its causes make one expect. The named channel of each attack is framed."},
         {{draw(residuals), "The greatest residual in each cell, in standard deviations of healthy data."}}},
        {"What the first alarm saw",
         {"P401 drives FIT401. From the attack on, the recorded flow is that of twenty minutes before."},
         {{draw(around), "Filled between the lines: what was measured is not what the pump makes one expect."}}},
        {"All attacks", {}, {{draw(attacks), "Delays run from the start of the attack to the start of the alarm."}}},
        make_sample_study()};
    page.facts = {{"recipe", "water-demo"},
                  {"seed", "1"},
                  {"version", "0.1.0"},
                  {"data", "a4f1 09bc 77e2 5d10"},
                  {"command", "cmr demo --out demo"}};
    return page;
}

}  // namespace cmr::test
