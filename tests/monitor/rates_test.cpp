// Channels at rates of their own: a stream aligns them as a file is aligned.

#include <gtest/gtest.h>

#include "monitor/shape.h"
#include "simulate/mat_write.h"

namespace cmr::monitor {
namespace {

struct Reading {
    double time_s = 0;
    int64_t channel = 0;
    float value = 0;
};

// Ten samples a second; a slow cause, an effect four times as fast, one that is slow and goes in straight lines; two of
// them are rounded.
recipe::Recipe rates_recipe(const std::string& layout) {
    recipe::Recipe out = test::make_recipe(40, 20);
    out.name = "rates";
    out.data.rate_hz = 10;
    out.data.gaps = "drop-window";
    out.data.layout = layout;
    out.data.cycle_s = layout == "cycles" ? 8 : 0;
    const auto add = [&](const char* role, const char* name, double rate_hz, const char* align, double step = 0) {
        recipe::Channels& entry = out.channels.emplace_back();
        entry.role = role;
        entry.group = entry.role + name;
        entry.names = {name};
        if (layout == "rows") entry.columns = {std::string("run.") + name};
        entry.rate_hz = rate_hz;
        entry.align = align;
        entry.step = step;
    };
    add("cause", "speed", 0, "auto");
    add("cause", "load", 2.5, "auto");
    add("effect", "inlet", 0, "auto", 0.25);
    add("effect", "outlet", 40, "auto");
    add("effect", "heat", 4, "linear", 0.5);
    add("effect", "level", 40, "pick");
    return test::shape_of(out);
}

// [channels][samples] of each channel's own rate.
std::vector<std::vector<float>> own_samples(const recipe::Recipe& recipe, int64_t rows, uint64_t seed) {
    std::vector<std::vector<float>> out;
    for (const data::SourceChannel& channel : data::source_channels(recipe)) {
        Rng rng = Rng(seed).split(channel.name);
        auto& samples =
            out.emplace_back(std::llround(static_cast<double>(rows) * channel.rate_hz / recipe.data.rate_hz));
        for (size_t i = 0; i < samples.size(); ++i)
            samples[i] = static_cast<float>(0.9 * (i > 0 ? samples[i - 1] : 0.0f) + rng.normal());
    }
    return out;
}

std::string file_scores(const score::Detector& detector, const std::vector<std::vector<float>>& samples) {
    const test::TemporaryFolder folder;
    const auto channels = data::source_channels(detector.recipe);
    data::Dataset dataset;
    if (detector.recipe.data.layout == "cycles") {
        for (size_t c = 0; c < channels.size(); ++c) {
            std::ofstream file(folder / (channels[c].column + ".csv"));
            const int64_t piece = std::llround(channels[c].rate_hz * detector.recipe.data.cycle_s);
            for (size_t i = 0; i < samples[c].size(); ++i)
                file << fmt::format("{}{}", samples[c][i], (i + 1) % piece == 0 ? '\n' : ',');
        }
        dataset = data::load_new(detector.recipe, folder.path());
    } else {
        simulate::MatValue run;
        for (size_t c = 0; c < channels.size(); ++c) {
            simulate::MatValue numbers;
            numbers.numbers = samples[c];
            numbers.rows = std::ssize(samples[c]);
            numbers.columns = 1;
            run.fields.push_back({channels[c].name, {numbers}});
        }
        simulate::write_mat(folder / "new.mat", "run", run);
        dataset = data::load_new(detector.recipe, folder / "new.mat");
    }
    dataset.recordings.front().name = "new.csv";
    return score::to_csv(score::run(detector, dataset), dataset);
}

class Rates : public testing::TestWithParam<std::string> {};

TEST_P(Rates, AStreamAlignsAsAFileIsAligned) {
    const auto detector = test::fit_shape(rates_recipe(GetParam()), /*network=*/false);
    const recipe::Recipe& recipe = detector->recipe;
    const auto channels = data::source_channels(recipe);
    const auto samples = own_samples(recipe, 400, 3);
    const std::string expected = file_scores(*detector, samples);
    for (const double lateness_s : {0.0, 1.0}) {
        std::vector<Reading> readings;
        for (size_t c = 0; c < samples.size(); ++c)
            for (size_t i = 0; i < samples[c].size(); ++i)
                readings.push_back(
                    {static_cast<double>(i) / channels[c].rate_hz, static_cast<int64_t>(c), samples[c][i]});
        Rng rng(7);
        std::vector<double> arrival(readings.size());
        for (size_t i = 0; i < readings.size(); ++i)
            arrival[i] = readings[i].time_s + rng.uniform(0, 0.999 * lateness_s);
        std::vector<size_t> order(readings.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, {}, [&](size_t i) { return arrival[i]; });

        const Settings settings{.lateness_s = lateness_s};
        Stream stream(detector, settings);
        std::string found = score::score_header(stream.names(), stream.effects());
        for (const size_t i : order) {
            stream.push(readings[i].time_s, readings[i].channel, readings[i].value);
            if (i % 97 == 0) {
                Stream other(detector, settings);
                other.restore(stream.save());
                ASSERT_TRUE(other == stream);
                stream = std::move(other);
            }
            found += test::taken(stream);
        }
        stream.end();
        found += test::taken(stream);
        EXPECT_EQ(found, expected) << lateness_s;
        EXPECT_EQ(stream.counts().rows, 400);
        EXPECT_EQ(stream.counts().late, 0);
    }
}

TEST_P(Rates, AReadingThatDoesNotComeIsAbsentWhereItIsNeeded) {
    const auto detector = test::fit_shape(rates_recipe(GetParam()), /*network=*/false);
    Stream stream(detector);
    const auto channels = data::source_channels(detector->recipe);
    const auto samples = own_samples(detector->recipe, 160, 3);
    std::vector<Reading> readings;
    for (size_t c = 0; c < samples.size(); ++c)
        for (size_t i = 0; i < samples[c].size(); ++i)
            if (channels[c].name != "heat" || i != 20)  // at 5 s
                readings.push_back(
                    {static_cast<double>(i) / channels[c].rate_hz, static_cast<int64_t>(c), samples[c][i]});
    std::ranges::stable_sort(readings, {}, &Reading::time_s);
    for (const Reading& reading : readings) stream.push(reading.time_s, reading.channel, reading.value);
    stream.end();
    int64_t windows = 0;
    while (const auto judged = stream.next()) {
        ++windows;
        // Lines to and from it are absent: samples 48 to 52.
        const bool absent = judged->first <= 52 && judged->first + 40 > 48;
        EXPECT_EQ(judged->sensors[4] == score::Sickness::kAbsent, absent) << judged->first;
        EXPECT_EQ(judged->sensors[3] == score::Sickness::kAbsent, false) << judged->first;
    }
    EXPECT_EQ(windows, GetParam() == "cycles" ? 6 : 7);
}

INSTANTIATE_TEST_SUITE_P(RowsAndCycles, Rates, testing::Values("rows", "cycles"));

}  // namespace
}  // namespace cmr::monitor
