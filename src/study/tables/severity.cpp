// Machines with the same damage at the same place in several severities: does the score rise with it?

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "study/tables.h"
#include "study/tables/words.h"

namespace cmr::study::tables {
namespace {

using Severities = std::map<int64_t, std::vector<std::string>>;  // machines of each

// "engraver, outer race" → its machines; only where there are several severities.
std::vector<std::pair<std::string, Severities>> progressions(const std::vector<const Result*>& results) {
    std::vector<std::pair<std::string, Severities>> out;
    for (const Result* r : results)
        for (const MachineFacts& machine : r->machines) {
            const std::string name = fmt::format("{}, {}", machine.kind, machine.place);
            auto known = std::ranges::find(out, name, &std::pair<std::string, Severities>::first);
            if (known == out.end()) known = out.insert(out.end(), {name, {}});
            std::vector<std::string>& machines = known->second[machine.severity];
            if (std::ranges::find(machines, machine.name) == machines.end()) machines.push_back(machine.name);
        }
    std::erase_if(out, [](const auto& each) { return each.second.size() < 2; });
    return out;
}

// The mean over machines.
Number mean_of(const std::vector<std::string>& machines, const std::string& score) {
    return [=](const Result& r) -> std::optional<double> {
        double sum = 0;
        for (const std::string& machine : machines) {
            const auto auroc = machine_auroc(score, machine)(r);
            if (!auroc) return std::nullopt;
            sum += *auroc;
        }
        return sum / static_cast<double>(machines.size());
    };
}

}  // namespace

std::vector<ResultTable> severity(const Outcome& outcome) {
    std::vector<ResultTable> out;
    for (const Experiment& e : outcome.plan().experiments) {
        const std::vector<Line> lines = outcome.main_lines(e);
        std::vector<const Result*> all;
        for (const Line& line : lines)
            for (const Result* r : outcome.of(e, line.method)) all.push_back(r);
        ResultTable table{
            .name = e.name + "-severity",
            .title = fmt::format("{}: AUROC of machines with the same damage at the same place, by severity ({})",
                                 e.name, protocol_of(outcome, e)),
            .note = spread_of(outcome, e) +
                    ". Machines of the same severity: their mean. Each against all healthy "
                    "windows.",
            .corner = "damage and severity",
            .columns = {"machines"},
            .rows = {}};
        for (const Line& line : lines) table.columns.push_back(line.name());
        for (const auto& [damage, severities] : progressions(all)) {
            for (const auto& [level, machines] : severities) {
                ResultTable::Row& row = table.rows.emplace_back(ResultTable::Row{
                    fmt::format("{}: {}", damage, level), {fmt::format("{}", fmt::join(machines, ", "))}});
                for (const Line& line : lines)
                    row.cells.push_back(
                        shown(outcome.spread(e, outcome.of(e, line.method), mean_of(machines, line.score))));
            }
            ResultTable::Row& rise = table.rows.emplace_back(ResultTable::Row{damage + ": rise", {""}});
            for (const Line& line : lines) {
                const Number low = mean_of(severities.begin()->second, line.score),
                             high = mean_of(severities.rbegin()->second, line.score);
                const auto difference = outcome.spread(e, outcome.of(e, line.method), [&](const Result& r) {
                    const auto a = low(r), b = high(r);
                    return a && b ? std::optional(*b - *a) : std::nullopt;
                });
                rise.cells.push_back(difference ? fmt::format("{:+.3f}", difference->mean) : "–");
            }
        }
        out.push_back(std::move(table));
    }
    return out;
}

}  // namespace cmr::study::tables
