#include "text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace cmr::cli {
namespace {

// Characters on the screen: bytes that do not continue a UTF-8 sequence.
size_t width_of(const std::string& text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

TextTable::TextTable(const std::vector<std::string>& headings) {
    std::vector<std::string> names;
    for (const std::string& heading : headings) {
        left_.push_back(heading.starts_with('<'));
        names.push_back(left_.back() ? heading.substr(1) : heading);
    }
    rows_.push_back(std::move(names));
}

void TextTable::add(std::vector<std::string> cells) {
    cells.resize(left_.size());
    rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
    std::vector<size_t> widths(left_.size(), 0);
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - width_of(row[i]), ' ');
            line += fmt::format("  {}{}", left_[i] ? row[i] : pad, left_[i] ? pad : row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

}  // namespace cmr::cli
