#include "recipe/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/suggest.h"
#include "io/text/time.h"

namespace cmr::recipe {
namespace {

constexpr size_t kNames = 100'000;

class Checker {
  public:
    explicit Checker(const std::function<std::string(const std::string&)>& place) : place_(place) {}

    template <typename... Arguments>
    void require(bool condition, const std::string& path, fmt::format_string<Arguments...> text,
                 Arguments&&... arguments) const {
        if (condition) return;
        throw InputError("{}: {}: {}", place_(path), path, fmt::format(text, std::forward<Arguments>(arguments)...));
    }

    void one_of(const std::string& value, const std::string& path, const std::vector<std::string>& known) const {
        if (std::ranges::find(known, value) != known.end()) return;
        const auto hint = suggest(value, known);
        throw InputError("{}: {} is '{}'{}; known are {}", place_(path), path, value,
                         hint ? fmt::format(", did you mean '{}'?", *hint) : "", fmt::join(known, ", "));
    }

    void whole(int64_t value, const std::string& path, int64_t least, int64_t most) const {
        require(value >= least && value <= most, path, "{} is not between {} and {}", value, least, most);
    }

    // Names one by one, but not so many that a recipe of some lines takes all memory.
    std::vector<std::string> expand(const std::vector<std::string>& names, const std::string& path) const {
        std::vector<std::string> expanded;
        for (const std::string& name : names) {
            try {
                for (std::string& one : io::expand_names({name})) expanded.push_back(std::move(one));
            } catch (const InputError& error) {
                throw InputError("{}: {}: {}", place_(path), path, error.what());
            }
            require(expanded.size() <= kNames, path, "more than {} names", kNames);
        }
        return expanded;
    }

    void fraction(double value, const std::string& path) const {
        require(value >= 0.0 && value <= 1.0, path, "{} is not between 0 and 1", value);
    }

  private:
    const std::function<std::string(const std::string&)>& place_;
};

constexpr int64_t kMany = int64_t{1} << 40;
constexpr int64_t kCycle = int64_t{1} << 28;
constexpr int64_t kStep = 1'000'000;  // samples that resampling may draw between two rows

// The {words} of a pattern or a stratum.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    for (size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
        const size_t close = text.find('}', open);
        if (close != std::string::npos) words.push_back(text.substr(open + 1, close - open - 1));
    }
    return words;
}

void check_read(const Checker& check, const io::TableOptions& read, const std::string& path) {
    check.one_of(read.format, path + ".format", {"auto", "csv", "npy", "npz", "hdf5", "mat", "xlsx"});
    check.one_of(read.delimiter, path + ".delimiter", {"auto", "comma", "semicolon", "tab", "bar", "blank"});
    check.one_of(read.decimal, path + ".decimal", {"point", "comma"});
    check.one_of(read.header, path + ".header", {"auto", "yes", "no"});
    check.one_of(read.date_order, path + ".date_order", {"auto", "day-first", "month-first"});
    check.one_of(read.time_unit, path + ".time_unit", {io::kTimeUnits.begin(), io::kTimeUnits.end()});
    check.whole(read.skip_rows, path + ".skip_rows", 0, kMany);
    check.expand(read.names, path + ".names");
}

void check_time(const Checker& check, const Time& time, double rate_hz, const std::string& path) {
    check.require(time.max_step_s >= 0, path + ".max_step_s", "{} is negative", time.max_step_s);
    check.one_of(time.repeated, path + ".repeated", {"error", "keep-first"});
    check.one_of(time.restarts, path + ".restarts", {"error", "segment"});
    check.one_of(time.resample, path + ".resample", {"none", "linear", "hold", "mean"});
    if (time.resample == "none") return;
    check.require(!time.column.empty(), path + ".resample", "rows are resampled by their times, so `column` is needed");
    check.require(time.max_step_s > 0, path + ".resample",
                  "say by max_step_s over which steps between two values a third may be drawn; longer ones are gaps");
    check.require(time.max_step_s * rate_hz <= kStep, path + ".max_step_s", "{} s at {} Hz are more than {} samples",
                  time.max_step_s, rate_hz, kStep);
}

void check_joins(const Checker& check, const Data& data, const Part& part, const std::string& at) {
    const auto words = words_of(part.files);
    for (size_t i = 0; i < part.join.size(); ++i) {
        const Join& join = part.join[i];
        const std::string path = fmt::format("{}.join[{}]", at, i);
        check.require(data.layout == "rows" && !part.time.column.empty() && part.time.restarts == "error", path,
                      "files are joined by time, so the layout \"rows\" and a clock of the part that does not restart "
                      "are needed");
        check.require(!join.files.empty() && join.files.find('*') == std::string::npos &&
                          !fs::path(join.files).is_absolute() && join.files.find("..") == std::string::npos,
                      path + ".files", "'{}' must name a file below the data root, with {{words}} but without *",
                      join.files);
        for (const std::string& word : words_of(join.files))
            check.require(std::ranges::find(words, word) != words.end(), path + ".files",
                          "{{{}}} is not in the files '{}'", word, part.files);
        check_read(check, join.read, path + ".read");
        check_time(check, join.time, data.rate_hz, path + ".time");
        check.require(join.time.resample != "none" && join.time.restarts == "error", path + ".time",
                      "say by `column`, `resample` and max_step_s how its values come to the times of the part's rows");
    }
}

bool labels_by_column(const Labels& labels) { return !labels.column.empty() || !labels.columns.empty(); }

void check_labels(const Checker& check, const Data& data) {
    const Labels& labels = data.labels;
    const bool by_column = labels_by_column(labels);
    check.require(labels.column.empty() || labels.columns.empty(), "data.labels.columns",
                  "`column` and `columns` do not go together");
    check.require(!by_column || !labels.healthy.empty() || !labels.faulty.empty(),
                  labels.columns.empty() ? "data.labels.column" : "data.labels.columns",
                  "which values of '{}' are healthy, which faulty? Give `healthy`, `faulty` or both",
                  labels.columns.empty() ? labels.column : labels.columns.front());
    for (const std::string& value : labels.faulty)
        check.require(std::ranges::find(labels.healthy, value) == labels.healthy.end(), "data.labels.faulty",
                      "'{}' is healthy, too", value);
    const bool cycles = data.layout == "cycles";
    check.require(labels.file.empty() || by_column || !labels.keep_column.empty(), "data.labels.file",
                  "which of its columns are the labels? Give `column`, `columns` or `keep_column`");
    check.require(labels.time.empty() || (!labels.file.empty() && !cycles && !data.time.column.empty()),
                  "data.labels.time",
                  "labels are joined by time from a `file`, in the layout \"rows\", by [data.time]");
    check.require(!cycles || !labels.file.empty() || (!by_column && labels.keep_column.empty()), "data.labels",
                  "the layout \"cycles\" needs the `file` that has a row of labels per cycle");
    check.require(!data.events.label || (!data.events.file.empty() && !data.time.column.empty() && !cycles),
                  "data.events.label",
                  "events label rows by time, so `file`, [data.time] and the layout \"rows\" are needed");
    const size_t named = labels.columns.empty() ? labels.faulty.size() : labels.columns.size();
    check.require(labels.strata.empty() || labels.strata.size() == named, "data.labels.strata", "{} names for {} {}",
                  labels.strata.size(), named, labels.columns.empty() ? "faulty values" : "columns");
    check.require(labels.keep_column.empty() == labels.keep.empty(), "data.labels.keep",
                  "`keep_column` and `keep` go together");
}

void check_part(const Checker& check, const Data& data, const Part& part, const std::string& at) {
    const Labels& labels = data.labels;
    const bool cycles = data.layout == "cycles";
    check.require(!part.name.empty(), at, "a part has no name");
    check.require(!part.files.empty(), at, "part '{}' names no files", part.name);
    check.require(!fs::path(part.files).is_absolute() && part.files.find("..") == std::string::npos, at,
                  "the files '{}' must lie below the data root", part.files);
    check.one_of(part.role, at + ".role", {"fit", "test", "unused"});
    check.one_of(part.state, at + ".state", {"labels", "healthy", "faulty"});
    check.whole(part.skip_samples, at + ".skip_samples", 0, kMany);
    check.require(!cycles || part.skip_samples == 0, at + ".skip_samples",
                  "the layout \"cycles\" skips no samples; `keep` leaves cycles out");
    auto words = words_of(part.files);
    words.push_back("part");
    for (const std::string& word : words_of(part.stratum))
        check.require(std::ranges::find(words, word) != words.end(), at + ".stratum", "{{{}}} is not in the files '{}'",
                      word, part.files);
    const bool needs_labels = part.state == "labels" || !labels.keep_column.empty();
    for (const std::string& word : words_of(labels.file))
        check.require(!needs_labels || std::ranges::find(words, word) != words.end(), "data.labels.file",
                      "{{{}}} is not in the files '{}' of part '{}'", word, part.files, part.name);
    check.require(labels.time.empty() || part.time.restarts == "error", at + ".time.restarts",
                  "labels cannot be joined by a time that restarts");
    const bool labelled = labels_by_column(labels) || data.events.label || !data.unit.empty();
    check.require(part.state != "labels" || labelled || part.role == "unused", at + ".state",
                  "what are the rows of part '{}'? Say state = \"healthy\" or \"faulty\", or give [data.labels]",
                  part.name);
    check.require(data.unit.empty() || part.files.find("{unit}") != std::string::npos, at,
                  "[[data.unit]] describes machines, but the files '{}' of part '{}' have no {{unit}}", part.files,
                  part.name);
    check.require(
        cycles == (part.files.find("{channel}") != std::string::npos), at,
        "the layout \"cycles\" has a file per channel, so `files` needs {{channel}}; the layout \"rows\" has none");
    check_read(check, part.read, at + ".read");
    check_time(check, part.time, data.rate_hz, at + ".time");
    check_joins(check, data, part, at);
}

void check_units(const Checker& check, const Data& data) {
    std::set<std::string> units;
    for (size_t i = 0; i < data.unit.size(); ++i) {
        const Unit& unit = data.unit[i];
        const std::string at = fmt::format("data.unit[{}]", i);
        check.one_of(unit.state, at + ".state", {"healthy", "faulty"});
        check.require(!unit.names.empty(), at, "a unit has no names");
        for (const std::string& name : check.expand(unit.names, at + ".names"))
            check.require(units.insert(name).second, at, "the unit '{}' is described twice", name);
    }
}

void check_data(const Checker& check, const Data& data) {
    check.require(data.rate_hz > 0 && data.rate_hz < 1e9, "data.rate_hz",
                  "samples per second must be given, greater than 0 and less than 1,000,000,000; it is {}",
                  data.rate_hz);
    check.one_of(data.layout, "data.layout", {"rows", "cycles"});
    check.one_of(data.gaps, "data.gaps", {"error", "drop-window", "interpolate"});
    check.one_of(data.storage, "data.storage", {"auto", "memory", "disk"});
    check.whole(data.max_gap, "data.max_gap", 0, kMany);
    check.require(data.gaps != "interpolate" || data.max_gap > 0, "data.max_gap",
                  "gaps = \"interpolate\" needs the longest gap to fill, in samples");
    check.require(data.gaps == "interpolate" || data.max_gap == 0, "data.max_gap",
                  "only gaps = \"interpolate\" fills gaps, but gaps is \"{}\"", data.gaps);
    check.require(data.layout != "cycles" || data.cycle_s > 0, "data.cycle_s",
                  "the layout \"cycles\" needs the duration of a cycle in seconds");
    check.require(data.rate_hz * data.cycle_s <= kCycle, "data.cycle_s", "{} Hz over {} s are more than {} samples",
                  data.rate_hz, data.cycle_s, kCycle);
    check_time(check, data.time, data.rate_hz, "data.time");
    check_read(check, data.read, "data.read");
    check_read(check, data.labels.read, "data.labels.read");
    check_read(check, data.events.read, "data.events.read");
    check_labels(check, data);
    check.require(!data.part.empty(), "data", "no [[data.part]]: which files are the data?");
    std::set<std::string> names;
    for (size_t i = 0; i < data.part.size(); ++i) {
        const Part& part = data.part[i];
        const std::string at = fmt::format("data.part[{}]", i);
        check_part(check, data, part, at);
        check.require(names.insert(part.name).second, at, "two parts are called '{}'", part.name);
    }
    check_units(check, data);
}

void check_channels(const Checker& check, const Recipe& recipe) {
    check.require(!recipe.channels.empty(), "channels", "no [[channels]]: what is cause, what is effect?");
    std::set<std::string> names, groups;
    bool cause = false, effect = false;
    const bool resampled =
        std::ranges::any_of(recipe.data.part, [](const Part& part) { return part.time.resample != "none"; });
    for (size_t i = 0; i < recipe.channels.size(); ++i) {
        const Channels& entry = recipe.channels[i];
        const std::string at = fmt::format("channels[{}]", i);
        check.one_of(entry.role, at + ".role", {"cause", "effect"});
        (entry.role == "cause" ? cause : effect) = true;
        check.require(!entry.group.empty(), at + ".group", "a group of channels has no name");
        check.require(entry.group.find_first_of(". \t\n") == std::string::npos, at + ".group",
                      "the group '{}' has a dot or a blank in its name", entry.group);
        check.require(groups.insert(entry.group).second, at + ".group", "two groups are called '{}'", entry.group);
        const auto expanded = check.expand(entry.names, at + ".names");
        check.require(!expanded.empty(), at + ".names", "the group '{}' has no channels", entry.group);
        for (const std::string& name : expanded)
            check.require(names.insert(name).second, at + ".names", "the channel '{}' is named twice", name);
        const auto columns = check.expand(entry.columns, at + ".columns");
        check.one_of(entry.made, at + ".made", {"none", "derivative", "integral", "difference"});
        check.require(entry.made == "none" || !columns.empty(), at + ".made",
                      "from which `columns` is it made? A difference needs two for each name");
        const size_t wanted = expanded.size() * (entry.made == "difference" ? 2 : 1);
        check.require(columns.empty() || columns.size() == wanted, at + ".columns",
                      "{} columns for {} channels of '{}'{}", columns.size(), expanded.size(), entry.group,
                      entry.made == "difference" ? ", expected two for each" : "");
        check.one_of(entry.align, at + ".align", {"auto", "mean", "pick", "hold", "linear"});
        check.require(entry.rate_hz >= 0 && entry.rate_hz < 1e9, at + ".rate_hz", "{} is no rate", entry.rate_hz);
        check.require(entry.rate_hz == 0 || entry.rate_hz == recipe.data.rate_hz || !resampled, at + ".rate_hz",
                      "rows that are resampled come at their own times, so `resample` and rate_hz do not go together");
        check.require(entry.step >= 0 && std::isfinite(entry.step), at + ".step",
                      "{} is no step from one value to the next", entry.step);
        check.require(entry.step == 0 || entry.made == "none", at + ".step",
                      "columns are rounded, not what is made from them");
    }
    check.require(cause, "channels", "no group has role = \"cause\"");
    check.require(effect, "channels", "no group has role = \"effect\"");
}

void check_split(const Checker& check, const Recipe& recipe) {
    const Window& window = recipe.window;
    check.whole(window.length, "window.length", 1, 1 << 24);
    check.whole(window.stride, "window.stride", 1, kMany);
    check.whole(window.train_stride, "window.train_stride", 0, kMany);
    check.require(window.faulty_fraction >= 0 && window.faulty_fraction < 1, "window.faulty_fraction",
                  "{} is not in [0, 1)", window.faulty_fraction);
    const Split& split = recipe.split;
    check.one_of(split.kind, "split.kind", {"chronological", "leave-units-out", "by-file"});
    check.one_of(split.per, "split.per", {"dataset", "recording"});
    check.one_of(split.held_out, "split.held_out", {"validation", "validation+test"});
    check.one_of(split.protocol, "split.protocol", {"strict", "paper"});
    check.require(split.train_fraction > 0 && split.train_fraction <= 1, "split.train_fraction", "{} is not in (0, 1]",
                  split.train_fraction);
    check.require(split.validation_fraction > 0 && split.validation_fraction < 1, "split.validation_fraction",
                  "{} is not in (0, 1)", split.validation_fraction);
    check.whole(split.train_samples, "split.train_samples", 0, kMany);
    check.whole(split.leave_out, "split.leave_out", 1, 1000);
    check.whole(split.purge, "split.purge", 0, kMany);
    check.require(split.per == "dataset" || split.kind == "chronological", "split.per",
                  "a fold per recording is a chronological split, not \"{}\"", split.kind);
    check.require(split.order.empty() || split.kind == "by-file", "split.order",
                  "files are put in an order by the split \"by-file\", not \"{}\"", split.kind);
    for (const std::string& pattern : split.order)
        check.require(std::ranges::count(pattern, '{') == std::ranges::count(pattern, '}'), "split.order",
                      "a brace of '{}' does not close", pattern);
    check.fraction(recipe.screening.coupled_r2, "screening.coupled_r2");
}

void check_learning(const Checker& check, const Recipe& recipe) {
    const Model& model = recipe.model;
    check.one_of(model.method, "model.method", {kMethods.begin(), kMethods.end()});
    check.one_of(model.effect_input, "model.effect_input", {"signal", "innovation", "both"});
    check.one_of(model.precision, "model.precision", {"float32", "bf16x3", "bf16"});
    for (const auto& [value, path] : {std::pair{model.width, "model.width"},
                                      {model.layers, "model.layers"},
                                      {model.state, "model.state"},
                                      {model.conv, "model.conv"},
                                      {model.expand, "model.expand"},
                                      {model.rank, "model.rank"},
                                      {model.stem_kernel, "model.stem_kernel"},
                                      {model.stem_stride, "model.stem_stride"},
                                      {model.predictor_kernel, "model.predictor_kernel"}})
        check.whole(value, path, 1, 1 << 16);
    check.whole(model.predictor_width, "model.predictor_width", 0, 1 << 16);
    check.whole(model.predictor_blocks, "model.predictor_blocks", 0, 1000);
    check.require(model.dropout >= 0 && model.dropout < 1, "model.dropout", "{} is not in [0, 1)", model.dropout);
    for (const auto& [value, path] : {std::pair{model.mechanism_weight, "model.mechanism_weight"},
                                      {model.effect_weight, "model.effect_weight"},
                                      {model.cause_weight, "model.cause_weight"},
                                      {model.waveform_weight, "model.waveform_weight"}})
        check.require(value >= 0 && value < 1e6, path, "{} is not a weight", value);
    const Train& train = recipe.train;
    check.whole(train.batch, "train.batch", 1, 1 << 20);
    check.whole(train.max_epochs, "train.max_epochs", 1, 1 << 20);
    check.whole(train.patience, "train.patience", 1, 1 << 20);
    check.whole(train.warmup_epochs, "train.warmup_epochs", 0, 1 << 20);
    check.one_of(train.schedule, "train.schedule", {"plateau", "cosine"});
    check.require(train.learning_rate > 0 && train.learning_rate < 1, "train.learning_rate", "{} is not in (0, 1)",
                  train.learning_rate);
    check.require(train.rival_rate >= 0 && train.rival_rate < 1, "train.rival_rate", "{} is not in [0, 1)",
                  train.rival_rate);
    check.require(train.memory_gb >= 0, "train.memory_gb", "{} is below 0", train.memory_gb);
    check.require(train.weight_decay >= 0 && train.weight_decay < 1, "train.weight_decay", "{} is not in [0, 1)",
                  train.weight_decay);
    check.require(train.clip > 0, "train.clip", "{} is not greater than 0", train.clip);
    check.require(!train.seeds.empty(), "train.seeds", "no seed is given");
    check.one_of(recipe.score.main, "score.main", {"knn", "residual"});
    check.one_of(recipe.score.metric, "score.metric", {"l2", "cosine"});
    check.one_of(recipe.score.pooling, "score.pooling", {kPoolings.begin(), kPoolings.end()});
    check.whole(recipe.score.k, "score.k", 1, 1 << 20);
    check.whole(recipe.score.lags, "score.lags", 0, 10'000);
    check.require(recipe.score.lags < recipe.window.length, "score.lags",
                  "{} samples before each do not fit into a window of {}; give at most {}", recipe.score.lags,
                  recipe.window.length, recipe.window.length - 1);
    check.whole(recipe.score.components, "score.components", 1, 10'000);
    check.whole(recipe.score.blocks, "score.blocks", 2, 100);
}

}  // namespace

void check(const Recipe& recipe, const std::function<std::string(const std::string& path)>& place) {
    const Checker checker(place);
    checker.require(!recipe.name.empty(), "name", "the recipe has no name");
    check_data(checker, recipe.data);
    check_channels(checker, recipe);
    check_split(checker, recipe);
    check_learning(checker, recipe);
}

}  // namespace cmr::recipe
