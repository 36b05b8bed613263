#include "data/row_labels.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace cmr::data {
namespace {

std::vector<io::Selection> texts_of(const recipe::Labels& labels, const io::Table& table) {
    std::vector<io::Selection> out;
    for (const std::string& column : label_columns(labels)) out.push_back({table.find(column), io::ColumnKind::kText});
    if (!labels.keep_column.empty()) out.push_back({table.find(labels.keep_column), io::ColumnKind::kText});
    return out;
}

}  // namespace

RowLabels::RowLabels(const recipe::Labels& labels, const recipe::Part& part, const FoundFile& file,
                     const fs::path& root, const io::Table& table)
    : labels_(labels) {
    if (part.state != "labels") {  // the part says it, but not which rows to keep
        labels_.column.clear();
        labels_.columns.clear();
    }
    const bool keeps = !labels_.keep_column.empty();
    if (labels_.file.empty()) {
        if (keeps && part.state == "unknown" && !table.has(labels_.keep_column)) labels_.keep_column.clear();
        columns_ = texts_of(labels_, table);
    } else if (keeps || !label_columns(labels_).empty()) {
        read_file(root / fill_in(labels_.file, file.captures));
    }
}

void RowLabels::read_file(const fs::path& path) {
    const auto table = io::open_table(path, labels_.read);
    beside_ = table->name();
    std::vector<io::Selection> columns = texts_of(labels_, *table);
    const size_t texts = columns.size();
    const bool timed = !labels_.time.empty();
    if (timed) columns.push_back({table->find(labels_.time), io::ColumnKind::kTime});
    table->select(columns);
    double last_s = -std::numeric_limits<double>::infinity();
    for (io::TableBlock block; table->read(block);)
        for (int64_t row = 0; row < block.rows; ++row) {
            const std::string place = table->place(block.lines[row]);
            Listed& listed = listed_.emplace_back();
            listed.label = label_row(labels_, std::span(block.texts).subspan(row * texts, texts), place);
            if (!timed) continue;
            listed.time_s = block.numbers[row];
            if (!(listed.time_s > last_s))
                throw InputError("{}: a label's time is absent, stands twice or goes back in column '{}'", place,
                                 labels_.time);
            last_s = listed.time_s;
        }
}

const RowLabel& RowLabels::listed(int64_t row, double time_s, const io::Table& table, int64_t line) {
    if (labels_.time.empty()) {
        if (row >= std::ssize(listed_))
            throw InputError("{}: no label, for {} has only {} rows", table.place(line), beside_, listed_.size());
        return listed_[static_cast<size_t>(row)].label;
    }
    constexpr double kSame = 1e-6;  // seconds: the rounding of a double since 1970
    while (next_ < listed_.size() && listed_[next_].time_s <= time_s + kSame) ++next_;
    if (next_ == 0) throw InputError("{}: the labels of {} begin later", table.place(line), beside_);
    return listed_[next_ - 1].label;
}

const RowLabel* RowLabels::next(std::span<const std::string> texts, int64_t row, double time_s, const io::Table& table,
                                int64_t line) {
    if (!beside_.empty()) {
        const RowLabel& label = listed(row, time_s, table, line);
        if (started_ && label == last_) return nullptr;
        last_ = label;
    } else {
        if (started_ && std::ranges::equal(texts, last_texts_)) return nullptr;
        last_texts_.assign(texts.begin(), texts.end());
        last_ = label_row(labels_, texts, table.place(line));
    }
    started_ = true;
    return &last_;
}

void RowLabels::finish(int64_t rows, const io::Table& table) const {
    if (!beside_.empty() && labels_.time.empty() && rows != std::ssize(listed_))
        throw InputError("{}: {} rows, but {} has {}", beside_, listed_.size(), table.name(), rows);
}

}  // namespace cmr::data
