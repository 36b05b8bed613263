#include "io/text/csv_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "io/text/number.h"
#include "io/text/spelling.h"
#include "io/text/time.h"

namespace cmr::io {
namespace {

constexpr size_t kMaxHeaderRow = 100;       // header_column is looked for up to here
constexpr size_t kSampleBytes = 128 << 10;  // enough to tell delimiters apart, and quick

struct NamedDelimiter {
    std::string_view name;
    char letter;
};
// In the order of preference: a comma may be a decimal sign, and blanks occur in names and times.
constexpr NamedDelimiter kDelimiters[] = {
    {"tab", '\t'}, {"semicolon", ';'}, {"bar", '|'}, {"comma", ','}, {"blank", ' '}};

void check_option(const std::string& name, const char* option, const std::string& value,
                  const std::vector<std::string>& allowed) {
    if (std::ranges::find(allowed, value) == allowed.end())
        throw InputError("{}: {} is '{}', expected one of {}", name, option, value, fmt::join(allowed, ", "));
}

std::vector<CsvDialect> candidate_dialects(const std::string& name, const TableOptions& options) {
    check_option(name, "delimiter", options.delimiter, {"auto", "comma", "semicolon", "tab", "bar", "blank"});
    check_option(name, "decimal", options.decimal, {"point", "comma"});
    check_option(name, "header", options.header, {"auto", "yes", "no"});
    if (options.skip_rows < 0) throw InputError("{}: skip_rows is {}, expected 0 or more", name, options.skip_rows);
    const char point = options.decimal == "comma" ? ',' : '.';
    if (point == ',' && options.delimiter == "comma")
        throw InputError("{}: the comma cannot be both the delimiter and the decimal sign", name);
    std::vector<CsvDialect> candidates;
    for (const NamedDelimiter& delimiter : kDelimiters)
        if (delimiter.letter != point && (options.delimiter == "auto" || options.delimiter == delimiter.name))
            candidates.push_back({delimiter.letter, point});
    return candidates;
}

// The text behind so many lines; nothing where it has fewer.
std::optional<size_t> skip_lines(std::string_view text, int64_t lines) {
    size_t at = 0;
    for (; lines > 0 && at != std::string_view::npos; --lines) at = next_row(text, at);
    return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

// The first rows of a text, read in one dialect.
struct Sample {
    CsvDialect dialect;
    std::string_view text;
    CsvIndex index;
    size_t first = 0;  // row that is the header or the first of the data

    size_t rows() const { return index.rows().size() - first; }
    int64_t cells(size_t row) const { return index.rows()[first + row].cells; }
    std::string cell(size_t row, int64_t column) const {
        std::string buffer;
        return std::string(clean_cell(index.cell(text, index.rows()[first + row], column), buffer));
    }

    // How many rows have the most frequent number of columns, if that is 2 or more: the sign of the right delimiter.
    size_t agreement() const {
        std::map<int64_t, size_t> votes;
        size_t best = 0;
        for (size_t row = 0; row < rows(); ++row)
            if (cells(row) > 1) best = std::max(best, ++votes[cells(row)]);
        return best;
    }
};

std::optional<Sample> take_sample(const std::string& name, const TableOptions& options, std::string_view text,
                                  bool whole, const CsvDialect& dialect) {
    Sample sample{dialect, text, {}, 0};
    const auto build = [&](std::string_view part, size_t max_rows) {
        sample.index.build_slowly(part, dialect, max_rows);
        if (sample.index.too_wide()) refuse_wide_row(name, 1 + options.skip_rows + sample.index.lines());
    };
    if (options.header_column.empty()) {
        build(text.substr(0, kSampleBytes), std::string_view::npos);
        if (sample.index.rows().size() < 3) build(text, 3);
        // An open quote may be no quote in another dialect; at the end of the file nothing will close it.
        const bool enough = sample.index.rows().size() >= 3 || whole;
        return enough ? std::optional(std::move(sample)) : std::nullopt;
    }
    build(text, kMaxHeaderRow + 3);
    for (; sample.rows() > 0 && sample.first < kMaxHeaderRow; ++sample.first)
        for (int64_t column = 0; column < sample.cells(0); ++column)
            if (sample.cell(0, column) == trimmed(options.header_column)) return sample;
    if (!whole && sample.index.rows().size() < kMaxHeaderRow) return std::nullopt;
    sample.first = sample.index.rows().size();
    return sample;
}

bool is_value(const std::string& cell, const std::vector<std::string>& missing) {
    // A number with the other decimal sign is no name either: better to fail at it than to swallow a row.
    return is_missing(cell, missing) || parse_number(cell) || parse_number(cell, ',') || parse_not_finite(cell) ||
           looks_like_date(cell) || parse_time_of_day(cell);
}

// Does the first row name the columns? It has a word where the rows below have values, or nothing but words.
bool has_header(const Sample& sample, const TableOptions& options) {
    if (options.header != "auto") return options.header == "yes";
    if (!options.header_column.empty()) return true;
    bool any_word = false, only_words = true;
    for (int64_t column = 0; column < sample.cells(0); ++column) {
        const std::string cell = sample.cell(0, column);
        if (is_value(cell, options.missing)) {
            only_words &= cell.empty();
            continue;
        }
        any_word = true;
        bool values_below = true;
        for (size_t row = 1; row < sample.rows() && values_below; ++row)
            values_below = column >= sample.cells(row) || is_value(sample.cell(row, column), options.missing);
        if (values_below) return true;
    }
    return any_word && only_words;
}

// A delimiter at the end of every row makes no column.
bool ends_with_delimiter(const Sample& sample) {
    const int64_t last = sample.cells(0) - 1;
    if (last == 0) return false;
    for (size_t row = 0; row < sample.rows(); ++row)
        if (sample.cells(row) > last && !sample.cell(row, last).empty()) return false;
    return true;
}

// Of several dialects the one in which most rows agree; where none does, the file has a single column.
Sample choose(std::vector<Sample> samples) {
    size_t best = samples.size(), best_agreement = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
        const size_t agreement = samples[i].agreement();
        if (2 * agreement < samples[i].rows() || agreement <= best_agreement) continue;
        // Blanks separate only where nothing else does, and not in a name above a single column.
        const bool blank = samples[i].dialect.delimiter == ' ';
        if (blank && (best < samples.size() || 2 * agreement == samples[i].rows())) continue;
        best = i;
        best_agreement = agreement;
    }
    if (best < samples.size()) return std::move(samples[best]);
    // Any but the blank, which may stand in a name or a time.
    const auto single = std::ranges::find_if(samples, [](const Sample& s) { return s.dialect.delimiter == ','; });
    return std::move(single == samples.end() ? samples.front() : *single);
}

}  // namespace

void refuse_wide_row(const std::string& name, int64_t line) { throw InputError("{}:{}: {}", name, line, kTooWide); }

std::optional<CsvLayout> find_layout(const std::string& name, std::string_view text, bool whole,
                                     const TableOptions& options) {
    const auto candidates = candidate_dialects(name, options);
    const auto skipped = skip_lines(text, options.skip_rows);
    if (!skipped && !whole) return std::nullopt;
    const std::string_view rest = text.substr(skipped.value_or(text.size()));

    std::vector<Sample> samples;
    bool wants_more = false;
    for (const CsvDialect& dialect : candidates) {
        auto sample = take_sample(name, options, rest, whole, dialect);
        wants_more |= !sample;
        if (sample && sample->rows() > 0) samples.push_back(std::move(*sample));
    }
    if (samples.empty()) {
        if (wants_more) return std::nullopt;
        if (rest.find_first_not_of(" \t\r\n") == std::string_view::npos) throw InputError("{}: holds no rows", name);
        if (!options.header_column.empty())
            throw InputError("{}: none of its first {} rows has a cell '{}', as header_column wants", name,
                             kMaxHeaderRow, options.header_column);
        throw InputError("{}: {}", name,
                         rest.find(kQuote) == std::string_view::npos
                             ? "holds no rows"
                             : "a quote is opened in its first row and never closed");
    }
    const Sample sample = choose(std::move(samples));

    CsvLayout layout;
    layout.dialect = sample.dialect;
    layout.named = has_header(sample, options);
    const int64_t columns = sample.cells(0) - (ends_with_delimiter(sample) ? 1 : 0);
    for (int64_t column = 0; column < columns; ++column) {
        const std::string title = layout.named ? sample.cell(0, column) : "";
        layout.columns.push_back(title.empty() ? std::to_string(column + 1) : title);
    }
    const CsvIndex::Row& row = sample.index.rows()[sample.first];
    size_t begin = sample.index.begin(row, 0);
    layout.line = 1 + options.skip_rows + row.line;
    if (layout.named) {
        const size_t behind = next_row(rest, sample.index.end(row, row.cells - 1));
        layout.line += count_lines(rest.substr(begin, behind - begin));
        begin = behind;
    }
    layout.begin = static_cast<size_t>(rest.data() - text.data()) + begin;

    if (!options.names.empty()) {
        layout.columns = renamed_columns(name, layout.columns, layout.named, options.names);
        layout.named = true;
    }
    return layout;
}

}  // namespace cmr::io
