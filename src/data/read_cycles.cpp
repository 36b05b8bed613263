#include "data/read_cycles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/suggest.h"
#include "data/align.h"
#include "data/channels.h"
#include "data/gaps.h"
#include "data/labels.h"
#include "data/made_channels.h"

namespace cmr::data {
namespace {

bool has_file(const SourceChannel& channel, const std::vector<FoundFile>& files) {
    return std::ranges::any_of(files, [&](const FoundFile& f) { return f.captures.at("channel") == channel.column; });
}

const FoundFile& file_of(const SourceChannel& channel, const std::vector<FoundFile>& files, const recipe::Part& part) {
    std::vector<std::string> names;
    for (const FoundFile& file : files) {
        names.push_back(file.captures.at("channel"));
        if (names.back() == channel.column) return file;
    }
    const auto hint = suggest(channel.column, names);
    throw InputError(
        "{}: no file holds the channel '{}'; {}", part.files, channel.column,
        hint ? fmt::format("the nearest is {}", *hint) : fmt::format("there are {}", fmt::join(names, ", ")));
}

struct CycleRows {
    Samples samples;
    int64_t cycles = 0;
};

// All cycles of one channel, each brought to `per_cycle` samples.
CycleRows read_channel(const FoundFile& file, const SourceChannel& channel, const recipe::Recipe& recipe,
                       const recipe::Part& part, int64_t per_cycle, Storage storage) {
    const auto table = io::open_table(file.path, part.read);
    const auto columns = static_cast<int64_t>(table->columns().size());
    if (channel.rate_hz != recipe.data.rate_hz && std::llround(channel.rate_hz * recipe.data.cycle_s) != columns)
        throw InputError("{}: {} samples per cycle, but {} Hz over {} s means {}", table->name(), columns,
                         channel.rate_hz, recipe.data.cycle_s, std::llround(channel.rate_hz * recipe.data.cycle_s));
    if (channel.rate_hz == recipe.data.rate_hz && per_cycle % columns != 0 && columns % per_cycle != 0)
        throw InputError(
            "{}: {} samples per cycle, expected {} or a simple ratio to it; if the channel has another rate, say its "
            "rate_hz",
            table->name(), columns, per_cycle);
    std::vector<io::Selection> all(columns);
    for (int64_t i = 0; i < columns; ++i) all[i].column = i;
    table->select(all);

    CycleRows out{.samples = Samples(storage), .cycles = 0};
    std::vector<float> cycle(columns);
    io::TableBlock block;
    while (table->read(block))
        for (int64_t row = 0; row < block.rows; ++row, ++out.cycles) {
            for (int64_t i = 0; i < columns; ++i) {
                const double value = block.numbers[row * columns + i];
                const bool present = std::abs(value) <= std::numeric_limits<float>::max();
                if (!present && recipe.data.gaps == "error")
                    throw InputError(
                        "{}: sample {} of the cycle {}, and gaps = \"error\" allows none; \"drop-window\" would "
                        "leave the cycle out",
                        table->place(block.lines[row]), i + 1,
                        std::isnan(value) ? "has no value" : "is infinite or too large");
                cycle[i] = present ? to_step(static_cast<float>(value), channel.step)
                                   : std::numeric_limits<float>::quiet_NaN();
            }
            out.samples.append(align(cycle, per_cycle, channel.align));
        }
    return out;
}

// One verdict per cycle.
void read_labels(const recipe::Labels& labels, const fs::path& root, int64_t cycles, int64_t per_cycle,
                 const std::string& name, RawRecording& out) {
    const auto table = io::open_table(root / labels.file, labels.read);
    std::vector<io::Selection> columns;
    for (const std::string& column : label_columns(labels))
        columns.push_back({table->find(column), io::ColumnKind::kText});
    if (!labels.keep_column.empty()) columns.push_back({table->find(labels.keep_column), io::ColumnKind::kText});
    table->select(columns);
    int64_t rows = 0;
    io::TableBlock block;
    while (table->read(block))
        for (int64_t row = 0; row < block.rows; ++row, ++rows) {
            const auto texts = std::span(block.texts).subspan(row * columns.size(), columns.size());
            const RowLabel verdict = label_row(labels, texts, table->place(block.lines[row]));
            append_span(out.recording.spans, per_cycle, verdict.state, intern(out.strata, verdict.stratum));
        }
    if (rows != cycles) throw InputError("{}: {} rows, but {} has {} cycles", table->name(), rows, name, cycles);
}

}  // namespace

RawRecording read_cycles(const std::vector<FoundFile>& files, const recipe::Recipe& recipe, const recipe::Part& part,
                         const fs::path& root, Storage storage) {
    const recipe::Data& data = recipe.data;
    const int64_t per_cycle = std::llround(data.rate_hz * data.cycle_s);
    if (per_cycle < 1 || std::abs(data.rate_hz * data.cycle_s - static_cast<double>(per_cycle)) > 1e-6 * data.cycle_s)
        throw InputError("{}: rate_hz = {} and cycle_s = {} give {} samples per cycle, expected a whole number",
                         recipe.name, data.rate_hz, data.cycle_s, data.rate_hz * data.cycle_s);
    RawRecording out;
    int64_t cycles = -1;
    std::string first_file;
    const std::vector<SourceChannel> channels = source_channels(recipe);
    for (const SourceChannel& channel : columns_of(channels)) {
        // New data may lack a channel, unless gaps are errors.
        if (part.state == "unknown" && data.gaps != "error" && !has_file(channel, files)) {
            out.recording.channels.emplace_back(storage);
            continue;
        }
        const FoundFile& file = file_of(channel, files, part);
        CycleRows rows = read_channel(file, channel, recipe, part, per_cycle, storage);
        if (cycles >= 0 && rows.cycles != cycles)
            throw InputError("{}: {} cycles, but {} has {}", file.name, rows.cycles, first_file, cycles);
        cycles = rows.cycles;
        if (first_file.empty()) first_file = file.name;
        out.recording.channels.push_back(std::move(rows.samples));
    }
    if (cycles <= 0) throw InputError("{}: no cycles", first_file);
    for (Samples& channel : out.recording.channels)
        if (channel.size() == 0)
            channel.append(std::vector<float>(cycles * per_cycle, std::numeric_limits<float>::quiet_NaN()));
    out.recording.name = first_file;
    for (int64_t i = 0; i < cycles; ++i)
        out.recording.segments.push_back(
            {.begin = i * per_cycle, .end = (i + 1) * per_cycle, .start_s = static_cast<double>(i) * data.cycle_s});
    recipe::Labels labels = data.labels;
    if (part.state != "labels") {  // the part says it, but not which cycles to keep
        labels.column.clear();
        labels.columns.clear();
    }
    if (!labels.file.empty() && !(label_columns(labels).empty() && labels.keep_column.empty()))
        read_labels(labels, root, cycles, per_cycle, first_file, out);
    else
        append_span(out.recording.spans, cycles * per_cycle, State::kHealthy, -1);
    fill_gaps(out.recording, data.max_gap);
    make_channels(out.recording, channels, data.rate_hz);
    return out;
}

}  // namespace cmr::data
