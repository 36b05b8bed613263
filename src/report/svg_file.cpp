#include "report/svg_file.h"

#include "report/look.h"

namespace cmr::report {
namespace {

// A picture is as wide as it is shown, and has no page around it.
constexpr const char* kAlone = R"css(
svg.chart.wide { display: block !important; background: var(--paper); padding: 10px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
)css";

}  // namespace

std::optional<std::string> svg_file(const Html& figure) {
    const std::string &text = figure.text, closing = "</svg>";
    const size_t mark = text.find("class=\"chart wide\"");
    if (mark == std::string::npos) return std::nullopt;
    const size_t begin = text.rfind("<svg", mark), inside = text.find('>', mark) + 1;
    const size_t end = text.find(closing, inside) + closing.size();
    return text.substr(begin, inside - begin) + "\n<style>" + kStyle + kAlone + "</style>" +
           text.substr(inside, end - inside) + "\n";
}

}  // namespace cmr::report
