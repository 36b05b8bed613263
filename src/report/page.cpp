#include "report/page.h"

#include <fmt/format.h>

#include "report/look.h"

namespace cmr::report {
namespace {

// A second wall behind the escaping: the browser refuses whatever would leave the page.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

constexpr size_t kLongPage = 4;  // sections from which on a list of them helps

std::string to_html(const std::vector<Figure>& figures) {
    std::string out;
    for (const Figure& figure : figures) {
        out += "<figure>\n" + figure.body.text;
        if (!figure.caption.empty()) out += fmt::format("<figcaption>{}</figcaption>\n", escape(figure.caption));
        out += "</figure>\n";
    }
    return out;
}

std::string to_html(const Section& section, size_t number) {
    std::string out = fmt::format("<section id=\"s{}\">\n", number);
    if (!section.heading.empty()) out += fmt::format("<h2>{}</h2>\n", escape(section.heading));
    for (const std::string& paragraph : section.text) out += fmt::format("<p>{}</p>\n", escape(paragraph));
    out += to_html(section.figures);
    if (!section.more.empty())
        out += fmt::format("<details><summary>All numbers: {} {}</summary>\n{}</details>\n", section.more.size(),
                           section.more.size() == 1 ? "table" : "tables", to_html(section.more));
    return out + "</section>\n";
}

std::string contents(const std::vector<Section>& sections) {
    if (sections.size() < kLongPage) return "";
    std::string out = "<nav>";
    for (size_t i = 0; i < sections.size(); ++i)
        out += fmt::format("<a href=\"#s{}\">{}</a> ", i, escape(sections[i].heading));
    return out + "</nav>\n";
}

std::string header(const Page& page) {
    std::string out = fmt::format("<header>\n<h1>{}</h1>\n", escape(page.title));
    if (!page.subtitle.empty()) out += fmt::format("<p class=\"subtitle\">{}</p>\n", escape(page.subtitle));
    if (!page.lead.empty())
        out += fmt::format("<p class=\"lead{}\">{}</p>\n", css_class(page.lead_tone), escape(page.lead));
    if (!page.key_numbers.empty()) {
        out += "<dl class=\"key-numbers\">\n";
        for (const KeyNumber& number : page.key_numbers)
            out += fmt::format("<div><dt>{}</dt><dd class=\"value{}\">{}</dd></div>\n", escape(number.name),
                               css_class(number.tone), escape(number.value));
        out += "</dl>\n";
    }
    return out + "</header>\n";
}

std::string footer(const Page& page) {
    if (page.facts.empty()) return "";
    std::string out = "<footer>\n<h2>How this was made</h2>\n<dl class=\"facts\">\n";
    for (const auto& [name, value] : page.facts)
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value));
    return out + "</dl>\n</footer>\n";
}

}  // namespace

std::string to_html(const Page& page) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
        kPolicy, escape(page.title), kStyle);
    out += header(page);
    out += contents(page.sections);
    for (size_t i = 0; i < page.sections.size(); ++i) out += to_html(page.sections[i], i);
    out += footer(page);
    return out + fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace cmr::report
