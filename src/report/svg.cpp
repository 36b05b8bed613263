#include "report/svg.h"

#include "base/error.h"

namespace cmr::report {

Svg::Svg(double width, double height, std::string_view css_class, std::string_view description, Attributes more) {
    begin_tag("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", "0 0 " + coordinate(width) + " " + coordinate(height)},
                      {"class", css_class},
                      {"role", "img"},
                      {"aria-label", description}});
    for (const Attribute& a : more) out_.append(" ").append(a.name).append("=\"").append(escape(a.value)).append("\"");
    out_ += ">\n";
    open_.emplace_back("svg");
}

void Svg::begin_tag(std::string_view element, Attributes attributes) {
    out_.append("<").append(element);
    for (const Attribute& a : attributes)
        out_.append(" ").append(a.name).append("=\"").append(escape(a.value)).append("\"");
}

void Svg::open(std::string_view element, Attributes attributes) {
    begin_tag(element, attributes);
    out_ += ">\n";
    open_.emplace_back(element);
}

void Svg::close() {
    CMR_ASSERT(!open_.empty(), "only what was opened can be closed");
    out_.append("</").append(open_.back()).append(">\n");
    open_.pop_back();
}

void Svg::draw(std::string_view element, Attributes attributes, std::string_view title) {
    begin_tag(element, attributes);
    if (title.empty())
        out_ += "/>\n";
    else
        out_.append("><title>").append(escape(title)).append("</title></").append(element).append(">\n");
}

void Svg::write(const Point& at, std::string_view text, Attributes attributes, std::string_view title) {
    begin_tag("text", attributes);
    out_.append(" x=\"").append(coordinate(at.x)).append("\" y=\"").append(coordinate(at.y)).append("\">");
    if (!title.empty()) out_.append("<title>").append(escape(title)).append("</title>");
    out_.append(escape(text)).append("</text>\n");
}

void Svg::write_heading(const Point& at, std::string_view name, std::string_view css_class, std::string_view note,
                        std::string_view title) {
    begin_tag("text", {{"class", "heading"}, {"x", at.x}, {"y", at.y}});
    out_ += ">";
    if (!title.empty()) out_.append("<title>").append(escape(title)).append("</title>");
    begin_tag("tspan", {{"class", css_class}});
    out_.append(">").append(escape(name)).append("</tspan>");
    if (!note.empty()) {
        begin_tag("tspan", {{"class", "note"}, {"dx", 9}});
        out_.append(">").append(escape(note)).append("</tspan>");
    }
    out_ += "</text>\n";
}

void Svg::line(const Point& from, const Point& to, std::string_view css_class) {
    draw("line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}, {"class", css_class}});
}

void Svg::rectangle(const Point& corner, double width, double height, std::string_view css_class,
                    std::string_view title) {
    draw("rect", {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}, {"class", css_class}}, title);
}

std::string Svg::finish() {
    while (!open_.empty()) close();
    return std::move(out_);
}

}  // namespace cmr::report
