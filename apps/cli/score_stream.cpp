#include "score_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "data/channels.h"
#include "data/labels.h"
#include "data/new_data.h"
#include "data/time_track.h"
#include "io/json_fields.h"
#include "io/live_input.h"
#include "io/text/csv.h"
#include "io/text/time.h"
#include "monitor/score_row.h"
#include "monitor/stream.h"
#include "run_program.h"
#include "say.h"
#include "score/file/detector_file.h"
#include "score/file/score_row.h"
#include "score_summary.h"

namespace cmr::cli {
namespace {

// Standard output, or a file that grows.
class Output {
  public:
    explicit Output(const std::filesystem::path& path)
        : name_(path.empty() ? "standard output" : path.string()),
          file_(path.empty() ? stdout : std::fopen(path.c_str(), "we")) {
        if (!file_) fail_with(errno, fmt::format("{}: cannot write", name_));
    }
    ~Output() {
        if (file_ && file_ != stdout) std::fclose(file_);
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0)
            fail_with(errno, fmt::format("{}: cannot write", name_));
    }

  private:
    std::string name_;
    std::FILE* file_;
};

// The columns of a table that a recipe reads, and their rows into a stream.
class RowFeeder {
  public:
    RowFeeder(const recipe::Recipe& recipe, const recipe::Part& part, monitor::Stream& stream)
        : recipe_(recipe), part_(part), stream_(stream), row_(stream.channels().size()) {}

    // All rows of a table; taken(…) after each block of them.
    template <typename Taken>
    void feed(io::Table& table, const Taken& taken) {
        select(table);
        io::TableBlock block;
        while (table.read(block)) {
            for (int64_t i = 0; i < block.rows; ++i) push(table, block, i);
            if (!rate_known_) data::refuse_other_rate(steps(), recipe_.data, table.name());
            rate_known_ = times_s_.size() > data::kEnoughSteps;
            taken();
        }
    }

  private:
    void select(io::Table& table) {
        std::vector<io::Selection> columns;
        places_.clear();
        const auto channels = data::source_channels(recipe_);
        for (const data::SourceChannel& channel : channels) {
            const std::string& column = channel.made == "none" ? channel.column : channel.name;
            if (channel.made != "none" && !table.has(column))
                throw InputError(
                    "{}: channel '{}' is made from others, and a stream takes it as a column of that name; "
                    "score a file of these rows instead",
                    table.name(), column);
            places_.push_back(table.has(column) ? std::ssize(columns) : -1);
            if (places_.back() >= 0) columns.push_back({table.find(column), io::ColumnKind::kNumber});
        }
        if (columns.empty()) table.find(channels.front().column);  // says what is there instead
        time_place_ = std::ssize(columns);
        timed_ = !part_.time.column.empty();
        if (timed_) columns.push_back({table.find(part_.time.column), io::ColumnKind::kTime});
        width_ = std::ssize(columns);
        const recipe::Labels& labels = recipe_.data.labels;
        keeps_ = labels.file.empty() && !labels.keep_column.empty() && table.has(labels.keep_column);
        if (keeps_) columns.push_back({table.find(labels.keep_column), io::ColumnKind::kText});
        table.select(columns);
    }

    void push(const io::Table& table, const io::TableBlock& block, int64_t i) {
        if (skipped_ < part_.skip_samples) {
            ++skipped_;
            return;
        }
        const double* values = block.numbers.data() + i * width_;
        const double time_s = timed_ ? values[time_place_] : static_cast<double>(rows_) / recipe_.data.rate_hz;
        if (!std::isfinite(time_s))
            throw InputError("{}: no time stamp in column '{}'", table.place(block.lines[i]), part_.time.column);
        const bool kept = !keeps_ || is_kept(block.texts[i], table.place(block.lines[i]));
        for (size_t c = 0; c < row_.size(); ++c) {
            const double value = kept && places_[c] >= 0 ? values[places_[c]] : NAN;
            row_[c] = std::abs(value) <= std::numeric_limits<float>::max() ? static_cast<float>(value) : NAN;
        }
        if (times_s_.size() <= data::kEnoughSteps) times_s_.push_back(time_s);
        stream_.push(time_s, row_);
        ++rows_;
    }

    // From one time to the next, in whatever order they came.
    std::vector<double> steps() const {
        std::vector<double> times = times_s_, out;
        std::ranges::sort(times);
        for (size_t i = 1; i < times.size(); ++i)
            if (times[i] > times[i - 1]) out.push_back(times[i] - times[i - 1]);
        return out;
    }

    bool is_kept(std::string_view text, const std::string& place) const {
        recipe::Labels labels = recipe_.data.labels;
        labels.column.clear();
        return data::label_row(labels, "", text, place).state != data::State::kExcluded;
    }

    const recipe::Recipe& recipe_;
    const recipe::Part& part_;
    monitor::Stream& stream_;
    std::vector<float> row_;
    std::vector<int64_t> places_;  // of each channel among the numbers of a row; -1: there is no such column
    int64_t time_place_ = 0, width_ = 0;
    bool timed_ = false, keeps_ = false;
    int64_t skipped_ = 0, rows_ = 0;
    std::vector<double> times_s_;  // the first of them, which tell the rate
    bool rate_known_ = false;      // by as many as it takes
};

std::string recording_name(const ScoreOptions& options) {
    return options.data.data == "-" ? "-" : options.data.data.filename().string();
}

// What was said of all windows so far.
struct Tally {
    int64_t in_alarm = 0;
    SickSensors sick;
    Outside outside;
    std::vector<std::string> voids;  // each stretch in words, at most kShown of them
    int64_t more_voids = 0;
    static constexpr size_t kShown = 3;
};

// Windows that are complete, as rows of the score file.
class Rows {
  public:
    Rows(monitor::Stream& stream, std::string recording) : stream_(stream), recording_(std::move(recording)) {}

    std::string complete() {
        std::string out;
        while (const auto judged = stream_.next()) {
            count(*judged);
            out += monitor::to_csv(*judged, stream_, recording_);
        }
        return out;
    }
    const Tally& tally() const { return tally_; }

  private:
    void count(const monitor::JudgedWindow& judged) {
        const score::Detector& detector = stream_.detector();
        tally_.in_alarm += judged.alarm;
        tally_.sick.count(judged.sensors, detector.channels);
        tally_.outside.windows += judged.outside_range;
        tally_.outside.alarms += judged.outside_range && judged.raised;
        const bool begins = judged.void_promise && judged.void_since_s != void_since_s_;
        void_since_s_ = judged.void_promise ? judged.void_since_s : NAN;
        if (!begins) return;
        if (tally_.voids.size() == Tally::kShown) {
            ++tally_.more_voids;
            return;
        }
        const std::string since =
            stream_.dated() ? io::format_time(judged.void_since_s) : duration_text(judged.void_since_s);
        const std::string& channel = detector.channels[judged.void_promise->channel].name;
        tally_.voids.push_back(void_text(detector.alarm.calibration.has_value(), since, recording_,
                                         score::to_text(*judged.void_promise, channel)));
    }

    monitor::Stream& stream_;
    std::string recording_;
    Tally tally_;
    double void_since_s_ = NAN;
};

std::string summary(const monitor::Stream& stream, const Tally& tally, double period_s) {
    const monitor::Counts& counts = stream.counts();
    std::string out =
        fmt::format("{} rows, {} windows of which {} could not be judged, {} alarm{}, alarm on in {} of {}\n",
                    with_commas(counts.rows), with_commas(counts.windows), with_commas(counts.unjudged), counts.alarms,
                    counts.alarms == 1 ? "" : "s", duration_text(static_cast<double>(tally.in_alarm) * period_s),
                    duration_text(static_cast<double>(counts.windows) * period_s));
    if (counts.late + counts.doubled + counts.gaps > 0)
        out += fmt::format("{} readings came too late, {} came twice, {} gap{}.\n", with_commas(counts.late),
                           with_commas(counts.doubled), with_commas(counts.gaps), counts.gaps == 1 ? "" : "s");
    out += tally.sick.text(counts.windows);
    out += tally.outside.text(counts.windows);
    for (const std::string& stretch : tally.voids) out += stretch;
    if (tally.more_voids > 0) out += fmt::format("So in {} more stretches.\n", tally.more_voids);
    return out;
}

}  // namespace

bool is_stream(const ScoreOptions& options) {
    const std::filesystem::path& data = options.data.data;
    std::error_code error;
    const auto status = std::filesystem::status(data, error);
    const bool pipe = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                      !std::filesystem::is_directory(status);
    return data == "-" || options.follow || (!data.empty() && pipe);
}

std::string score_stream(const ScoreOptions& options) {
    if (options.follow && options.data.data.empty()) throw InputError("--follow: say which file");
    if (options.follow && options.data.data == "-")
        throw InputError("--follow: standard input goes on by itself; name a file to follow it");
    refuse_to_overwrite_inputs(options.out, options.model, options.data);
    auto detector = std::make_shared<score::Detector>(score::load_detector(options.model));
    detector->recipe = recipe_to_score(detector->recipe, options.data.settings);
    const recipe::Recipe& recipe = detector->recipe;
    const recipe::Part part = data::part_to_read(recipe, options.data.data, options.data.part);
    if (!part.join.empty())
        throw InputError("{}: part '{}' joins several files, and a stream is one", recipe.name, part.name);
    detector->recipe.data.time = part.time;
    monitor::Stream stream(detector, {.lateness_s = options.lateness_s});
    const std::string recording = recording_name(options);

    stop_on_interrupt();
    io::LiveInput input(options.data.data, options.follow, stop_wanted);
    Output output(options.out);
    output.write(score::score_header(stream.names(), stream.effects()));
    Rows rows(stream, recording);
    const auto taken = [&] { output.write(rows.complete()); };
    RowFeeder feeder(recipe, part, stream);
    try {
        do {
            const auto table = io::open_live_csv(
                recording, [&](std::span<std::byte> to) { return input.read(to); }, part.read);
            feeder.feed(*table, taken);
        } while (input.reopen());
    } catch (const io::Stopped&) {  // what is not a whole row yet is left
    }
    stream.end();
    taken();
    const double period_s = static_cast<double>(recipe.window.stride) / recipe.data.rate_hz;
    const Tally& tally = rows.tally();
    const std::string words = summary(stream, tally, period_s);
    if (options.out.empty()) {
        say_text(words);
        return "";
    }
    const monitor::Counts& counts = stream.counts();
    if (!options.json) return fmt::format("{}: {}", options.out.string(), words);
    io::Json sensors = io::Json::array();
    for (const auto& [what, count] : tally.sick.sorted()) sensors.push_back({{"sensor", what}, {"windows", count}});
    return io::Json{{"scores", options.out.string()},
                    {"rows", counts.rows},
                    {"windows", counts.windows},
                    {"unjudged", counts.unjudged},
                    {"alarms", counts.alarms},
                    {"windows_in_alarm", tally.in_alarm},
                    {"sick_sensors", sensors},
                    {"outside_range", tally.outside.windows},
                    {"outside_range_alarms", tally.outside.alarms},
                    {"late_readings", counts.late},
                    {"doubled_readings", counts.doubled},
                    {"gaps", counts.gaps},
                    {"calibrated", detector->alarm.calibration.has_value()}}
               .dump(2) +
           "\n";
}

}  // namespace cmr::cli
