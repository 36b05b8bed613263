#include "report.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/json_fields.h"
#include "report/svg_file.h"
#include "study/compare.h"
#include "study/page.h"
#include "study/paper/items.h"
#include "study/tables.h"
#include "study/voices.h"
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

// As Markdown, CSV and LaTeX. Gives back the first.
std::string write(const study::ResultTable& table, const fs::path& folder) {
    const std::string markdown = study::to_markdown(table);
    io::write_file_atomically(folder / (table.name + ".md"), markdown);
    io::write_file_atomically(folder / (table.name + ".csv"), study::to_csv(table));
    io::write_file_atomically(folder / (table.name + ".tex"), study::to_latex(table));
    return markdown;
}

std::string compare(const ReportOptions& options) {
    if (options.runs.size() != 2) throw InputError("--compare needs two runs: the earlier one, then the later one");
    const auto before = study::Outcome::read(study::RunFolder(options.runs[0]));
    const auto after = study::Outcome::read(study::RunFolder(options.runs[1]));
    std::string text;
    io::Json json = io::Json::array();
    for (study::ResultTable& table : study::compare(before, after)) {
        study::say_what_is_combined(after, table);
        text += as_text(table) + table.note + "\n\n";
        for (const study::ResultTable::Row& row : table.rows)
            json.push_back({{"table", table.name}, {"row", row.name}, {"cells", row.cells}});
    }
    return options.json ? json.dump(2) + "\n" : text;
}

}  // namespace

std::string report(const ReportOptions& options) {
    if (options.compare) return compare(options);
    const study::Runs runs(options.runs);
    const study::Outcome outcome = runs.read();
    if (outcome.results().empty())
        throw InputError("{}: no cell of the study is done yet; `cmr study --status {}`", options.runs.front().string(),
                         options.runs.front().string());
    const fs::path own = options.runs.size() == 1 ? options.runs.front() / "report" : fs::path("report");
    const fs::path out = options.out.empty() ? own : options.out;
    std::error_code error;
    for (const char* name : {"tables", "figures"})
        if (fs::create_directories(out / name, error); error) fail_with(error.value(), (out / name).string());
    std::vector<study::ResultTable> tables = study::make_tables(outcome);
    const auto exhibits = study::paper::make_exhibits(
        study::paper::Sets(outcome, [&](const study::Cell& cell) { return runs.recipe(cell); }));
    const report::Page page = study::make_page(outcome, runs, tables, exhibits);
    if (!exhibits.empty()) tables.push_back(study::paper::contents(exhibits));
    std::string all = fmt::format("# {}\n\n{}\n", outcome.plan().name, outcome.plan().description);
    for (const study::ResultTable& table : tables) all += '\n' + write(table, out / "tables");
    // Those without data have files of their own, and are named by the list of contents.
    for (const study::paper::Exhibit& exhibit : exhibits) {
        tables.push_back(exhibit.table());
        const std::string markdown = write(tables.back(), out / "tables");
        if (exhibit.answered() > 0) all += '\n' + markdown;
    }
    io::write_file_atomically(out / "tables.md", all);
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
