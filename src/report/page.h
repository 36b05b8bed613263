#pragma once
// One HTML file that holds everything it shows: no script, style, font or picture comes from elsewhere, and the page
// itself forbids the browser to fetch any. It follows the reader's choice of light or dark, and prints.
//
//   Page page;
//   page.title = "Water plant, 9 to 11 March";
//   page.lead = "FIT401 stopped following P401 at 14:32.";
//   page.sections.push_back({"Scores", {"Two days at one score a second."}, {{draw(timeline), "Above the line:
//   alarm."}}}); write_file("report.html", to_html(page));
//
// Every text is escaped; only Html, which the drawing functions give, is taken as it stands.

#include <string>
#include <utility>
#include <vector>

#include "report/table.h"
#include "report/text.h"

namespace cmr::report {

struct Figure {
    Html body;
    std::string caption;
    std::string name{};  // of a file of its own; empty: none
};

struct Section {
    std::string heading;
    std::vector<std::string> text;  // paragraphs
    std::vector<Figure> figures;
    std::vector<Figure> more{};  // to be opened by those who want all numbers
};

// A number that is seen before anything is read.
struct KeyNumber {
    std::string value;
    std::string name;
    Tone tone = Tone::kNeutral;
};

struct Page {
    std::string title;
    std::string subtitle;
    std::string lead;  // the verdict, in a sentence or two
    Tone lead_tone = Tone::kNeutral;
    std::vector<KeyNumber> key_numbers;
    std::vector<Section> sections;
    std::vector<std::pair<std::string, std::string>> facts;  // how it was made: recipe, seed, version, data, command
};

std::string to_html(const Page& page);

}  // namespace cmr::report
