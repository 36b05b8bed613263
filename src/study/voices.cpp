#include "study/voices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace cmr::study {
namespace {

bool names_it(const std::string& text) { return text.find("combined") != std::string::npos; }

bool shows_it(const ResultTable& table) {
    return names_it(table.title) || std::ranges::any_of(table.columns, names_it) ||
           std::ranges::any_of(table.rows, [](const ResultTable::Row& row) { return names_it(row.name); });
}

// How much of the mechanism is the network's; none where that was not kept.
std::optional<double> share_of_network(const Result& r) {
    std::optional<double> out;
    for (const ScoreResult& score : r.scores)
        if (std::isfinite(score.weight)) out = std::max(out.value_or(0), score.learned ? score.weight : 0);
    return out;
}

}  // namespace

std::string combined_words(const Outcome& outcome, const Experiment& e) {
    const bool trained = std::ranges::find(e.methods, "cmr") != e.methods.end();
    const std::string method = trained ? "cmr" : "untrained", network = trained ? "network" : "untrained network";
    std::set<std::string> seen;
    int64_t fits = 0, with_network = 0, unknown = 0;
    double sum = 0;
    for (const Use& use : outcome.plan().uses) {
        if (use.experiment != e.name || use.method != method) continue;
        const auto found = outcome.results().find(outcome.plan().cells[use.cell].id);
        if (found == outcome.results().end() || !found->second.score("combined") || !seen.insert(found->first).second)
            continue;
        ++fits;
        const std::optional<double> share = share_of_network(found->second);
        unknown += !share;
        with_network += share.value_or(0) > 0;
        sum += share.value_or(0);
    }
    if (fits == 0) return "";
    if (unknown > 0) return "";  // results of earlier versions did not keep it
    if (with_network == 0) return "the combined score holds nothing of the " + network;
    const std::string share = fmt::format("{:.0f} % of its mechanism", 100 * sum / static_cast<double>(fits));
    if (with_network == fits) return fmt::format("the combined score holds the {} as {}", network, share);
    return fmt::format("the combined score holds the {} in {} of {} fits, as {} on average", network, with_network,
                       fits, share);
}

void say_what_is_combined(const Outcome& outcome, ResultTable& table) {
    if (!shows_it(table)) return;
    std::string text;
    for (const Experiment& e : outcome.plan().experiments) {
        const bool own = table.title.starts_with(e.name + ": ");
        if (!own && !table.summary) continue;
        if (const std::string words = combined_words(outcome, e); !words.empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", e.name, words);
    }
    if (text.empty()) return;
    while (table.note.ends_with(' ')) table.note.pop_back();
    if (!table.note.empty()) table.note += table.note.ends_with('.') ? " " : ". ";
    table.note += text + ".";
}

}  // namespace cmr::study
