#pragma once
// What a workbook says beside its sheets: which sheet is where, which cell formats are dates, and the texts that cells
// share.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/zip.h"

namespace cmr::io {

// Many texts in one piece of memory.
class SharedStrings {
  public:
    size_t size() const { return ends_.size(); }
    std::string_view operator[](size_t i) const {
        const size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(text_).substr(begin, ends_[i] - begin);
    }
    // Adds to the text that is being built, and closes it.
    void append(std::string_view part) { text_ += part; }
    void close() { ends_.push_back(text_.size()); }
    size_t bytes() const { return text_.size() + ends_.size() * sizeof(ends_[0]); }

  private:
    std::string text_;
    std::vector<size_t> ends_;
};

struct Workbook {
    std::string sheet;        // the chosen one
    size_t sheet_member = 0;  // of the archive
    bool dates_from_1904 = false;
    std::vector<bool> date_style;  // by the `s` of a cell
    SharedStrings strings;
};

// `sheet` empty: the first one with cells (a workbook may also hold charts).
Workbook read_workbook(const ZipArchive& archive, const std::string& path, const std::string& sheet);

}  // namespace cmr::io
