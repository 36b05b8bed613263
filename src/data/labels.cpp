#include "data/labels.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "io/text/number.h"
#include "io/text/time.h"

namespace cmr::data {
namespace {

std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (!std::isspace(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// The index of a label in a list; -1 where it is not there.
int64_t index_of(std::string_view label, const std::vector<std::string>& values) {
    for (size_t i = 0; i < values.size(); ++i)
        if (same_label(label, values[i])) return static_cast<int64_t>(i);
    return -1;
}

// The end of an event: a full date, or a time of day after the start.
double end_of_event(const std::string& text, double start_s, io::DateOrder order, io::TimeUnit unit,
                    const std::string& place) {
    constexpr double kDay = 86400;
    if (const auto time_of_day = io::parse_time_of_day(text)) {
        const double end_s = std::floor(start_s / kDay) * kDay + *time_of_day;
        return end_s < start_s ? end_s + kDay : end_s;
    }
    const auto end_s = io::parse_time(text, order, unit);
    // A workbook keeps a time of day as a moment of the last day of 1899.
    if (end_s && *end_s < 0) return end_of_event(io::format_time(*end_s).substr(11), start_s, order, unit, place);
    if (!end_s) throw InputError("{}: an event ends at '{}', expected a date and time or a time of day", place, text);
    return *end_s;
}

}  // namespace

bool same_label(std::string_view a, std::string_view b) {
    const std::string x = plain(a), y = plain(b);
    if (x == y) return true;
    const auto left = io::parse_number(x), right = io::parse_number(y);
    return left && right && *left == *right;
}

RowLabel label_row(const recipe::Labels& labels, std::string_view label, std::string_view keep,
                   const std::string& place) {
    if (!labels.keep_column.empty() && index_of(keep, labels.keep) < 0)
        return {.state = State::kExcluded, .stratum = {}};
    if (labels.column.empty()) return {};
    if (const int64_t faulty = index_of(label, labels.faulty); faulty >= 0)
        return {.state = State::kFaulty, .stratum = labels.strata.empty() ? "" : labels.strata[faulty]};
    if (index_of(label, labels.healthy) >= 0) return {};
    if (plain(label).empty()) throw InputError("{}: no label in column '{}'", place, labels.column);
    if (labels.faulty.empty()) return {.state = State::kFaulty, .stratum = {}};
    if (labels.healthy.empty()) return {};
    throw InputError("{}: the label '{}' in column '{}' is neither healthy ({}) nor faulty ({})", place, label,
                     labels.column, fmt::join(labels.healthy, ", "), fmt::join(labels.faulty, ", "));
}

std::vector<std::string> label_columns(const recipe::Labels& labels) {
    if (!labels.columns.empty()) return labels.columns;
    return labels.column.empty() ? std::vector<std::string>() : std::vector<std::string>{labels.column};
}

RowLabel label_row(const recipe::Labels& labels, std::span<const std::string> texts, const std::string& place) {
    const std::string_view keep = labels.keep_column.empty() ? std::string_view() : std::string_view(texts.back());
    if (labels.columns.empty()) return label_row(labels, labels.column.empty() ? "" : texts[0], keep, place);
    RowLabel out;
    recipe::Labels one = labels;
    one.strata.clear();
    for (size_t i = 0; i < labels.columns.size(); ++i) {
        one.column = labels.columns[i];
        const RowLabel label = label_row(one, texts[i], keep, place);
        if (label.state == State::kExcluded) return label;
        if (label.state != State::kFaulty || out.state == State::kFaulty) continue;
        out = {.state = State::kFaulty, .stratum = labels.strata.empty() ? labels.columns[i] : labels.strata[i]};
    }
    return out;
}

void append_span(std::vector<Span>& spans, int64_t samples, State state, int32_t stratum) {
    if (samples <= 0) return;
    const int64_t begin = spans.empty() ? 0 : spans.back().end;
    if (!spans.empty() && spans.back().state == state && spans.back().stratum == stratum)
        spans.back().end += samples;
    else
        spans.push_back({.begin = begin, .end = begin + samples, .state = state, .stratum = stratum, .event = -1});
}

int32_t intern(std::vector<std::string>& names, const std::string& name) {
    if (name.empty()) return -1;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        names.push_back(name);
        return static_cast<int32_t>(names.size() - 1);
    }
    return static_cast<int32_t>(found - names.begin());
}

std::vector<Event> read_events(const recipe::Events& wanted, const fs::path& root) {
    std::vector<Event> events;
    if (wanted.file.empty()) return events;
    const fs::path path = root / wanted.file;
    // Without the list that labels them, faulty rows would pass as healthy.
    if (wanted.optional && !wanted.label && !fs::exists(path)) return events;
    const auto table = io::open_table(path, wanted.read);
    std::vector<io::Selection> columns;
    for (const std::string& name : {wanted.start, wanted.end, wanted.name, wanted.target})
        if (!name.empty()) columns.push_back({table->find(name), io::ColumnKind::kText});
    table->select(columns);

    struct Row {
        std::string start, end, name, target, place;
    };
    std::vector<Row> rows;
    io::DateOrderGuess order(wanted.read.date_order);
    io::TableBlock block;
    while (table->read(block))
        for (int64_t i = 0; i < block.rows; ++i) {
            const std::string* texts = block.texts.data() + std::ssize(columns) * i;
            if (texts[0].empty()) continue;  // a listed fault that was not carried out
            order.observe(texts[0]);
            const std::string name = wanted.name.empty() ? std::to_string(rows.size() + 1) : texts[2];
            const std::string target = wanted.target.empty() ? "" : texts[columns.size() - 1];
            rows.push_back({texts[0], texts[1], name, target, table->place(block.lines[i])});
        }
    const io::DateOrder dates = order.settle(table->name(), wanted.start);
    const io::TimeUnit unit = io::time_unit(wanted.read.time_unit);
    for (const Row& row : rows) {
        const auto start_s = io::parse_time(row.start, dates, unit);
        if (!start_s) throw InputError("{}: an event starts at '{}', expected a date and time", row.place, row.start);
        const double end_s = end_of_event(row.end, *start_s, dates, unit, row.place);
        if (end_s < *start_s)
            throw InputError("{}: an event ends ({}) before it starts ({})", row.place, row.end, row.start);
        events.push_back({.name = row.name, .target = row.target, .start_s = *start_s, .end_s = end_s});
    }
    return events;
}

void apply_events(Recording& recording, const std::vector<Event>& events, bool label, double rate_hz) {
    if (events.empty()) return;
    if (!recording.dated) {
        if (!label) return;
        throw InputError("{}: its rows have no dates, so the events cannot tell which of them are faulty",
                         recording.name);
    }
    // Every border of a span or an event cuts; each piece is then one thing.
    std::vector<int64_t> cuts;
    for (const Span& span : recording.spans) cuts.push_back(span.begin);
    struct Piece {
        int64_t begin, end;
        int32_t event;
    };
    std::vector<Piece> pieces;
    for (size_t e = 0; e < events.size(); ++e)
        for (const Segment& segment : recording.segments) {
            const auto sample = [&](double time_s, bool after) {
                const double offset = (time_s - segment.start_s) * rate_hz;
                const double index = after ? std::floor(offset + 1e-6) + 1 : std::ceil(offset - 1e-6);
                return segment.begin +
                       static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(segment.end - segment.begin)));
            };
            const int64_t begin = sample(events[e].start_s, false), end = sample(events[e].end_s, true);
            if (begin >= end) continue;
            pieces.push_back({begin, end, static_cast<int32_t>(e)});
            cuts.insert(cuts.end(), {begin, end});
        }
    if (pieces.empty()) return;
    cuts.push_back(recording.length());
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

    std::vector<Span> spans;
    size_t old = 0;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
        while (recording.spans[old].end <= cuts[i]) ++old;
        Span span = recording.spans[old];
        span.begin = cuts[i];
        span.end = cuts[i + 1];
        for (const Piece& piece : pieces)
            if (piece.begin <= span.begin && span.end <= piece.end) {
                if (label && span.state == State::kHealthy) span.state = State::kFaulty;
                if (span.state == State::kFaulty) span.event = piece.event;
            }
        const bool same = !spans.empty() && spans.back().state == span.state && spans.back().stratum == span.stratum &&
                          spans.back().event == span.event;
        if (same)
            spans.back().end = span.end;
        else
            spans.push_back(span);
    }
    recording.spans = std::move(spans);
}

}  // namespace cmr::data
