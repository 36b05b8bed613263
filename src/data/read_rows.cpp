#include "data/read_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/pattern.h"
#include "data/align.h"
#include "data/channels.h"
#include "data/gaps.h"
#include "data/labels.h"
#include "data/resample.h"
#include "data/time_track.h"
#include "io/text/time.h"

namespace cmr::data {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

// The value as it is kept; absent and infinite ones obey the gap policy. Among rows that will be resampled a cell may
// be empty: another sensor's row.
float keep(double value, const recipe::Data& data, bool resampled, const io::Table& table, int64_t line,
           const std::string& channel) {
    if (std::abs(value) <= std::numeric_limits<float>::max()) return static_cast<float>(value);
    if (data.gaps != "error" || (resampled && std::isnan(value))) return kAbsent;
    throw InputError(
        "{}: channel '{}' {}, and gaps = \"error\" allows none; \"drop-window\" would leave out its windows",
        table.place(line), channel, std::isnan(value) ? "has no value" : "is infinite or too large");
}

bool has_column(const io::Table& table, const std::string& column) {
    return std::ranges::any_of(table.columns(), [&](const std::string& name) { return matches(name, column); });
}

// What resampling left absent, where the gap policy allows nothing to be.
void refuse_absent(const Recording& recording, const std::vector<const SourceChannel*>& channels,
                   const recipe::Recipe& recipe, const std::string& name) {
    for (size_t c = 0; c < channels.size(); ++c)
        for (int64_t i = 0; i < recording.length(); ++i)
            if (std::isnan(recording.channels[c][i])) {
                const double time_s = time_of(recording, i, recipe.data.rate_hz);
                throw InputError(
                    "{}: channel '{}' has no value to resample at {}, and gaps = \"error\" allows none; "
                    "\"drop-window\" would leave out its windows",
                    name, channels[c]->name, recording.dated ? io::format_time(time_s) : fmt::format("{} s", time_s));
            }
}

// Reads the channels of one rate. The first call for a file also reads time stamps and labels.
class RowReader {
  public:
    RowReader(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part, Storage storage)
        : file_(file), recipe_(recipe), part_(part), storage_(storage) {}

    void read_main(const std::vector<const SourceChannel*>& channels, RawRecording& out) {
        const recipe::Data& data = recipe_.data;
        const auto table = io::open_table(file_.path, part_.read);
        std::vector<io::Selection> columns = select(*table, channels);
        const recipe::Labels& labels = data.labels;
        const bool by_label = part_.state == "labels" && labels.file.empty() && !labels.column.empty();
        const bool by_keep = labels.file.empty() && !labels.keep_column.empty() &&
                             (part_.state != "unknown" || has_column(*table, labels.keep_column));
        if (by_label) columns.push_back({table->find(labels.column), io::ColumnKind::kText});
        if (by_keep) columns.push_back({table->find(labels.keep_column), io::ColumnKind::kText});
        TimeTrack time(data, part_.time);
        if (time.used()) columns.push_back({table->find(part_.time.column), io::ColumnKind::kTime});
        table->select(columns);

        const size_t numbers = channels.size() + (time.used() ? 1 : 0);
        const size_t texts = (by_label ? 1 : 0) + (by_keep ? 1 : 0);
        out.recording.channels.assign(channels.size(), Samples(storage_));
        std::string last_label, last_keep;
        int32_t stratum = -1;
        State state = State::kHealthy;
        bool judged = false;
        int64_t skip = part_.skip_samples;
        std::vector<double> times_s;  // of rows that will be resampled
        io::TableBlock block;
        while (table->read(block))
            for (int64_t row = 0; row < block.rows; ++row) {
                if (skip > 0) {
                    --skip;
                    continue;
                }
                const double* values = block.numbers.data() + row * static_cast<int64_t>(numbers);
                const int64_t line = block.lines[row];
                if (time.used()) {
                    const auto missing = time.advance(values[channels.size()], *table, line);
                    if (!missing) continue;
                    for (Samples& channel : out.recording.channels)
                        for (int64_t i = 0; i < *missing; ++i) channel.push_back(kAbsent);
                    append_span(out.recording.spans, *missing, state, stratum);
                    if (time.resampled()) times_s.push_back(values[channels.size()]);
                }
                for (size_t c = 0; c < channels.size(); ++c)
                    out.recording.channels[c].push_back(
                        keep(values[c], data, time.resampled(), *table, line, channels[c]->name));
                const std::string* row_texts = block.texts.data() + row * static_cast<int64_t>(texts);
                const std::string_view label = by_label ? std::string_view(row_texts[0]) : std::string_view();
                const std::string_view keep_text =
                    by_keep ? std::string_view(row_texts[by_label ? 1 : 0]) : std::string_view();
                if (!judged || label != last_label || keep_text != last_keep) {
                    RowLabel verdict =
                        by_label || by_keep ? judge_row(label, keep_text, by_label, table->place(line)) : RowLabel{};
                    state = verdict.state;
                    stratum = intern(out.strata, verdict.stratum);
                    last_label = label;
                    last_keep = keep_text;
                    judged = true;
                }
                append_span(out.recording.spans, 1, state, stratum);
            }
        if (out.recording.length() == 0)
            throw InputError(
                "{}: no rows{}", table->name(),
                part_.skip_samples > 0 ? fmt::format(" left after skip_samples = {}", part_.skip_samples) : "");
        out.recording.dated = time.dated();
        out.recording.repeated = time.repeated();
        out.recording.segments = std::move(time).finish(out.recording.length(), table->name());
        if (times_s.empty()) return;
        resample(out.recording, times_s, part_.time, data.rate_hz);
        if (data.gaps == "error") refuse_absent(out.recording, channels, recipe_, table->name());
    }

    // Channels of one other rate, brought to the recording's length.
    std::vector<Samples> read_other(const std::vector<const SourceChannel*>& channels, int64_t length) {
        const auto table = io::open_table(file_.path, part_.read);
        table->select(select(*table, channels));
        std::vector<std::vector<float>> values(channels.size());
        // The same stretch of time as the main channels leave out.
        int64_t skip =
            std::llround(static_cast<double>(part_.skip_samples) * channels.front()->rate_hz / recipe_.data.rate_hz);
        io::TableBlock block;
        while (table->read(block))
            for (int64_t row = 0; row < block.rows; ++row) {
                if (skip > 0) {
                    --skip;
                    continue;
                }
                for (size_t c = 0; c < channels.size(); ++c)
                    values[c].push_back(keep(block.numbers[row * channels.size() + c], recipe_.data, false, *table,
                                             block.lines[row], channels[c]->name));
            }
        std::vector<Samples> out;
        for (size_t c = 0; c < channels.size(); ++c) {
            // A stretch may end with a part of a slow sample: one sample more or less is right.
            const double expected = static_cast<double>(length) * channels[c]->rate_hz / recipe_.data.rate_hz;
            if (values[c].empty() || std::abs(static_cast<double>(values[c].size()) - expected) > 1.5 + 1e-3 * expected)
                throw InputError("{}: channel '{}' has {} samples, but {} Hz means {:.0f} where the others have {}",
                                 table->name(), channels[c]->name, values[c].size(), channels[c]->rate_hz, expected,
                                 length);
            out.emplace_back(storage_);
            out.back().append(align(values[c], length, channels[c]->align));
        }
        return out;
    }

  private:
    static std::vector<io::Selection> select(const io::Table& table,
                                             const std::vector<const SourceChannel*>& channels) {
        std::vector<io::Selection> columns;
        for (const SourceChannel* channel : channels)
            columns.push_back({table.find(channel->column), io::ColumnKind::kNumber});
        return columns;
    }

    RowLabel judge_row(std::string_view label, std::string_view keep_text, bool by_label,
                       const std::string& place) const {
        recipe::Labels labels = recipe_.data.labels;
        if (!by_label) labels.column.clear();
        return label_row(labels, label, keep_text, place);
    }

    const FoundFile& file_;
    const recipe::Recipe& recipe_;
    const recipe::Part& part_;
    Storage storage_;
};

}  // namespace

RawRecording read_rows(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part, Storage storage) {
    const std::vector<SourceChannel> sources = source_channels(recipe);
    std::vector<const SourceChannel*> main;
    std::map<double, std::vector<size_t>> other;  // by rate, as the arrays of one rate have one length
    for (size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].rate_hz == recipe.data.rate_hz)
            main.push_back(&sources[i]);
        else
            other[sources[i].rate_hz].push_back(i);
    }
    if (main.empty()) throw InputError("{}: no channel has the data's rate of {} Hz", recipe.name, recipe.data.rate_hz);

    RawRecording out;
    out.recording.name = file.name;
    RowReader reader(file, recipe, part, storage);
    reader.read_main(main, out);
    if (!other.empty()) {
        std::vector<Samples> all(sources.size());
        for (const auto& [unused, indices] : other) {
            std::vector<const SourceChannel*> channels;
            for (const size_t i : indices) channels.push_back(&sources[i]);
            std::vector<Samples> aligned = reader.read_other(channels, out.recording.length());
            for (size_t c = 0; c < indices.size(); ++c) all[indices[c]] = std::move(aligned[c]);
        }
        size_t next_main = 0;
        for (size_t i = 0; i < sources.size(); ++i)
            if (sources[i].rate_hz == recipe.data.rate_hz) all[i] = std::move(out.recording.channels[next_main++]);
        out.recording.channels = std::move(all);
    }
    fill_gaps(out.recording, recipe.data.max_gap);
    return out;
}

}  // namespace cmr::data
