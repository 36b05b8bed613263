#include "study/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/text/csv_field.h"

namespace cmr::study {
namespace {

std::string for_markdown(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
    return out;
}

std::string for_latex(const std::string& text) {
    static const std::map<char, std::string> kSpecial = {{'&', "\\&"},
                                                         {'%', "\\%"},
                                                         {'$', "\\$"},
                                                         {'#', "\\#"},
                                                         {'_', "\\_"},
                                                         {'{', "\\{"},
                                                         {'}', "\\}"},
                                                         {'~', "\\textasciitilde{}"},
                                                         {'^', "\\textasciicircum{}"},
                                                         {'\\', "\\textbackslash{}"}};
    std::string out;
    for (const char c : text) {
        const auto special = kSpecial.find(c);
        out += special == kSpecial.end() ? std::string(1, c) : special->second;
    }
    const std::pair<std::string, std::string> signs[] = {
        {"±", "$\\pm$"}, {"–", "--"},   {"γ", "$\\gamma$"}, {"α", "$\\alpha$"}, {"·", "$\\cdot$"},
        {"≤", "$\\le$"}, {"²", "$^2$"}, {"Δ", "$\\Delta$"}, {"×", "$\\times$"}, {"≈", "$\\approx$"}};
    for (const auto& [sign, code] : signs)
        for (size_t at = out.find(sign); at != std::string::npos; at = out.find(sign, at + code.size()))
            out.replace(at, sign.size(), code);
    return out;
}

}  // namespace

void add_published(const std::vector<Published>& published, ResultTable& table) {
    std::vector<const Published*> all;
    for (const Published& theirs : published)
        if (theirs.table == table.name &&
            std::ranges::find_first_of(theirs.columns, table.columns) != theirs.columns.end())
            all.push_back(&theirs);
    for (const Published* theirs : all)
        for (const auto& cells : theirs->rows)
            if (std::ranges::find(table.rows, cells.front(), &ResultTable::Row::name) == table.rows.end())
                table.rows.push_back({cells.front(), std::vector<std::string>(table.columns.size(), "–")});
    for (const Published* theirs : all) {
        for (size_t c = 0; c < theirs->columns.size(); ++c) {
            const auto ours = std::ranges::find(table.columns, theirs->columns[c]);
            if (ours == table.columns.end()) continue;
            const auto at = ours - table.columns.begin() + 1;
            table.columns.insert(table.columns.begin() + at, theirs->columns[c] + ", published");
            for (ResultTable::Row& row : table.rows) {
                const auto found =
                    std::ranges::find_if(theirs->rows, [&](const auto& cells) { return cells.front() == row.name; });
                row.cells.insert(row.cells.begin() + at, found == theirs->rows.end() ? "" : (*found)[c + 1]);
            }
        }
        if (!theirs->note.empty()) table.note += (table.note.empty() ? "" : " ") + theirs->note;
    }
}

std::string to_markdown(const ResultTable& table) {
    std::string out = fmt::format("**{}**\n\n| {} |", table.title, for_markdown(table.corner));
    std::string rule = "\n|---|";
    for (const std::string& column : table.columns) {
        out += fmt::format(" {} |", for_markdown(column));
        rule += "---:|";
    }
    out += rule + "\n";
    for (const ResultTable::Row& row : table.rows) {
        out += fmt::format("| {} |", for_markdown(row.name));
        for (const std::string& cell : row.cells) out += fmt::format(" {} |", for_markdown(cell));
        out += "\n";
    }
    return table.note.empty() ? out : out + "\n" + table.note + "\n";
}

std::string to_csv(const ResultTable& table) {
    std::string out = io::csv_field(table.corner);
    for (const std::string& column : table.columns) out += fmt::format(",{}", io::csv_field(column));
    out += "\n";
    for (const ResultTable::Row& row : table.rows) {
        out += io::csv_field(row.name);
        for (const std::string& cell : row.cells) out += fmt::format(",{}", io::csv_field(cell));
        out += "\n";
    }
    return out;
}

std::string to_latex(const ResultTable& table) {
    std::string out =
        fmt::format("\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n",
                    for_latex(table.note.empty() ? table.title + "." : table.title + ". " + table.note), table.name);
    out += fmt::format("  \\begin{{tabular}}{{l{}}}\n    \\toprule\n    {}", std::string(table.columns.size(), 'r'),
                       for_latex(table.corner));
    for (const std::string& column : table.columns) out += fmt::format(" & {}", for_latex(column));
    out += " \\\\\n    \\midrule\n";
    for (const ResultTable::Row& row : table.rows) {
        out += fmt::format("    {}", for_latex(row.name));
        for (const std::string& cell : row.cells) out += fmt::format(" & {}", for_latex(cell));
        out += " \\\\\n";
    }
    return out + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

}  // namespace cmr::study
