#pragma once
// A whole table in memory, for tests.

#include <string>
#include <type_traits>
#include <vector>

#include "io/table.h"

namespace cmr::test {

// Options with one field set: with(&TableOptions::sheet, "Data"). The last argument holds the others.
template <typename Field>
io::TableOptions with(Field io::TableOptions::*field, const std::type_identity_t<Field>& value,
                      io::TableOptions others = {}) {
    others.*field = value;
    return others;
}

struct WholeTable {
    std::vector<std::vector<double>> numbers;     // by selected column, numbers and times
    std::vector<std::vector<std::string>> texts;  // by selected text column
    std::vector<int64_t> lines;
    int blocks = 0;
};

inline WholeTable read_selected(io::Table& table, const std::vector<io::Selection>& selection) {
    WholeTable whole;
    for (const io::Selection& s : selection)
        if (s.kind == io::ColumnKind::kText)
            whole.texts.emplace_back();
        else
            whole.numbers.emplace_back();
    table.select(selection);
    for (io::TableBlock block; table.read(block); ++whole.blocks) {
        for (size_t i = 0; i < block.numbers.size(); ++i)
            whole.numbers[i % whole.numbers.size()].push_back(block.numbers[i]);
        for (size_t i = 0; i < block.texts.size(); ++i) whole.texts[i % whole.texts.size()].push_back(block.texts[i]);
        whole.lines.insert(whole.lines.end(), block.lines.begin(), block.lines.end());
    }
    return whole;
}

// Every column as this kind.
inline WholeTable read_all(io::Table& table, io::ColumnKind kind = io::ColumnKind::kNumber) {
    std::vector<io::Selection> all;
    for (size_t i = 0; i < table.columns().size(); ++i) all.push_back({static_cast<int64_t>(i), kind});
    return read_selected(table, all);
}

}  // namespace cmr::test
