#include "data/read_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "base/error.h"
#include "data/align.h"
#include "data/channels.h"
#include "data/gaps.h"
#include "data/labels.h"
#include "data/made_channels.h"
#include "data/resample.h"
#include "data/row_labels.h"
#include "data/time_track.h"
#include "io/text/time.h"

namespace cmr::data {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

// The value as it is kept; absent and infinite ones obey the gap policy. Among rows that will be resampled a cell may
// be empty: another sensor's row.
float keep(double value, const recipe::Data& data, bool resampled, const io::Table& table, int64_t line,
           const SourceChannel& channel) {
    if (std::abs(value) <= std::numeric_limits<float>::max()) return to_step(static_cast<float>(value), channel.step);
    if (data.gaps != "error" || (resampled && std::isnan(value))) return kAbsent;
    throw InputError(
        "{}: channel '{}' {}, and gaps = \"error\" allows none; \"drop-window\" would leave out its windows",
        table.place(line), channel.name, std::isnan(value) ? "has no value" : "is infinite or too large");
}

// What resampling left absent, where the gap policy allows nothing to be.
void refuse_absent(const Samples& samples, const std::string& channel, const Recording& recording,
                   const recipe::Data& data, const std::string& name) {
    if (data.gaps != "error") return;
    for (int64_t i = 0; i < samples.size(); ++i)
        if (std::isnan(samples[i])) {
            const double time_s = time_of(recording, i, data.rate_hz);
            throw InputError(
                "{}: channel '{}' has no value to resample at {}, and gaps = \"error\" allows none; \"drop-window\" "
                "would leave out its windows",
                name, channel, recording.dated ? io::format_time(time_s) : fmt::format("{} s", time_s));
        }
}

// Those whose column is there. New data may lack some, unless gaps are errors.
std::vector<const SourceChannel*> present(const std::vector<const SourceChannel*>& channels, const io::Table& table,
                                          const recipe::Recipe& recipe, const recipe::Part& part) {
    std::vector<const SourceChannel*> out = channels;
    if (part.state == "unknown" && recipe.data.gaps != "error")
        std::erase_if(out, [&](const SourceChannel* channel) { return !table.has(channel->column); });
    return out;
}

// The samples of all `channels`: of those that are there as they were read, of the others absent.
std::vector<Samples> with_absent(std::vector<Samples> samples, const std::vector<const SourceChannel*>& there,
                                 const std::vector<const SourceChannel*>& channels, int64_t length, Storage storage) {
    std::vector<Samples> out;
    for (size_t i = 0, next = 0; i < channels.size(); ++i) {
        if (next < there.size() && there[next] == channels[i]) {
            out.push_back(std::move(samples[next++]));
            continue;
        }
        out.emplace_back(storage);
        out.back().append(std::vector<float>(length, kAbsent));
    }
    return out;
}

// Reads the channels of one rate. The first call for a file also reads time stamps and labels.
class RowReader {
  public:
    RowReader(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part, const fs::path& root,
              Storage storage)
        : file_(file), recipe_(recipe), part_(part), root_(root), storage_(storage) {}

    void read_main(const std::vector<const SourceChannel*>& channels, RawRecording& out) {
        const auto table = io::open_table(file_.path, part_.read);
        const std::vector<const SourceChannel*> there = present(channels, *table, recipe_, part_);
        if (there.empty()) table->find(channels.front()->column);  // says what is there instead
        read_present(*table, there, out);
        const int64_t length = out.recording.length();
        out.recording.channels = with_absent(std::move(out.recording.channels), there, channels, length, storage_);
    }

    // Channels of one other rate, brought to the recording's.
    std::vector<Samples> read_other(const std::vector<const SourceChannel*>& channels, const Recording& main) {
        const auto table = io::open_table(file_.path, part_.read);
        const std::vector<const SourceChannel*> there = present(channels, *table, recipe_, part_);
        std::vector<Samples> out;
        if (!there.empty()) out = read_present(*table, there, main);
        return with_absent(std::move(out), there, channels, main.length(), storage_);
    }

    // Channels of a joined file, brought to the samples of the recording.
    std::vector<Samples> read_joined(const recipe::Join& join, const std::vector<const SourceChannel*>& channels,
                                     const Recording& recording) {
        recipe::Data data = recipe_.data;
        data.gaps = "drop-window";  // a step in its time is what resampling makes of it
        const auto table = io::open_table(root_ / fill_in(join.files, file_.captures), join.read);
        std::vector<io::Selection> columns = select(*table, channels);
        columns.push_back({table->find(join.time.column), io::ColumnKind::kTime});
        table->select(columns);
        TimeTrack time(data, join.time);
        std::vector<double> times_s;
        std::vector<std::vector<float>> values(channels.size());
        for (io::TableBlock block; table->read(block);)
            for (int64_t row = 0; row < block.rows; ++row) {
                const double* numbers = block.numbers.data() + row * static_cast<int64_t>(columns.size());
                if (!time.advance(numbers[channels.size()], *table, block.lines[row])) continue;
                times_s.push_back(numbers[channels.size()]);
                for (size_t c = 0; c < channels.size(); ++c)
                    values[c].push_back(keep(numbers[c], recipe_.data, true, *table, block.lines[row], *channels[c]));
            }
        std::vector<Samples> out;
        for (size_t c = 0; c < channels.size(); ++c) {
            Samples& samples = out.emplace_back(storage_);
            for (const Segment& segment : recording.segments)
                samples.append(resample(times_s, values[c], segment.start_s, segment.end - segment.begin,
                                        recipe_.data.rate_hz, join.time));
            refuse_absent(samples, channels[c]->name, recording, recipe_.data, table->name());
        }
        return out;
    }

    // Where each column is: in the file itself, -1, or in which joined one. What is nowhere is looked for in the file.
    std::vector<int64_t> homes(const std::vector<SourceChannel>& channels) const {
        std::vector<int64_t> out(channels.size(), -1);
        if (part_.join.empty()) return out;
        const auto own = io::open_table(file_.path, part_.read);
        for (size_t j = part_.join.size(); j-- > 0;) {
            const recipe::Join& join = part_.join[j];
            const auto table = io::open_table(root_ / fill_in(join.files, file_.captures), join.read);
            for (size_t c = 0; c < channels.size(); ++c)
                if (!own->has(channels[c].column) && table->has(channels[c].column)) out[c] = static_cast<int64_t>(j);
        }
        return out;
    }

  private:
    void read_present(io::Table& table, const std::vector<const SourceChannel*>& channels, RawRecording& out) {
        const recipe::Data& data = recipe_.data;
        std::vector<io::Selection> columns = select(table, channels);
        RowLabels labels(data.labels, part_, file_, root_, table);
        columns.insert(columns.end(), labels.columns().begin(), labels.columns().end());
        TimeTrack time(data, part_.time);
        if (time.used()) columns.push_back({table.find(part_.time.column), io::ColumnKind::kTime});
        table.select(columns);

        const size_t numbers = channels.size() + (time.used() ? 1 : 0);
        const size_t texts = labels.columns().size();
        out.recording.channels.assign(channels.size(), Samples(storage_));
        int32_t stratum = -1;
        State state = State::kHealthy;
        int64_t rows = 0;
        std::vector<double> times_s;  // of rows that will be resampled
        io::TableBlock block;
        while (table.read(block))
            for (int64_t row = 0; row < block.rows; ++row) {
                if (rows++ < part_.skip_samples) continue;
                const double* values = block.numbers.data() + row * static_cast<int64_t>(numbers);
                const int64_t line = block.lines[row];
                if (time.used()) {
                    const auto missing = time.advance(values[channels.size()], table, line);
                    if (!missing) continue;
                    for (Samples& channel : out.recording.channels)
                        for (int64_t i = 0; i < *missing; ++i) channel.push_back(kAbsent);
                    append_span(out.recording.spans, *missing, state, stratum);
                    if (time.resampled()) times_s.push_back(values[channels.size()]);
                }
                for (size_t c = 0; c < channels.size(); ++c)
                    out.recording.channels[c].push_back(
                        keep(values[c], data, time.resampled(), table, line, *channels[c]));
                const auto row_texts = std::span(block.texts).subspan(row * texts, texts);
                const double time_s = time.used() ? values[channels.size()] : 0;
                if (const RowLabel* label = labels.next(row_texts, rows - 1, time_s, table, line)) {
                    state = label->state;
                    stratum = intern(out.strata, label->stratum);
                }
                append_span(out.recording.spans, 1, state, stratum);
            }
        if (out.recording.length() == 0)
            throw InputError(
                "{}: no rows{}", table.name(),
                part_.skip_samples > 0 ? fmt::format(" left after skip_samples = {}", part_.skip_samples) : "");
        labels.finish(rows, table);
        out.recording.dated = time.dated();
        out.recording.repeated = time.repeated();
        out.recording.segments = std::move(time).finish(out.recording.length(), table.name());
        if (times_s.empty()) return;
        resample(out.recording, times_s, part_.time, data.rate_hz);
        for (size_t c = 0; c < channels.size(); ++c)
            refuse_absent(out.recording.channels[c], channels[c]->name, out.recording, data, table.name());
    }

    std::vector<Samples> read_present(io::Table& table, const std::vector<const SourceChannel*>& channels,
                                      const Recording& main) {
        const int64_t length = main.length();
        table.select(select(table, channels));
        std::vector<std::vector<float>> values(channels.size());
        // The same stretch of time as the main channels leave out.
        int64_t skip =
            std::llround(static_cast<double>(part_.skip_samples) * channels.front()->rate_hz / recipe_.data.rate_hz);
        io::TableBlock block;
        while (table.read(block))
            for (int64_t row = 0; row < block.rows; ++row) {
                if (skip > 0) {
                    --skip;
                    continue;
                }
                for (size_t c = 0; c < channels.size(); ++c)
                    values[c].push_back(keep(block.numbers[row * channels.size() + c], recipe_.data, false, table,
                                             block.lines[row], *channels[c]));
            }
        std::vector<Samples> out;
        for (size_t c = 0; c < channels.size(); ++c) {
            // A stretch may end with a part of a slow sample: one sample more or less is right.
            const double expected = static_cast<double>(length) * channels[c]->rate_hz / recipe_.data.rate_hz;
            if (values[c].empty() || std::abs(static_cast<double>(values[c].size()) - expected) > 1.5 + 1e-3 * expected)
                throw InputError("{}: channel '{}' has {} samples, but {} Hz means {:.0f} where the others have {}",
                                 table.name(), channels[c]->name, values[c].size(), channels[c]->rate_hz, expected,
                                 length);
            out.emplace_back(storage_);
            if (std::abs(static_cast<double>(values[c].size()) - expected) > 1.5)  // clocks that drift
                out.back().append(align(values[c], length, channels[c]->align));
            else
                align_segments(values[c], main.segments, *channels[c], out.back());
        }
        return out;
    }

    // Each segment from its own beginning, so that a stream, which does not know how long it will be, has the same.
    void align_segments(std::span<const float> values, const std::vector<Segment>& segments,
                        const SourceChannel& channel, Samples& to) const {
        const Ratio ratio = ratio_of(channel.rate_hz, recipe_.data.rate_hz);
        const auto given = static_cast<int64_t>(values.size());
        const auto place = [&](int64_t sample) {
            return std::clamp<int64_t>(std::llround(static_cast<double>(sample) * static_cast<double>(ratio.given) /
                                                    static_cast<double>(ratio.wanted)),
                                       0, given);
        };
        for (const Segment& segment : segments) {
            const int64_t begin = std::min(place(segment.begin), given - 1);
            const int64_t end = segment.end == segments.back().end ? given : std::max(place(segment.end), begin + 1);
            to.append(align(values.subspan(begin, end - begin), segment.end - segment.begin, ratio, channel.align));
        }
    }

    static std::vector<io::Selection> select(const io::Table& table,
                                             const std::vector<const SourceChannel*>& channels) {
        std::vector<io::Selection> columns;
        for (const SourceChannel* channel : channels)
            columns.push_back({table.find(channel->column), io::ColumnKind::kNumber});
        return columns;
    }

    const FoundFile& file_;
    const recipe::Recipe& recipe_;
    const recipe::Part& part_;
    const fs::path& root_;
    Storage storage_;
};

}  // namespace

RawRecording read_rows(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part,
                       const fs::path& root, Storage storage) {
    const std::vector<SourceChannel> wanted = source_channels(recipe), sources = columns_of(wanted);
    RowReader reader(file, recipe, part, root, storage);
    const std::vector<int64_t> homes = reader.homes(sources);
    std::vector<size_t> main;
    std::map<std::pair<int64_t, double>, std::vector<size_t>> other;  // by joined file, and by rate, as the arrays of
                                                                      // one rate have one length
    for (size_t i = 0; i < sources.size(); ++i) {
        if (homes[i] < 0 && sources[i].rate_hz == recipe.data.rate_hz)
            main.push_back(i);
        else
            other[{homes[i], homes[i] < 0 ? sources[i].rate_hz : 0}].push_back(i);
    }
    if (main.empty()) throw InputError("{}: no channel has the data's rate of {} Hz", recipe.name, recipe.data.rate_hz);
    const auto chosen = [&](const std::vector<size_t>& indices) {
        std::vector<const SourceChannel*> channels;
        for (const size_t i : indices) channels.push_back(&sources[i]);
        return channels;
    };

    RawRecording out;
    out.recording.name = file.name;
    reader.read_main(chosen(main), out);
    std::vector<Samples> all(sources.size());
    for (const auto& [home, indices] : other) {
        std::vector<Samples> aligned = home.first < 0
                                           ? reader.read_other(chosen(indices), out.recording)
                                           : reader.read_joined(part.join[home.first], chosen(indices), out.recording);
        for (size_t c = 0; c < indices.size(); ++c) all[indices[c]] = std::move(aligned[c]);
    }
    for (size_t c = 0; c < main.size(); ++c) all[main[c]] = std::move(out.recording.channels[c]);
    out.recording.channels = std::move(all);
    fill_gaps(out.recording, recipe.data.max_gap);
    make_channels(out.recording, wanted, recipe.data.rate_hz);
    return out;
}

}  // namespace cmr::data
