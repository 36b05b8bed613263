#include "data/inspect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "data/coupling.h"
#include "data/scaler.h"
#include "data/track.h"

namespace cmr::data {
namespace {

void count(StateCount& into, State state, int64_t samples) {
    (state == State::kHealthy ? into.healthy : state == State::kFaulty ? into.faulty : into.excluded) += samples;
}

std::vector<PartSummary> summarise_parts(const Dataset& dataset, const recipe::Recipe& recipe) {
    std::vector<PartSummary> out;
    for (const PartFacts& part : dataset.parts) {
        PartSummary& summary = out.emplace_back();
        summary.name = part.name;
        summary.role = part.role;
        summary.files = part.files;
    }
    for (size_t i = 0; i < dataset.recordings.size(); ++i) {
        const Recording& recording = dataset.recordings[i];
        PartSummary& part = out[recording.part];
        part.segments += static_cast<int64_t>(recording.segments.size());
        for (const Span& span : recording.spans) count(part.samples, span.state, span.end - span.begin);
        std::vector<Window> windows;
        Dropped dropped;
        cut_windows(dataset, static_cast<int32_t>(i), recipe.window, recipe.window.stride, windows, &dropped);
        for (const Window& window : windows) count(part.windows, window.state, 1);
        part.windows.excluded += dropped.excluded + dropped.absent;
    }
    return out;
}

std::vector<ChannelFacts> describe_channels(const Dataset& dataset) {
    std::vector<ChannelFacts> out(dataset.channels.size());
    parallel_for(static_cast<int64_t>(out.size()), [&](int64_t c) {
        const Channel& channel = dataset.channels[c];
        ValueTrack track;
        for (const Recording& recording : dataset.recordings)
            for (const Span& span : recording.spans) {
                track.new_stretch(span.state == State::kHealthy);
                track.add(recording.channels[c].values().subspan(span.begin, span.end - span.begin));
            }
        out[c] = track.facts();
        out[c].name = channel.name;
        out[c].role = channel.effect ? "effect" : "cause";
        out[c].group = channel.group;
        out[c].r2 = std::numeric_limits<double>::quiet_NaN();
    });
    return out;
}

FoldSummary summarise(const Fold& fold, size_t strata) {
    FoldSummary out{.name = fold.name,
                    .train = static_cast<int64_t>(fold.train.size()),
                    .validation = static_cast<int64_t>(fold.validation.size()),
                    .purged = fold.purged,
                    .test = {},
                    .strata = std::vector<int64_t>(strata)};
    for (const Window& window : fold.test) {
        count(out.test, window.state, 1);
        if (window.state == State::kFaulty && window.stratum >= 0) ++out.strata[window.stratum];
    }
    return out;
}

// What the healthy training data of a fold tell about the channels.
void judge_channels(const Dataset& dataset, const recipe::Recipe& recipe, const Fold& fold, Inspection& out) {
    const std::vector<SampleRange> train = covered(fold.train, recipe.window.length);
    const Scaler scaler = fit_scaler(dataset, train);
    const std::vector<double> r2 = linear_r2(dataset, train, scaler);
    std::vector<Window> healthy;
    for (const Window& window : fold.test)
        if (window.state == State::kHealthy) healthy.push_back(window);
    const std::vector<SampleRange> test = covered(healthy, recipe.window.length);
    parallel_for(static_cast<int64_t>(out.channels.size()), [&](int64_t c) {
        ChannelFacts& facts = out.channels[c];
        facts.constant = scaler.constant(c);
        facts.r2 = r2[c];
        facts.coupled = r2[c] > recipe.screening.coupled_r2;
        int64_t total = 0, outside = 0;
        for (const SampleRange& stretch : test)
            for (const float value : dataset.recordings[stretch.recording].channels[c].values().subspan(
                     stretch.begin, stretch.end - stretch.begin)) {
                ++total;
                outside += value < scaler.least[c] || value > scaler.most[c] ? 1 : 0;
            }
        facts.outside = total > 0 ? static_cast<double>(outside) / static_cast<double>(total) : 0.0;
    });
}

class Warnings {
  public:
    template <typename... Arguments>
    void add(int harm, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
        list_.push_back({harm, fmt::format(text, std::forward<Arguments>(arguments)...)});
    }
    std::vector<Warning> sorted() {
        std::ranges::stable_sort(list_, std::greater(), &Warning::harm);
        return std::move(list_);
    }

  private:
    std::vector<Warning> list_;
};

std::string some(const std::vector<std::string>& names) {
    const size_t shown = std::min<size_t>(names.size(), 6);
    return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<int64_t>(shown), ", "),
                       names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

template <typename Choose>
std::vector<std::string> names_where(const std::vector<ChannelFacts>& channels, const Choose& choose) {
    std::vector<std::string> out;
    for (const ChannelFacts& channel : channels)
        if (choose(channel)) out.push_back(channel.name);
    return out;
}

void warn_about_channels(const std::vector<ChannelFacts>& channels, int64_t window, Warnings& warnings) {
    const auto say = [&](int harm, const std::vector<std::string>& names, const std::string& text) {
        if (!names.empty()) warnings.add(harm, "{}: {}", some(names), text);
    };
    say(40,
        names_where(channels, [](const auto& c) { return std::abs(c.mean) > 1e5 * c.deviation && c.deviation > 0; }),
        "moves by less than a hundred-thousandth of its value, so that single precision blurs it; subtract an offset");
    say(30,
        names_where(channels,
                    [&](const auto& c) { return !c.constant && c.longest_flat >= 10 * window && c.role == "effect"; }),
        "stands still for ten windows or more; a stuck sensor looks like that");
    say(25, names_where(channels, [](const auto& c) { return c.outside > 0.05; }),
        "more than 5 % of its healthy test samples lie beyond what training saw: operating regimes are missing");
    say(20, names_where(channels, [](const auto& c) { return c.r2 > 0.9999; }),
        "explained completely by the causes; is it the same quantity?");
    say(10, names_where(channels, [](const auto& c) { return c.constant; }),
        "never moves in healthy training data and is left out");
}

void warn(const Dataset& dataset, const recipe::Recipe& recipe, Inspection& out, Warnings& warnings) {
    warn_about_channels(out.channels, recipe.window.length, warnings);
    const auto alive = [&](const char* role) {
        return std::ranges::any_of(out.channels, [&](const auto& c) { return c.role == role && !c.constant; });
    };
    if (!out.folds.empty()) {
        if (!alive("cause"))
            warnings.add(90, "no cause ever moves in healthy training data, so there is no mechanism to learn");
        if (!alive("effect")) warnings.add(90, "no effect ever moves in healthy training data");
        const bool weak = std::ranges::all_of(out.channels, [](const auto& c) { return !(c.r2 > 0.1); });
        if (weak && alive("cause") && alive("effect"))
            warnings.add(
                50,
                "a linear model of the causes explains no effect at any one moment (R² below 0.1): the coupling is "
                "delayed, nonlinear or absent; are the causes the right ones?");
    }
    const auto in_folds = [&](int harm, const auto& bad, const char* text) {
        std::vector<std::string> names;
        for (const FoldSummary& fold : out.folds)
            if (bad(fold)) names.push_back(fold.name);
        if (!names.empty())
            warnings.add(harm, "{}{}", text, out.folds.size() == 1 ? "" : fmt::format(" in fold {}", some(names)));
    };
    in_folds(
        80, [](const FoldSummary& f) { return f.test.healthy == 0; },
        "no healthy test window, so false alarms cannot be measured; held_out = \"validation+test\" would give some");
    in_folds(
        5, [](const FoldSummary& f) { return f.test.faulty == 0; },
        "no faulty test window, so detection cannot be measured");
    in_folds(
        45, [](const FoldSummary& f) { return f.train < 100; }, "fewer than 100 training windows");
    in_folds(
        35, [](const FoldSummary& f) { return f.validation < 20; }, "fewer than 20 validation windows");
    int64_t absent = 0, filled = 0, repeated = 0;
    for (const Recording& recording : dataset.recordings) {
        absent += recording.absent;
        filled += recording.filled;
        repeated += recording.repeated;
    }
    if (absent > 0) warnings.add(30, "{} absent values; the windows that hold them are left out", absent);
    if (filled > 0) warnings.add(15, "{} absent values were filled by straight lines", filled);
    if (repeated > 0) warnings.add(15, "{} rows repeat the time stamp of the row before and are left out", repeated);
    for (const PartSummary& part : out.parts) {
        if (recipe.data.layout == "rows" && part.segments > part.files)
            warnings.add(15, "part '{}' has {} steps in time; no window crosses one", part.name,
                         part.segments - part.files);
        if (part.windows.healthy + part.windows.faulty == 0 && part.role != "unused")
            warnings.add(70, "part '{}' gives no window of {} samples", part.name, recipe.window.length);
    }
    if (!dataset.units_left_out.empty())
        warnings.add(1, "files of units that the recipe does not list are left out: {}", some(dataset.units_left_out));
    if (!recipe.data.events.file.empty() && dataset.events.empty())
        warnings.add(2, "no list of events at {}; faults have no names", recipe.data.events.file);
}

}  // namespace

Inspection inspect(const Dataset& dataset, const recipe::Recipe& recipe) {
    Inspection out;
    out.name = recipe.name;
    out.description = recipe.description;
    out.protocol = recipe.split.protocol;
    out.rate_hz = dataset.rate_hz;
    out.window = recipe.window.length;
    out.stride = recipe.window.stride;
    out.parts = summarise_parts(dataset, recipe);
    out.strata = dataset.strata;
    out.events = static_cast<int64_t>(dataset.events.size());
    out.channels = describe_channels(dataset);
    Warnings warnings;
    try {
        std::vector<std::string> left_out;
        const std::vector<Fold> folds = make_folds(dataset, recipe, &left_out);
        if (!left_out.empty()) warnings.add(65, "{}: too few healthy windows for a fold of its own", some(left_out));
        for (const Fold& fold : folds) out.folds.push_back(summarise(fold, dataset.strata.size()));
        judge_channels(dataset, recipe, folds.front(), out);
    } catch (const InputError& error) {
        warnings.add(100, "no split: {}", error.what());
    }
    warn(dataset, recipe, out, warnings);
    out.warnings = warnings.sorted();
    return out;
}

}  // namespace cmr::data
