#include "eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "eval/alarms.h"
#include "eval/metrics.h"
#include "eval/summary.h"
#include "io/json_fields.h"
#include "score/file/score_file.h"
#include "text_table.h"

namespace cmr::cli {
namespace {

using Values = std::vector<double>;

// One score over all files.
struct Row {
    Values auroc, precision, f1, adjusted_f1, vus;
    std::map<std::string, Values> strata;
};

// Each name's number, in the order of their first places.
std::vector<int64_t> numbered(const std::vector<std::string>& names, std::vector<std::string>& distinct) {
    std::vector<int64_t> out;
    for (const std::string& name : names) {
        auto found = std::ranges::find(distinct, name);
        if (found == distinct.end()) found = distinct.insert(distinct.end(), name);
        out.push_back(found - distinct.begin());
    }
    return out;
}

void measure(const score::ScoreTable& table, const std::vector<int64_t>& recordings, std::vector<Row>& rows) {
    std::vector<std::string> strata;
    const std::vector<int64_t> stratum = numbered(table.stratum, strata);
    for (size_t k = 0; k < table.names.size(); ++k) {
        const eval::Metrics metrics = eval::compute_metrics(table.scores[k], table.faulty, stratum, recordings);
        Row& row = rows[k];
        row.auroc.push_back(metrics.auroc);
        row.precision.push_back(metrics.average_precision);
        row.f1.push_back(metrics.best_f1);
        row.adjusted_f1.push_back(metrics.adjusted_f1);
        row.vus.push_back(metrics.vus_pr);
        for (const auto& s : metrics.strata) row.strata[strata[s.stratum]].push_back(s.auroc);
    }
}

// A window tells of all that happened since the one before.
std::string delay_text(double delay_s, double period_s) {
    return delay_s > 0 ? duration_text(delay_s) : "less than " + duration_text(period_s);
}

std::string alarms_text(const eval::AlarmReport& alarms, double period_s) {
    std::string out = fmt::format("Alarms: {} of {} faults found", alarms.found(), alarms.faults);
    if (const auto delay = alarms.median_delay_s()) out += ", median delay " + delay_text(*delay, period_s);
    out += fmt::format("; {} false alarm{} in {} of healthy time", alarms.false_alarms,
                       alarms.false_alarms == 1 ? "" : "s", duration_text(alarms.healthy_s));
    if (alarms.healthy_s >= 86'400) out += fmt::format(" ({} a day)", short_number(*alarms.false_alarms_per_day(), 2));
    if (const auto share = alarms.healthy_time_in_alarm())
        out += fmt::format(", {} % of it in alarm", short_number(100 * *share));
    if (alarms.outside_windows > 0)
        out += fmt::format("\nOutside the learned range: {} healthy windows, {} alarm{}; not counted above",
                           with_commas(alarms.outside_windows), alarms.outside_alarms,
                           alarms.outside_alarms == 1 ? "" : "s");
    return out;
}

// What an operator asks, of one recording.
struct RecordingAlarms {
    std::string name;
    eval::AlarmReport alarms;
};

// Recordings follow each other.
std::vector<RecordingAlarms> alarms_by_recording(const score::ScoreTable& table,
                                                 const std::vector<int64_t>& recordings) {
    std::vector<RecordingAlarms> out;
    for (size_t first = 0, last = 0; first < recordings.size(); first = last) {
        while (last < recordings.size() && recordings[last] == recordings[first]) ++last;
        const auto own = [&](const auto& values) { return std::span(values).subspan(first, last - first); };
        out.push_back({table.recording[first],
                       eval::count_alarms({own(table.end_s), own(recordings), own(table.segment), own(table.faulty),
                                           own(table.alarm), table.period_s,
                                           table.outside.empty() ? std::span<const uint8_t>() : own(table.outside)})});
    }
    return out;
}

constexpr size_t kMostRecordings = 30;  // that a table shows

std::string recordings_text(const std::vector<RecordingAlarms>& all, double period_s) {
    TextTable table({"<recording", "faults found", "median delay", "false alarms", "healthy time", "of it in alarm"});
    for (const RecordingAlarms& each : std::span(all).first(std::min(all.size(), kMostRecordings))) {
        const eval::AlarmReport& a = each.alarms;
        const auto delay = a.median_delay_s(), share = a.healthy_time_in_alarm();
        table.add({each.name, a.faults > 0 ? fmt::format("{} of {}", a.found(), a.faults) : "–",
                   delay ? delay_text(*delay, period_s) : "–", std::to_string(a.false_alarms),
                   duration_text(a.healthy_s), share ? short_number(100 * *share) + " %" : "–"});
    }
    std::string text = "\nAlarms of each recording\n" + table.text();
    if (all.size() > kMostRecordings)
        text += fmt::format("And {} more (--json has all)\n", with_commas(all.size() - kMostRecordings));
    return text;
}

io::Json as_json(const eval::AlarmReport& alarms) {
    io::Json out = {{"events", alarms.faults},
                    {"detected", alarms.found()},
                    {"false_alarms", alarms.false_alarms},
                    {"healthy_days", alarms.healthy_s / 86'400},
                    {"delays_s", alarms.delays_s},
                    {"outside_range_windows", alarms.outside_windows},
                    {"outside_range_alarms", alarms.outside_alarms}};
    if (const auto rate = alarms.false_alarms_per_day()) out["false_alarms_per_day"] = *rate;
    if (const auto share = alarms.healthy_time_in_alarm()) out["healthy_time_in_alarm"] = *share;
    return out;
}

std::string shown(const Values& values) {
    const eval::Summary s = eval::summarise(values);
    return s.deviation ? fmt::format("{:.4f} ± {:.4f}", s.mean, *s.deviation) : fmt::format("{:.4f}", s.mean);
}

io::Json as_json(const Values& values) {
    const eval::Summary s = eval::summarise(values);
    io::Json out = {{"mean", s.mean}, {"values", values}};
    if (s.deviation) out["deviation"] = *s.deviation;
    return out;
}

}  // namespace

std::string eval(const EvalOptions& options) {
    std::vector<std::string> names;
    std::vector<Row> rows;
    eval::AlarmReport alarms;
    std::vector<RecordingAlarms> by_recording;
    double period_s = 0;
    int64_t healthy = 0, faulty = 0;
    for (const auto& file : options.scores) {
        const score::ScoreTable table = score::read_scores(file);
        if (names.empty()) {
            names = table.names;
            rows.resize(names.size());
        }
        if (table.names != names)
            throw InputError("{}: other scores than {}; evaluate files of one kind together", file.string(),
                             options.scores.front().string());
        faulty += std::ranges::count(table.faulty, 1);
        healthy += std::ranges::count(table.faulty, 0);
        if (std::ranges::count(table.faulty, 1) == 0 || std::ranges::count(table.faulty, 0) == 0)
            throw InputError("{}: its test windows are all {}; metrics need both kinds", file.string(),
                             std::ranges::count(table.faulty, 1) == 0 ? "healthy" : "faulty");
        std::vector<std::string> files;
        const std::vector<int64_t> recordings = numbered(table.recording, files);
        measure(table, recordings, rows);
        for (RecordingAlarms& each : alarms_by_recording(table, recordings)) {
            alarms += each.alarms;
            by_recording.push_back(std::move(each));
        }
        period_s = std::max(period_s, table.period_s);
    }
    std::vector<std::string> strata;
    for (const auto& [name, unused] : rows.front().strata) strata.push_back(name);

    if (options.json) {
        io::Json out = {{"files", options.scores.size()}, {"healthy", healthy}, {"faulty", faulty}, {"scores", {}}};
        for (size_t k = 0; k < names.size(); ++k) {
            io::Json& entry = out["scores"][names[k]];
            entry = {{"auroc", as_json(rows[k].auroc)},
                     {"average_precision", as_json(rows[k].precision)},
                     {"best_f1", as_json(rows[k].f1)},
                     {"best_f1_point_adjusted_inflated", as_json(rows[k].adjusted_f1)},
                     {"vus_pr", as_json(rows[k].vus)}};
            for (const auto& [name, values] : rows[k].strata) entry["strata"][name] = as_json(values);
        }
        out["alarms"] = as_json(alarms);
        for (const RecordingAlarms& each : by_recording) {
            io::Json own = as_json(each.alarms);
            own["recording"] = each.name;
            out["alarms"]["recordings"].push_back(std::move(own));
        }
        return out.dump(2) + "\n";
    }
    std::string text = fmt::format(
        "{} healthy and {} faulty test windows{}\n", with_commas(healthy), with_commas(faulty),
        options.scores.size() > 1 ? fmt::format(" in {} files; mean ± deviation over files", options.scores.size())
                                  : "");
    TextTable table({"<score", "AUROC", "average precision", "VUS-PR", "best F1", "point-adjusted F1 (inflated)"});
    for (size_t k = 0; k < names.size(); ++k)
        table.add({names[k], shown(rows[k].auroc), shown(rows[k].precision), shown(rows[k].vus), shown(rows[k].f1),
                   shown(rows[k].adjusted_f1)});
    text += table.text();
    if (strata.size() > 1) {
        text += "\nAUROC of each stratum against all healthy windows\n";
        std::vector<std::string> headings = {"<stratum"};
        headings.insert(headings.end(), names.begin(), names.end());
        TextTable by_stratum(headings);
        std::vector<double> sums(names.size(), 0);
        for (const std::string& stratum : strata) {
            std::vector<std::string> cells = {stratum};
            for (size_t k = 0; k < names.size(); ++k) {
                const double mean = eval::summarise(rows[k].strata.at(stratum)).mean;
                sums[k] += mean / static_cast<double>(strata.size());
                cells.push_back(fmt::format("{:.3f}", mean));
            }
            by_stratum.add(std::move(cells));
        }
        std::vector<std::string> cells = {"mean"};
        for (const double sum : sums) cells.push_back(fmt::format("{:.4f}", sum));
        by_stratum.add(std::move(cells));
        text += by_stratum.text();
    }
    if (by_recording.size() > 1) text += recordings_text(by_recording, period_s);
    return text + "\n" + alarms_text(alarms, period_s) + "\n";
}

}  // namespace cmr::cli
