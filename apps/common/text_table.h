#pragma once
// Columns of text that line up in a terminal.

#include <string>
#include <vector>

namespace cmr::cli {

class TextTable {
  public:
    // A heading that begins with '<' is for texts, to the left; others are for numbers, to the right.
    explicit TextTable(const std::vector<std::string>& headings);

    void add(std::vector<std::string> cells);
    std::string text() const;

  private:
    std::vector<bool> left_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace cmr::cli
