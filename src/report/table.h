#pragma once
// Rows to look up. Wide tables scroll by themselves on a narrow screen.

#include <string>
#include <vector>

#include "report/text.h"

namespace cmr::report {

// What a thing means for the plant.
enum class Tone { kNeutral, kHealthy, kAlarm };

struct TableCell {
    TableCell(std::string content, Tone meaning = Tone::kNeutral) : text(std::move(content)), tone(meaning) {}
    TableCell(const char* content) : text(content) {}

    std::string text;
    Tone tone = Tone::kNeutral;
};

struct TableColumn {
    std::string heading;
    bool number = false;  // to the right, digits of equal width
};

struct HtmlTable {
    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows;  // a short row is filled with empty cells; a long one is an InputError
};

Html draw(const HtmlTable& table);

// " healthy", " alarm" or nothing, to be added to a class.
const char* css_class(Tone tone);

}  // namespace cmr::report
