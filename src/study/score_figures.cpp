// Figures from score files: what single windows got.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "eval/ranking.h"
#include "eval/summary.h"
#include "report/heatmap.h"
#include "report/histogram.h"
#include "report/lines.h"
#include "report/timeline.h"
#include "study/figures.h"
#include "study/kind_names.h"

namespace cmr::study::figures {
namespace {

constexpr size_t kMostCurvePoints = 200;
constexpr double kAlarmShare = 0.01;  // of healthy training windows
constexpr size_t kMostChannels = 60;

report::Line roc_line(const std::string& name, const std::vector<double>& scores, const std::vector<uint8_t>& faulty) {
    const auto curve = eval::roc_curve(scores, faulty);
    report::Line out{.name = fmt::format("{} {:.3f}", name, eval::auroc(scores, faulty)), .x = {}, .y = {}};
    const size_t step = std::max<size_t>(1, curve.size() / kMostCurvePoints);
    for (size_t i = 0; i < curve.size(); i += step) {
        out.x.push_back(curve[i].false_positive_rate);
        out.y.push_back(curve[i].true_positive_rate);
    }
    out.x.push_back(1);
    out.y.push_back(1);
    return out;
}

// The test windows one after the other: real times where they come from one recording, else their numbers.
struct Axis {
    std::vector<double> times;
    report::ScaleKind kind = report::ScaleKind::kLinear;
};

Axis axis_of(const score::ScoreTable& scores) {
    Axis out;
    const bool one =
        std::ranges::all_of(scores.recording, [&](const auto& r) { return r == scores.recording.front(); });
    const bool rising = std::ranges::adjacent_find(scores.end_s, std::greater_equal()) == scores.end_s.end();
    if (one && rising) {
        out.times = scores.end_s;
        out.kind = scores.end_s.front() > 1e8 ? report::ScaleKind::kTime : report::ScaleKind::kElapsed;
    } else {
        out.times.resize(scores.end_s.size());
        std::iota(out.times.begin(), out.times.end(), 1);
    }
    return out;
}

std::vector<report::Band> bands_of(const score::ScoreTable& scores, const Axis& axis) {
    std::vector<report::Band> out;
    // A run of faulty windows ends where the stratum or the recording changes, too.
    for (size_t i = 0; i < scores.faulty.size();) {
        if (scores.faulty[i] == 0) {
            ++i;
            continue;
        }
        size_t end = i;
        while (end < scores.faulty.size() && scores.faulty[end] != 0 && scores.stratum[end] == scores.stratum[i] &&
               scores.recording[end] == scores.recording[i])
            ++end;
        out.push_back({axis.times[i], axis.times[end - 1], scores.stratum[i].empty() ? "fault" : scores.stratum[i]});
        i = end;
    }
    return out;
}

std::string where(const Axis& axis) {
    return axis.kind == report::ScaleKind::kLinear ? "Test windows in the order of the files; the axis counts them."
                                                   : "Test windows over time.";
}

}  // namespace

std::optional<Figure> roc(const Outcome& outcome, const Runs& runs, const Experiment& e) {
    report::LineChart chart{.description = "ROC curves on " + e.name,
                            .x_name = "false alarms among healthy windows",
                            .y_name = "faulty windows found",
                            .low = 0.0,
                            .high = 1.0,
                            .x_low = 0.0,
                            .x_high = 1.0,
                            .square = true,
                            .diagonal = true};
    std::map<std::string, score::ScoreTable> tables;  // by method
    for (const Line& line : outcome.main_lines(e)) {
        const Result& first = *outcome.of(e, line.method).front();
        const fs::path file = runs.scores(outcome.cell_of(first));
        if (!fs::exists(file) || chart.lines.size() == report::kMostLines) continue;
        if (!tables.contains(line.method)) tables.emplace(line.method, score::read_scores(file));
        const score::ScoreTable& table = tables.at(line.method);
        if (const auto* scores = table.score(line.score))
            chart.lines.push_back(roc_line(line.name(), *scores, table.faulty));
    }
    if (chart.lines.empty()) return std::nullopt;
    return Figure{draw(chart), "First seed and fold, all faults; the number is the AUROC."};
}

std::vector<Figure> distributions(const Experiment& e, const score::ScoreTable& scores, const std::string& main_score) {
    std::vector<Figure> out;
    for (const std::string& name : {main_score, std::string("combined")}) {
        const auto* values = scores.score(name);
        if (!values || (!out.empty() && name == main_score)) continue;
        report::Histogram chart{.description = name + " score on " + e.name, .x_name = name + " score", .classes = {}};
        // A long tail of blunt faults would leave the rest one bar.
        const double low = std::ranges::min(*values), high = eval::quantile(*values, 0.98);
        if (low > 0 && high / low > 30) chart.x = report::ScaleKind::kLog;
        if (high > low) {
            chart.low = low;
            chart.high = high;
        }
        const KindNames names(scores.stratum);
        for (size_t i = 0; i < values->size(); ++i) {
            const bool healthy = scores.faulty[i] == 0;
            const std::string kind = healthy ? "healthy" : names(scores.stratum[i]);
            auto known = std::ranges::find(chart.classes, kind, &report::Distribution::name);
            if (known == chart.classes.end()) known = chart.classes.insert(chart.classes.end(), {kind, {}, healthy});
            known->values.push_back((*values)[i]);
        }
        out.push_back({draw(chart), fmt::format("The {} score of cmr on the test windows, first seed and fold. The "
                                                "highest two hundredths are counted at the right end.",
                                                name)});
        if (main_score == "combined") break;
    }
    return out;
}

std::optional<Figure> timeline(const Experiment& e, const score::ScoreTable& scores, const std::string& main_score) {
    const Axis axis = axis_of(scores);
    const auto in_units = [&](const std::string& name) {
        std::vector<float> out;
        const auto* values = scores.score(name);
        if (!values) return out;
        std::vector<double> healthy;
        for (size_t i = 0; i < values->size(); ++i)
            if (scores.faulty[i] == 0) healthy.push_back((*values)[i]);
        const double line = eval::quantile(std::move(healthy), 0.99);
        for (const double value : *values) out.push_back(static_cast<float>(line > 0 ? value / line : value));
        return out;
    };
    // The p-value is that of healthy training windows, and falls as the combined score rises.
    double line = std::numeric_limits<double>::infinity();
    std::vector<float> combined;
    if (const auto* values = scores.score("combined")) {
        for (size_t i = 0; i < values->size(); ++i)
            if (scores.p_value[i] <= kAlarmShare) line = std::min(line, (*values)[i]);
        if (!std::isfinite(line)) line = std::ranges::max(*values);
        for (const double value : *values) combined.push_back(static_cast<float>(line > 0 ? value / line : value));
    }
    const std::vector<float> main = in_units(main_score), marginal = in_units("marginal");
    report::Timeline chart{
        .description = "Scores over the test windows of " + e.name,
        .times = axis.times,
        .x = axis.kind,
        .series = {{"cmr combined", "1 is what 1 % of the healthy training windows exceed", combined}},
        .bands = bands_of(scores, axis)};
    if (!main.empty())
        chart.series.push_back({"cmr " + main_score, "1 is the 99th percentile of healthy test windows", main});
    if (!marginal.empty())
        chart.series.push_back({"marginal", "each sensor alone; 1 is the 99th percentile, too", marginal});
    return Figure{draw(chart), where(axis) + " Amber: faulty."};
}

std::optional<Figure> residuals(const Experiment& e, const score::ScoreTable& scores) {
    if (scores.channels.empty() || scores.channels.size() > kMostChannels) return std::nullopt;
    const Axis axis = axis_of(scores);
    const report::HeatMap chart{.description = "Deviation of each channel on " + e.name,
                                .times = axis.times,
                                .x = axis.kind,
                                .values = scores.residuals,
                                .rows = scores.channels,
                                .levels = {3, 4, 5, 6, 8, 12},
                                .bands = bands_of(scores, axis)};
    return Figure{draw(chart), where(axis) + " How far each effect is from what its causes make one expect."};
}

}  // namespace cmr::study::figures
