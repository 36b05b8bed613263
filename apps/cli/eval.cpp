#include "eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "eval/delay.h"
#include "eval/metrics.h"
#include "eval/runs.h"
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

struct AlarmCount {
    int64_t events = 0, detected = 0, false_alarms = 0;
    double healthy_days = 0;
    Values delays;
};

void judge(const score::ScoreTable& table, std::vector<Row>& rows) {
    std::vector<std::string> strata;
    std::vector<int64_t> stratum;
    for (size_t i = 0; i < table.faulty.size(); ++i) {
        auto found = std::ranges::find(strata, table.stratum[i]);
        if (found == strata.end()) found = strata.insert(strata.end(), table.stratum[i]);
        stratum.push_back(found - strata.begin());
    }
    for (size_t k = 0; k < table.names.size(); ++k) {
        const Values& scores = table.scores[k];
        Row& row = rows[k];
        const eval::Metrics judged = eval::compute_metrics(scores, table.faulty, stratum);
        row.auroc.push_back(judged.auroc);
        row.precision.push_back(judged.average_precision);
        row.f1.push_back(judged.best_f1);
        row.adjusted_f1.push_back(judged.adjusted_f1);
        row.vus.push_back(judged.vus_pr);
        for (const auto& s : judged.strata) row.strata[strata[s.stratum]].push_back(s.auroc);
    }
}

// Alarms against the runs of faulty windows, recording by recording.
void count_alarms(const score::ScoreTable& table, AlarmCount& count) {
    for (size_t first = 0; first < table.faulty.size();) {
        size_t last = first;
        while (last < table.faulty.size() && table.recording[last] == table.recording[first]) ++last;
        const size_t n = last - first;
        const std::span<const double> times(table.end_s.data() + first, n);
        double period = n > 1 ? times[1] - times[0] : 1;
        for (size_t i = 1; i < n; ++i) period = std::min(period, times[i] - times[i - 1]);
        const auto intervals = [&](const std::vector<uint8_t>& flags) {
            std::vector<eval::Interval> out;
            for (const eval::FlaggedRun& s : eval::flagged_runs(std::span(flags).subspan(first, n)))
                out.push_back({times[s.begin], times[s.end - 1] + period / 2});
            return out;
        };
        const auto events = intervals(table.faulty);
        const bool some_healthy =
            std::any_of(table.faulty.begin() + static_cast<int64_t>(first),
                        table.faulty.begin() + static_cast<int64_t>(last), [](uint8_t f) { return f == 0; });
        const auto alarms = intervals(table.alarm);
        count.events += std::ssize(events);
        if (some_healthy && period > 0) {
            const eval::AlarmReport report = eval::judge_alarms({times, period}, alarms, events);
            count.detected += report.detected;
            count.false_alarms += report.false_alarms;
            count.healthy_days += report.healthy_days;
            for (const auto& delay : report.delays)
                if (delay) count.delays.push_back(*delay);
        } else if (!alarms.empty()) {  // all of it is one fault
            count.detected += 1;
            count.delays.push_back(alarms.front().begin - times[0]);
        }
        first = last;
    }
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
    AlarmCount alarms;
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
        judge(table, rows);
        count_alarms(table, alarms);
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
        out["alarms"] = {{"events", alarms.events},
                         {"detected", alarms.detected},
                         {"false_alarms", alarms.false_alarms},
                         {"healthy_days", alarms.healthy_days},
                         {"delays_s", alarms.delays}};
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
    text += fmt::format("\nAlarms: {} of {} faults found", alarms.detected, alarms.events);
    if (!alarms.delays.empty()) {
        std::ranges::sort(alarms.delays);
        text += fmt::format(", median delay {:.3g} s", alarms.delays[alarms.delays.size() / 2]);
    }
    return text + fmt::format("; {} false alarms in {:.3g} healthy days\n", alarms.false_alarms, alarms.healthy_days);
}

}  // namespace cmr::cli
