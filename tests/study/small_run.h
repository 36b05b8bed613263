#pragma once
// A run that was never made: a plan and results with numbers that can be worked out by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>

#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study::test {

using Scores = std::vector<std::pair<std::string, double>>;  // name, AUROC

inline bool is_control(const std::string& score) {
    return score == "marginal" || score == "lagged" || score == "pca" || score == "random";
}

// Faults of the kind leak are found a little better than all, drifts worse.
inline constexpr double kLeak = 0.02, kDrift = -0.04;

inline Result make_result(const std::string& experiment, const std::string& method, int64_t seed, int64_t fold,
                          const Scores& scores) {
    Result out;
    out.id = fmt::format("{}-{}-s{}-f{}", experiment, method, seed, fold);
    out.status = "done";
    out.experiment = experiment;
    out.method = method;
    out.seed = seed;
    out.fold = fold;
    out.recipe = experiment;
    out.protocol = "strict";
    out.main_score = "knn";
    out.train_windows = 1000;
    out.healthy_windows = 100;
    out.faulty_windows = 20;
    out.parameters = 12345;
    out.epochs = 7;
    out.threads = 2;
    out.fit_seconds = 10;
    out.score_seconds = 2;
    out.windows_per_second = 500;
    out.peak_mb = 300;
    out.version = "1.0";
    out.fingerprint = "abcd";
    out.isa = "portable";
    for (const auto& [name, auroc] : scores) {
        ScoreResult& score = out.scores.emplace_back();
        score.name = name;
        score.learned = !is_control(name);
        score.auroc = auroc;
        score.best_f1 = auroc / 2;
        score.adjusted_f1 = auroc;
        score.healthy_mean = 2;
        score.faulty_mean = 3;
        score.strata = {{"leak", 12, auroc + kLeak}, {"drift", 8, auroc + kDrift}};
    }
    return out;
}

struct SmallRun {
    Plan plan{.name = "small",
              .description = "A study of nothing",
              .version = "1.0",
              .experiments = {},
              .published = {},
              .cells = {},
              .uses = {}};
    std::map<std::string, Result> results;

    Experiment& add_experiment(const std::string& name, const std::vector<std::string>& methods,
                               const std::vector<int64_t>& seeds) {
        Experiment e;
        e.name = name;
        e.recipe = name + ".toml";
        e.methods = methods;
        e.seeds = seeds;
        return plan.experiments.emplace_back(std::move(e));
    }

    // A cell that is planned and not done.
    Cell& add_open(const Result& r, const std::string& axis = "", const std::string& value = "") {
        plan.uses.push_back({r.experiment, axis, value, r.method, r.seed, r.fold, std::ssize(plan.cells)});
        Cell& cell = plan.cells.emplace_back();
        cell.id = r.id;
        cell.experiment = r.experiment;
        cell.method = r.method;
        cell.seed = r.seed;
        cell.fold = r.fold;
        return cell;
    }
    Result& add(Result r, const std::string& axis = "", const std::string& value = "") {
        if (!axis.empty()) r.id += "-" + value;
        add_open(r, axis, value);
        return results[r.id] = std::move(r);
    }
    void add_failed(const std::string& experiment, const std::string& method, int64_t seed, int64_t fold,
                    const std::string& reason) {
        Result& r = add(make_result(experiment, method, seed, fold, {}));
        r.status = "failed";
        r.reason = reason;
    }

    Outcome outcome() const { return {plan, results}; }
};

inline const ResultTable& find_table(const std::vector<ResultTable>& tables, const std::string& name) {
    static const ResultTable none;
    const auto found = std::ranges::find(tables, name, &ResultTable::name);
    if (found != tables.end()) return *found;
    ADD_FAILURE() << "no table " << name;
    return none;
}

inline bool has_row(const ResultTable& table, const std::string& row) {
    return std::ranges::find(table.rows, row, &ResultTable::Row::name) != table.rows.end();
}

inline std::string cell_of(const ResultTable& table, const std::string& row, const std::string& column) {
    const auto r = std::ranges::find(table.rows, row, &ResultTable::Row::name);
    const auto c = std::ranges::find(table.columns, column) - table.columns.begin();
    if (r == table.rows.end()) return "no row " + row;
    if (c == std::ssize(table.columns)) return "no column " + column;
    EXPECT_EQ(r->cells.size(), table.columns.size()) << table.name << ", " << row;
    return r->cells[c];
}

}  // namespace cmr::study::test
