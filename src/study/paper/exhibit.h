#pragma once
// A table or figure of the paper: each of its numbers asked of our runs, beside what was printed.

#include <optional>
#include <string>
#include <vector>

#include "report/page.h"
#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study::paper {

struct Entry {
    std::optional<Spread> ours;
    std::string words;      // ours where it is no number; empty: it is one
    std::string published;  // as printed; empty: not printed
    int digits = 4;
    bool asked = true;

    bool answered() const { return asked && (ours || !words.empty()); }
    std::string shown() const;  // ours: "no data" where it was asked and not found
};

inline Entry number(std::optional<Spread> ours, std::string published = "", int digits = 4) {
    return {ours, "", std::move(published), digits};
}
inline Entry words(std::string ours, std::string published = "") {
    return {std::nullopt, std::move(ours), std::move(published)};
}
inline Entry nothing() { return {.ours = {}, .words = {}, .published = {}, .asked = false}; }

struct Exhibit {
    std::string label;  // of the paper; a section's where the numbers stand in its text
    std::string what;
    std::string note;
    std::string corner;
    std::vector<std::string> columns;
    struct Row {
        std::string name;
        std::vector<Entry> cells;  // one per column
    };
    std::vector<Row> rows{};
    std::vector<report::Figure> charts{};

    void add(std::string name, std::vector<Entry> cells) { rows.push_back({std::move(name), std::move(cells)}); }
    int64_t asked() const;
    int64_t answered() const;
    std::string file() const;  // the label without what file names do not like
    // A column of ours, and beside it one of what was printed, where anything was.
    ResultTable table() const;
};

// The first number in what was printed: 0.984 of "≈ 0.984 ± 0.007".
std::optional<double> printed_number(const std::string& text);

// Bars with what was printed as diamonds: a group for each row, or one for each column. None where we have nothing.
std::optional<report::Figure> bars_by_row(const Exhibit& exhibit, const std::string& axis = "AUROC");
std::optional<report::Figure> bars_by_column(const Exhibit& exhibit, const std::string& axis = "AUROC");

}  // namespace cmr::study::paper
