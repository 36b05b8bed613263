#pragma once
// A table that goes into a page, a paper or a program.

#include <string>
#include <vector>

#include "study/study.h"

namespace cmr::study {

struct ResultTable {
    std::string name;    // of its files: letters, digits and '-'
    std::string title;   // what is in it, and by which protocol
    std::string note;    // how to read it
    std::string corner;  // heading of the rows
    std::vector<std::string> columns;
    struct Row {
        std::string name;
        std::vector<std::string> cells;  // one per column
    };
    std::vector<Row> rows;
    bool summary = false;  // of several experiments
};

// What was published beside what we found: a column of the same name, marked so, after each column that has one. A row
// of which we have nothing is added.
void add_published(const std::vector<Published>& published, ResultTable& table);

std::string to_markdown(const ResultTable& table);
std::string to_csv(const ResultTable& table);
std::string to_latex(const ResultTable& table);  // booktabs

}  // namespace cmr::study
