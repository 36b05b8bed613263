#include "report.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/json_fields.h"
#include "report/svg_file.h"
#include "study/compare.h"
#include "study/page.h"
#include "study/tables.h"
#include "text_table.h"

namespace cmr::cli {
namespace {

namespace fs = std::filesystem;

std::string as_text(const study::ResultTable& table) {
    std::vector<std::string> headings = {fmt::format("<{}", table.corner)};
    headings.insert(headings.end(), table.columns.begin(), table.columns.end());
    TextTable out(headings);
    for (const study::ResultTable::Row& row : table.rows) {
        std::vector<std::string> cells = {row.name};
        cells.insert(cells.end(), row.cells.begin(), row.cells.end());
        out.add(std::move(cells));
    }
    return table.title + "\n" + out.text() + "\n";
}

std::string compare(const ReportOptions& options) {
    if (options.runs.size() != 2) throw InputError("--compare needs two runs: the earlier one, then the later one");
    const auto before = study::Outcome::read(study::RunFolder(options.runs[0]));
    const auto after = study::Outcome::read(study::RunFolder(options.runs[1]));
    std::string text;
    io::Json json = io::Json::array();
    for (const study::ResultTable& table : study::compare(before, after)) {
        text += as_text(table) + table.note + "\n\n";
        for (const study::ResultTable::Row& row : table.rows)
            json.push_back({{"table", table.name}, {"row", row.name}, {"cells", row.cells}});
    }
    return options.json ? json.dump(2) + "\n" : text;
}

}  // namespace

std::string report(const ReportOptions& options) {
    if (options.compare) return compare(options);
    if (options.runs.size() != 1) throw InputError("a report is of one run; --compare is for two");
    const study::RunFolder folder(options.runs.front());
    const study::Outcome outcome = study::Outcome::read(folder);
    if (outcome.results().empty())
        throw InputError("{}: no cell of the study is done yet; `cmr study --status {}`", folder.path().string(),
                         folder.path().string());
    const fs::path out = options.out.empty() ? folder.path() / "report" : options.out;
    std::error_code error;
    for (const char* name : {"tables", "figures"})
        if (fs::create_directories(out / name, error); error) fail_with(error.value(), (out / name).string());
    const std::vector<study::ResultTable> tables = study::make_tables(outcome);
    std::string all = fmt::format("# {}\n\n{}\n", outcome.plan().name, outcome.plan().description);
    for (const study::ResultTable& table : tables) {
        const std::string markdown = study::to_markdown(table);
        all += '\n';
        all += markdown;
        io::write_file_atomically(out / "tables" / (table.name + ".md"), markdown);
        io::write_file_atomically(out / "tables" / (table.name + ".csv"), study::to_csv(table));
        io::write_file_atomically(out / "tables" / (table.name + ".tex"), study::to_latex(table));
    }
    io::write_file_atomically(out / "tables.md", all);
    const report::Page page = study::make_page(outcome, folder, tables);
    const fs::path file = out / "report.html";
    io::write_file_atomically(file, report::to_html(page));
    for (const report::Section& section : page.sections)
        for (const report::Figure& figure : section.figures)
            if (const auto drawing = report::svg_file(figure.body); drawing && !figure.name.empty())
                io::write_file_atomically(out / "figures" / (figure.name + ".svg"), *drawing);
    if (options.json)
        return io::Json{{"page", file.string()}, {"tables", tables.size()}, {"cells", outcome.results().size()}}.dump(
                   2) +
               "\n";
    std::string text;
    for (const study::ResultTable& table : tables)
        if (table.summary && (table.name.starts_with("verdict") || table.name.starts_with("claims")))
            text += as_text(table);
    return text + fmt::format("Look at {}. Beside it: {} tables as Markdown, CSV and LaTeX, and every figure as SVG.\n",
                              file.string(), tables.size());
}

}  // namespace cmr::cli
