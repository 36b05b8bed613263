#include "report/table.h"

#include <fmt/format.h>

#include "base/error.h"

namespace cmr::report {

const char* css_class(Tone tone) {
    switch (tone) {
        case Tone::kHealthy:
            return " healthy";
        case Tone::kAlarm:
            return " alarm";
        default:
            return "";
    }
}

Html draw(const HtmlTable& table) {
    std::string out = "<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr>";
    for (const TableColumn& column : table.columns)
        out += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", column.number ? "number" : "text",
                           escape(column.heading));
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        if (row.size() > table.columns.size())
            throw InputError("table: a row of {} cells under {} headings", row.size(), table.columns.size());
        out += "<tr>";
        for (size_t i = 0; i < table.columns.size(); ++i) {
            const TableCell cell = i < row.size() ? row[i] : TableCell("");
            out += fmt::format("<td class=\"{}{}\">{}</td>", table.columns[i].number ? "number" : "text",
                               css_class(cell.tone), escape(cell.text));
        }
        out += "</tr>\n";
    }
    return {out + "</tbody>\n</table>\n</div>\n"};
}

}  // namespace cmr::report
