#include "study/page.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "base/text.h"
#include "study/figures.h"
#include "study/paper/items.h"

namespace cmr::study {
namespace {

report::Figure figure_of(const ResultTable& table) {
    report::HtmlTable out{{{table.corner}}, {}};
    for (const std::string& column : table.columns) out.columns.push_back({column, true});
    for (const ResultTable::Row& row : table.rows) {
        auto& cells = out.rows.emplace_back();
        cells.emplace_back(row.name);
        for (const std::string& cell : row.cells) cells.emplace_back(cell);
    }
    return {draw(out), table.note.empty() ? table.title : table.title + ". " + table.note};
}

// `name`: of the figure's own file.
void add(report::Section& section, const std::string& name, std::optional<report::Figure> figure) {
    if (!figure) return;
    figure->name = fmt::format("{}-{}", section.heading, name);
    section.figures.push_back(std::move(*figure));
}

void add(report::Section& section, const std::string& name, std::vector<report::Figure> figures) {
    for (size_t i = 0; i < figures.size(); ++i)
        add(section, i == 0 ? name : fmt::format("{}-{}", name, i + 1), std::optional(std::move(figures[i])));
}

// Their titles begin with the experiment; a name such as plant-2-cost may be of two.
void add_tables(report::Section& section, const std::vector<ResultTable>& tables, const Experiment& e) {
    for (const ResultTable& table : tables)
        if (table.name.starts_with(e.name + "-") && table.title.starts_with(e.name + ": "))
            section.more.push_back(figure_of(table));
}

// Without its last column, which the page says in words.
ResultTable but_for_the_words(ResultTable table) {
    table.columns.pop_back();
    for (ResultTable::Row& row : table.rows) row.cells.pop_back();
    return table;
}

const ResultTable* named(const std::vector<ResultTable>& tables, const std::string& name) {
    const auto found = std::ranges::find(tables, name, &ResultTable::name);
    return found == tables.end() ? nullptr : &*found;
}

// What was compared, in a sentence.
std::string setting_of(const Outcome& outcome, const Experiment& e) {
    std::set<int64_t> seeds, folds;
    const Result* sample = nullptr;
    for (const std::string& method : e.methods)
        for (const Result* r : outcome.of(e, method)) {
            seeds.insert(r->seed);
            folds.insert(r->fold);
            if (!sample) sample = r;
        }
    if (!sample) return "No cell of this experiment is done.";
    return fmt::format("{} training windows; {} healthy and {} faulty test windows{}. Protocol {}, {} {}, seeds {}.{}",
                       with_commas(sample->train_windows), with_commas(sample->healthy_windows),
                       with_commas(sample->faulty_windows), folds.size() > 1 ? " in the first fold" : "",
                       sample->protocol, folds.size(), folds.size() == 1 ? "fold" : "folds", fmt::join(seeds, ", "),
                       sample->protocol == "paper" ? " By this protocol validation windows are tested, too." : "");
}

report::Section section_of(const Outcome& outcome, const Runs& runs, const Experiment& e,
                           const std::vector<ResultTable>& tables) {
    report::Section out{e.name, {setting_of(outcome, e)}, {}};
    add(out, "leaderboard", figures::leaderboard(outcome, e));
    add(out, "stealth", figures::stealth(outcome, e));
    add(out, "roc", figures::roc(outcome, runs, e));
    if (const auto results = outcome.of(e, "cmr"); !results.empty()) {
        const fs::path file = runs.scores(outcome.cell_of(*results.front()));
        if (fs::exists(file)) {
            const score::ScoreTable scores = score::read_scores(file);
            add(out, "timeline", figures::timeline(e, scores, results.front()->main_score));
            add(out, "distributions", figures::distributions(e, scores, results.front()->main_score));
            add(out, "residuals", figures::residuals(e, scores));
        }
    }
    add(out, "map", figures::map(outcome, e));
    add(out, "folds", figures::folds(outcome, e));
    add(out, "coverage", figures::coverage(outcome, e));
    add(out, "grid", figures::grid(outcome, e));
    add(out, "axes", figures::axes(outcome, e));
    add(out, "time-and-memory", figures::time_and_memory(outcome, e));
    add_tables(out, tables, e);
    return out;
}

// Figures that have numbers of ours, and every table.
report::Section paper_section(const std::vector<paper::Exhibit>& exhibits) {
    report::Section out{"The paper's tables and figures",
                        {"Each by its label in the paper. Diamonds are what was published."},
                        {figure_of(paper::contents(exhibits))}};
    for (const paper::Exhibit& exhibit : exhibits) {
        for (const report::Figure& chart : exhibit.charts) out.figures.push_back(chart);
        if (exhibit.answered() > 0) out.more.push_back(figure_of(exhibit.table()));
    }
    return out;
}

// The recipe, seeds, version and data behind every figure.
std::vector<std::pair<std::string, std::string>> facts_of(const Outcome& outcome, const Runs& runs) {
    std::vector<std::pair<std::string, std::string>> out = {
        {"study", outcome.plan().name},
        {"cells",
         fmt::format("{} of {} done",
                     std::ranges::count_if(outcome.results(), [](const auto& r) { return r.second.status == "done"; }),
                     outcome.plan().cells.size())},
    };
    std::set<std::string> versions;
    for (const Experiment& e : outcome.plan().experiments) {
        std::set<std::string> data, machines;
        for (const std::string& method : e.methods)
            for (const Result* r : outcome.of(e, method)) {
                data.insert(r->fingerprint);
                machines.insert(fmt::format("{} with {} threads", r->isa, r->threads));
                versions.insert(r->version);
            }
        const std::vector<std::string> over = e.over_recipe();
        out.emplace_back(e.name, fmt::format("recipe {}{}{}; data {}; {}", e.recipe, over.empty() ? "" : " with ",
                                             fmt::join(over, ", "), fmt::join(data, ", "), fmt::join(machines, ", ")));
    }
    out.emplace_back("version", fmt::format("{}", fmt::join(versions, ", ")));
    std::vector<std::string> folders, recipes;
    for (const RunFolder& folder : runs.folders()) {
        folders.push_back(folder.path().string());
        recipes.push_back((folder.path() / "recipes").string());
    }
    out.emplace_back("resolved recipes", fmt::format("{}", fmt::join(recipes, ", ")));
    out.emplace_back("command", fmt::format("cmr report {}", fmt::join(folders, " ")));
    return out;
}

}  // namespace

report::Page make_page(const Outcome& outcome, const Runs& runs, const std::vector<ResultTable>& tables,
                       const std::vector<paper::Exhibit>& exhibits) {
    const Plan& plan = outcome.plan();
    report::Page out;
    out.title = plan.name;
    out.subtitle = plan.description;
    int64_t done = 0, failed = 0;
    double seconds = 0;
    for (const auto& [id, r] : outcome.results()) {
        ++(r.status == "done" ? done : failed);
        seconds += r.fit_seconds + r.score_seconds;
    }
    std::set<std::string> methods;
    for (const Experiment& e : plan.experiments) methods.insert(e.methods.begin(), e.methods.end());
    out.key_numbers = {{fmt::format("{} of {}", done, plan.cells.size()), "cells done",
                        done == std::ssize(plan.cells) ? report::Tone::kHealthy : report::Tone::kNeutral},
                       {std::to_string(failed), "refused or failed"},
                       {std::to_string(methods.size()), "methods"},
                       {std::to_string(plan.experiments.size()), "datasets"},
                       {duration_text(seconds), "of work in all"}};
    report::Section summary{"In short", {}, {}};
    for (const ResultTable& table : tables) {
        if (!table.summary) continue;
        const bool is_verdict = table.name.starts_with("verdict");
        if (is_verdict)
            for (const ResultTable::Row& row : table.rows)
                summary.text.push_back(fmt::format("{}: {}.", row.name, row.cells.back()));
        summary.figures.push_back(figure_of(is_verdict ? but_for_the_words(table) : table));
    }
    out.sections.push_back(std::move(summary));
    for (const Experiment& e : plan.experiments) out.sections.push_back(section_of(outcome, runs, e, tables));
    if (!exhibits.empty()) out.sections.push_back(paper_section(exhibits));
    if (const ResultTable* failures = named(tables, "failures"))
        out.sections.push_back({"What gave no detector", {}, {figure_of(*failures)}});
    out.facts = facts_of(outcome, runs);
    return out;
}

}  // namespace cmr::study
