#include "study/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "report/bars.h"
#include "report/grid.h"
#include "report/lines.h"
#include "report/scatter.h"
#include "study/kind_names.h"
#include "study/voices.h"

namespace cmr::study::figures {
namespace {

bool is_cmr(const Line& line) { return line.method == "cmr" && !line.control; }

report::Bar bar_of(const Line& line, const Spread& spread) {
    return {.name = line.name(), .value = spread.mean, .deviation = spread.deviation, .strong = is_cmr(line)};
}

// What was published of a row of the leaderboard.
std::optional<double> published(const Outcome& outcome, const Experiment& e, const std::string& row) {
    for (const Published& p : outcome.plan().published) {
        const auto column = std::ranges::find(p.columns, e.name) - p.columns.begin();
        if (p.table != "leaderboard" || column == std::ssize(p.columns)) continue;
        for (const auto& cells : p.rows)
            if (double value = 0; cells.front() == row)
                if (const std::string& text = cells[column + 1];
                    std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
                    return value;
    }
    return std::nullopt;
}

// Room below the least value, so that differences are seen; never above chance.
double low_end(const report::BarChart& chart) {
    double least = 1;
    for (const report::BarGroup& group : chart.groups)
        for (const report::Bar& bar : group.bars)
            if (std::isfinite(bar.value)) least = std::min(least, bar.value - bar.deviation.value_or(0));
    return std::clamp(std::floor((least - 0.02) * 10) / 10, 0.0, 0.5);
}

std::optional<Figure> figure(report::BarChart chart, std::string caption) {
    std::erase_if(chart.groups, [](const report::BarGroup& group) { return group.bars.empty(); });
    if (chart.groups.empty()) return std::nullopt;
    return Figure{draw(chart), std::move(caption)};
}

report::BarChart auroc_bars(std::string description) {
    return {.description = std::move(description),
            .axis = "AUROC",
            .low = 0.0,
            .high = 1.0,
            .line = 0.5,
            .line_name = "chance",
            .decimals = 3};
}

}  // namespace

std::optional<Figure> leaderboard(const Outcome& outcome, const Experiment& e) {
    report::BarChart chart = auroc_bars("AUROC of every method and score on " + e.name);
    chart.groups = {{"", {}}, {"Controls, which learn no network", {}}};
    for (const Line& line : outcome.lines(e))
        if (const auto spread = outcome.auroc(e, line)) {
            report::Bar bar = bar_of(line, *spread);
            bar.reference = published(outcome, e, line.name());
            chart.groups[line.control ? 1 : 0].bars.push_back(std::move(bar));
        }
    for (report::BarGroup& group : chart.groups)
        std::ranges::stable_sort(group.bars, std::greater(), &report::Bar::value);
    chart.low = low_end(chart);
    const std::string over = outcome.spread_over(e), combined = combined_words(outcome, e);
    return figure(std::move(chart),
                  "Every way of scoring, best first. Strong: ours." +
                      (over.empty() ? "" : fmt::format(" The thin line is ± one deviation over {}.", over)) +
                      (combined.empty() ? "" : fmt::format(" Here {}.", combined)));
}

std::optional<Figure> folds(const Outcome& outcome, const Experiment& e) {
    report::BarChart chart = auroc_bars("AUROC of each fold of " + e.name);
    std::vector<Line> lines = outcome.main_lines(e);
    // The best three that are not cmr, by their mean.
    std::ranges::stable_sort(lines, [&](const Line& a, const Line& b) {
        const auto value = [&](const Line& line) {
            const auto spread = outcome.auroc(e, line);
            return is_cmr(line) ? 2.0 : spread ? spread->mean : -1;
        };
        return value(a) > value(b);
    });
    if (lines.size() > 5) lines.resize(5);
    std::map<int64_t, std::string> names;
    for (const Line& line : lines)
        for (const Result* r : outcome.of(e, line.method)) names[r->fold] = r->fold_name;
    if (names.size() < 2) return std::nullopt;
    for (const auto& [fold, name] : names) {
        report::BarGroup& group =
            chart.groups.emplace_back(report::BarGroup{name.empty() ? fmt::format("fold {}", fold) : name, {}});
        for (const Line& line : lines) {
            if (const auto spread =
                    outcome.spread(e, outcome.of_fold(e, line.method, fold), auroc_of(line.score, e.stratum)))
                group.bars.push_back(bar_of(line, *spread));
        }
    }
    return figure(std::move(chart), "Fold by fold.");
}

std::optional<Figure> coverage(const Outcome& outcome, const Experiment& e) {
    report::BarChart chart{.description = "Coverage of the healthy bank in each fold of " + e.name,
                           .axis = "mean k-NN distance of faulty windows over that of healthy test windows",
                           .line = 1.0,
                           .line_name = "nothing to tell apart"};
    std::map<int64_t, std::vector<const Result*>> by_fold;
    for (const Result* r : outcome.of(e, "cmr")) by_fold[r->fold].push_back(r);
    if (by_fold.size() < 2) return std::nullopt;
    report::BarGroup& group = chart.groups.emplace_back();
    for (const auto& [fold, results] : by_fold)
        if (const auto spread = outcome.spread(e, results, coverage_of("knn"))) {
            const std::string& name = results.front()->fold_name;
            const auto auroc = outcome.spread(e, results, auroc_of("knn", e.stratum));
            group.bars.push_back({.name = fmt::format("{}{}", name.empty() ? fmt::format("fold {}", fold) : name,
                                                      auroc ? fmt::format(", AUROC {:.3f}", auroc->mean) : ""),
                                  .value = spread->mean,
                                  .deviation = spread->deviation,
                                  .strong = true});
        }
    return figure(std::move(chart),
                  "Why a fold fails: near 1, healthy windows that were held out are as far from the bank as faulty "
                  "ones, because the bank does not cover them.");
}

std::optional<Figure> stealth(const Outcome& outcome, const Experiment& e) {
    if (e.stealthy.empty()) return std::nullopt;
    const auto at = std::ranges::find(e.stealthy, 95.0) - e.stealthy.begin();
    const size_t index = at == std::ssize(e.stealthy) ? 0 : static_cast<size_t>(at);
    report::BarChart chart = auroc_bars("Stealthy and blunt faults of " + e.name);
    for (const auto& [title, side] : {std::pair{"Stealthy: every sensor alone looks normal", &StealthResult::stealthy},
                                      std::pair{"Blunt: some sensor leaves its range", &StealthResult::blunt}}) {
        report::BarGroup& group = chart.groups.emplace_back(report::BarGroup{title, {}});
        for (const Line& line : outcome.lines(e)) {
            if (line.score == "random" || line.score.starts_with("residual-")) continue;
            if (const auto spread =
                    outcome.spread(e, outcome.of(e, line.method), stealth_auroc(line.score, e.stealthy[index], side)))
                group.bars.push_back(bar_of(line, *spread));
        }
        std::ranges::stable_sort(group.bars, std::greater(), &report::Bar::value);
    }
    chart.low = low_end(chart);
    return figure(std::move(chart), fmt::format("Faults below and above the {:g}th percentile of the healthy marginal "
                                                "score, each against all healthy windows.",
                                                e.stealthy[index]));
}

std::optional<Figure> grid(const Outcome& outcome, const Experiment& e) {
    const auto results = outcome.of(e, "cmr");
    if (e.poolings.empty() || results.empty()) return std::nullopt;
    report::Grid chart{.description = "AUROC of k-NN by pooling and k on " + e.name,
                       .scale_name = "AUROC of cmr's k-NN, " + e.metrics.front(),
                       .row_axis = "pooling",
                       .column_axis = "k",
                       .rows = e.poolings,
                       .columns = {},
                       .values = Matrix(std::ssize(e.poolings), std::ssize(e.ks))};
    for (const int64_t k : e.ks) chart.columns.push_back(std::to_string(k));
    for (size_t p = 0; p < e.poolings.size(); ++p)
        for (size_t k = 0; k < e.ks.size(); ++k) {
            const auto spread =
                outcome.spread(e, results, grid_auroc(e.poolings[p], e.metrics.front(), e.ks[k], e.stratum));
            chart.values.row(static_cast<int64_t>(p))[k] =
                spread ? static_cast<float>(spread->mean) : std::numeric_limits<float>::quiet_NaN();
        }
    return Figure{draw(chart), "One fit serves all. The frame marks the best, chosen with the labels at hand."};
}

std::vector<Figure> axes(const Outcome& outcome, const Experiment& e) {
    std::vector<Figure> out;
    for (const Axis& axis : e.axis) {
        std::vector<double> x;
        for (const std::string& value : axis.values) {
            double number = 0;
            const auto end = value.data() + value.size();
            if (const auto [stop, error] = std::from_chars(value.data(), end, number);
                error == std::errc() && stop == end)
                x.push_back(number);
        }
        const bool numbers = x.size() == axis.values.size() && x.size() > 1;
        report::LineChart lines{.description = axis.key + " on " + e.name, .x_name = axis.key, .y_name = "AUROC"};
        report::BarChart bars = auroc_bars(axis.key + " on " + e.name);
        for (const std::string& method : axis.methods)
            for (const char* score : {"knn", "residual", "mechanism", "combined", "native"}) {
                report::Line line{.name = method + " " + score, .x = {}, .y = {}};
                for (size_t i = 0; i < axis.values.size(); ++i) {
                    const auto spread = outcome.auroc(e, {method, score}, {axis.key, axis.values[i]});
                    if (!spread) continue;
                    if (numbers) {
                        line.x.push_back(x[i]);
                        line.y.push_back(spread->mean);
                        line.deviation.push_back(spread->deviation.value_or(0));
                    } else {
                        auto group = std::ranges::find(bars.groups, axis.values[i], &report::BarGroup::name);
                        if (group == bars.groups.end())
                            group = bars.groups.insert(bars.groups.end(), {axis.values[i], {}});
                        group->bars.push_back({.name = line.name,
                                               .value = spread->mean,
                                               .deviation = spread->deviation,
                                               .strong = std::string_view(score) == "combined"});
                    }
                }
                if (!line.x.empty() && lines.lines.size() < report::kMostLines) lines.lines.push_back(std::move(line));
            }
        const std::string caption = fmt::format("{} swept while all else stays as in the recipe.", axis.key);
        if (!lines.lines.empty()) out.push_back({draw(lines), caption});
        if (!bars.groups.empty()) {
            for (report::BarGroup& group : bars.groups) group.name = axis.key + " = " + group.name;
            bars.low = low_end(bars);
            out.push_back({draw(bars), caption});
        }
    }
    return out;
}

std::optional<Figure> map(const Outcome& outcome, const Experiment& e) {
    const auto results = outcome.of(e, "cmr");
    if (results.empty() || results.front()->map.empty()) return std::nullopt;
    report::Scatter chart{.description = "Embeddings of " + e.name,
                          .x_name = "first principal component",
                          .y_name = "second",
                          .classes = {}};
    const KindNames names(results.front()->map, [](const MapPoint& point) { return point.kind; });
    for (const MapPoint& point : results.front()->map) {
        const bool healthy = point.kind == "bank" || point.kind == "healthy";
        const std::string name = point.kind == "bank" ? "healthy bank" : healthy ? "healthy test" : names(point.kind);
        auto known = std::ranges::find(chart.classes, name, &report::PointClass::name);
        if (known == chart.classes.end()) known = chart.classes.insert(chart.classes.end(), {name, {}, {}, healthy});
        known->x.push_back(point.x);
        known->y.push_back(point.y);
    }
    return Figure{draw(chart),
                  fmt::format("Std-pooled effect embeddings of cmr (seed {}), on the two directions in which healthy "
                              "windows differ most. What separates in other directions is not seen here.",
                              results.front()->seed)};
}

std::optional<Figure> time_and_memory(const Outcome& outcome, const Experiment& e) {
    report::BarChart chart{.description = "Time of a fit on " + e.name,
                           .axis = "seconds of a fit: reading, training, fitting"};
    report::BarGroup& group = chart.groups.emplace_back();
    for (const std::string& method : e.methods) {
        const auto results = outcome.of(e, method);
        const auto of = [&](double Result::*member) {
            return outcome.spread(e, results, [&](const Result& r) { return std::optional(r.*member); });
        };
        if (const auto seconds = of(&Result::fit_seconds))
            group.bars.push_back({.name = fmt::format("{}, {:.0f} MB", method, of(&Result::peak_mb)->mean),
                                  .value = seconds->mean,
                                  .deviation = seconds->deviation,
                                  .strong = method == "cmr"});
    }
    return figure(std::move(chart), "Wall-clock and peak memory of a fit.");
}

}  // namespace cmr::study::figures
