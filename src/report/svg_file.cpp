#include "report/svg_file.h"

#include <fmt/format.h>

#include <sstream>

#include "report/look.h"

namespace cmr::report {
namespace {

// A picture is as wide as it is shown, and has no page around it.
constexpr const char* kAlone = R"css(
svg.chart.wide { display: block !important; background: var(--paper);
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
)css";

// What stands over the edge on a page would be cut off here.
constexpr double kMargin = 14, kRightMargin = 50;

std::string with_margins(std::string tag) {
    const std::string name = "viewBox=\"0 0 ";
    const size_t begin = tag.find(name) + name.size(), end = tag.find('"', begin);
    double width = 0, height = 0;
    std::istringstream(tag.substr(begin, end - begin)) >> width >> height;
    return tag.replace(begin - 4, end - begin + 4,
                       fmt::format("-{0} -{0} {1} {2}", kMargin, width + kMargin + kRightMargin, height + 2 * kMargin));
}

}  // namespace

std::optional<std::string> svg_file(const Html& figure) {
    const std::string &text = figure.text, closing = "</svg>";
    const size_t mark = text.find("class=\"chart wide\"");
    if (mark == std::string::npos) return std::nullopt;
    const size_t begin = text.rfind("<svg", mark), inside = text.find('>', mark) + 1;
    const size_t end = text.find(closing, inside) + closing.size();
    return with_margins(text.substr(begin, inside - begin)) + "\n<style>" + kStyle + kAlone + "</style>" +
           text.substr(inside, end - inside) + "\n";
}

}  // namespace cmr::report
