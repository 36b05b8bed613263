#include "monitor/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/shape.h"
#include "support/expect_input_error.h"

namespace cmr::monitor {
namespace {

using test::expect_input_error;

recipe::Recipe recipe_of() {
    recipe::Recipe out = test::make_recipe(32, 16);
    out.name = "pump";
    out.data.rate_hz = 1;
    out.data.gaps = "drop-window";
    out.data.time.column = "time";
    const auto channels = [&](const char* role, const char* group, const std::vector<std::string>& names) {
        recipe::Channels& entry = out.channels.emplace_back();
        entry.role = role;
        entry.group = group;
        entry.names = names;
    };
    channels("cause", "drive", {"speed", "load"});
    channels("effect", "pressure", {"inlet", "outlet"});
    return test::shape_of(out);
}

std::shared_ptr<score::Detector> fit() { return test::fit_shape(recipe_of(), false); }

const std::shared_ptr<score::Detector>& detector() {
    static const std::shared_ptr<score::Detector> out = fit();
    return out;
}

std::vector<std::vector<float>> samples(int64_t rows, int64_t broken = 1'000'000) {
    return test::plant_samples(detector()->recipe, rows, 5, broken);
}

std::vector<JudgedWindow> all(Stream& stream) {
    std::vector<JudgedWindow> out;
    while (auto judged = stream.next()) out.push_back(std::move(*judged));
    return out;
}

TEST(Stream, WindowsCompleteWithTheirLastRow) {
    Stream stream(detector());
    EXPECT_THAT(stream.channels(), testing::ElementsAre("speed", "load", "inlet", "outlet"));
    EXPECT_THAT(stream.effects(), testing::ElementsAre("inlet", "outlet"));
    const auto rows = samples(48);
    for (int64_t t = 0; t < 48; ++t) {
        stream.push(100.0 + static_cast<double>(t), rows[t]);
        const bool last = t == 31 || t == 47;
        const auto judged = stream.next();
        ASSERT_EQ(judged.has_value(), last) << t;
        if (!last) continue;
        EXPECT_EQ(judged->first, t - 31);
        EXPECT_EQ(judged->start_s, 100 + t - 31);
        EXPECT_EQ(judged->end_s, 101 + t);
        EXPECT_TRUE(judged->judged);
        EXPECT_EQ(judged->scores.size(), stream.names().size());
        EXPECT_EQ(judged->residuals.size(), 2u);
    }
    EXPECT_EQ(stream.counts().rows, 48);
    EXPECT_EQ(stream.counts().readings, 48 * 4);
    EXPECT_EQ(stream.counts().windows, 2);
}

// What a recipe makes from columns of a file is a channel like the others here.
TEST(Stream, MadeChannelsAreGivenAsTheOthers) {
    recipe::Recipe recipe = recipe_of();
    recipe.channels[1].made = "derivative";
    recipe.channels[1].columns = {"level", "tank"};
    auto other = fit();
    other->recipe = recipe;
    Stream stream(other), same(detector());
    EXPECT_EQ(stream.channels(), same.channels());
    const auto rows = samples(32);
    for (int64_t t = 0; t < 32; ++t) {
        stream.push(static_cast<double>(t), rows[t]);
        same.push(static_cast<double>(t), rows[t]);
    }
    const auto found = stream.next(), expected = same.next();
    ASSERT_TRUE(found && expected);
    EXPECT_EQ(found->scores, expected->scores);
}

TEST(Stream, RowsOlderThanTheWatermarkAreCountedAndNotScored) {
    Stream stream(detector(), {.lateness_s = 2});
    const auto rows = samples(10);
    for (const double time : {0.0, 1.0, 4.0, 2.0, 3.0}) stream.push(time, rows[static_cast<size_t>(time)]);
    EXPECT_EQ(stream.counts().late, 0);
    EXPECT_EQ(stream.counts().rows, 3) << "those up to the watermark";
    stream.push(1.5, rows[9]);
    EXPECT_EQ(stream.counts().late, 4) << "a reading per channel";
    EXPECT_EQ(stream.counts().rows, 3);
    stream.end();
    EXPECT_EQ(stream.counts().rows, 5);
    EXPECT_EQ(stream.counts().gaps, 0);
}

TEST(Stream, WhatComesTwiceCountsOnce) {
    for (const double lateness_s : {0.0, 5.0}) {
        Stream stream(detector(), {.lateness_s = lateness_s});
        const auto rows = samples(3);
        for (const int t : {0, 0, 1, 1, 2, 2}) stream.push(t, rows[t]);
        stream.push(2, 1, 99.0f);
        stream.end();
        EXPECT_EQ(stream.counts().rows, 3) << lateness_s;
        EXPECT_EQ(stream.counts().doubled, 13) << lateness_s;
        EXPECT_EQ(stream.counts().late, 0) << lateness_s;
    }
}

// Sensors that do not send at the very same moment.
TEST(Stream, ReadingsLessThanHalfASampleApartAreOneRow) {
    Stream stream(detector()), same(detector());
    const auto rows = samples(32);
    for (int64_t t = 0; t < 32; ++t) {
        for (int64_t c = 0; c < 4; ++c)
            stream.push(static_cast<double>(t) + 0.1 * static_cast<double>(c), c, rows[t][c]);
        same.push(static_cast<double>(t), rows[t]);
    }
    EXPECT_EQ(stream.counts().rows, 32);
    const auto found = stream.next(), expected = same.next();
    ASSERT_TRUE(found && expected);
    EXPECT_EQ(found->scores, expected->scores);
    stream.push(32, 0, 1.0f);
    stream.push(32.6, 1, 1.0f);
    stream.end();
    EXPECT_EQ(stream.counts().rows, 34) << "more than half a sample apart: two rows";
}

TEST(Stream, ASilentChannelKeepsItsValueUntilItIsStale) {
    for (const double stale_s : {0.0, 4.0}) {
        Stream stream(detector(), {.stale_s = stale_s});
        auto rows = samples(64);
        for (int64_t t = 0; t < 64; ++t)
            for (int64_t c = 0; c < 4; ++c)
                if (c != 3 || t < 40) stream.push(static_cast<double>(t), c, rows[t][c]);
        stream.end();
        const auto windows = all(stream);
        ASSERT_EQ(windows.size(), 3u);
        EXPECT_EQ(windows[0].sensors[3], score::Sickness::kNone);
        EXPECT_EQ(windows[1].sensors[3], score::Sickness::kAbsent) << "of samples 16 to 47 those from 40 or 44 on lack";
        EXPECT_TRUE(windows[1].judged) << "by the other effect";
        EXPECT_TRUE(std::isnan(windows[1].residuals[1]));
    }
}

TEST(Stream, ASilentCauseLeavesTheWindowUnjudgedAndTheAlarmAsItWas) {
    Stream stream(detector());
    auto rows = samples(200, 60);
    for (int64_t t = 0; t < 200; ++t) {
        if (t >= 120 && t < 150) rows[t][0] = NAN;
        stream.push(static_cast<double>(t), rows[t]);
    }
    const auto windows = all(stream);
    bool before = false;
    int64_t unjudged = 0;
    for (const JudgedWindow& window : windows) {
        if (!window.judged) {
            ++unjudged;
            EXPECT_EQ(window.alarm, before) << window.first;
            EXPECT_TRUE(std::isnan(window.level));
        }
        before = window.alarm;
    }
    EXPECT_TRUE(before) << "the inlet no longer follows";
    EXPECT_EQ(unjudged, stream.counts().unjudged);
    EXPECT_EQ(unjudged, 4) << "windows at 96, 112, 128 and 144 hold samples 120 to 149";
    EXPECT_EQ(stream.counts().alarms, 1);
}

TEST(Stream, AfterAStepInTimeWindowsBeginAnew) {
    Stream stream(detector());
    const auto rows = samples(100);
    for (int64_t t = 0; t < 100; ++t) stream.push(static_cast<double>(t < 40 ? t : t + 3), rows[t]);
    const auto windows = all(stream);
    ASSERT_EQ(windows.size(), 3u);
    EXPECT_EQ(windows[0].first, 0);
    EXPECT_EQ(windows[1].first, 40);
    EXPECT_EQ(windows[1].start_s, 43);
    EXPECT_EQ(windows[2].first, 56);
    EXPECT_EQ(stream.counts().gaps, 1);
}

TEST(Stream, AnAlarmIsExplainedByWhatTheStreamKeeps) {
    Stream stream(detector());
    EXPECT_THROW(stream.explain(), InputError);
    const auto rows = samples(200, 100);
    double raised_s = 0;
    for (int64_t t = 0; t < 200; ++t) {
        stream.push(static_cast<double>(t), rows[t]);
        while (const auto judged = stream.next())
            if (judged->raised) raised_s = judged->end_s;
    }
    const score::Explanation why = stream.explain();
    EXPECT_EQ(why.effects.front().name, "inlet");
    EXPECT_GE(why.level, 1);
    EXPECT_GT(raised_s, 100);
    EXPECT_LE(why.onset_s, raised_s);
    EXPECT_GT(why.onset_s, 100);
}

TEST(Stream, SettingsAndReadingsThatCannotBeAreRefused) {
    expect_input_error([] { Stream(detector(), {.lateness_s = -1}); }, {"lateness_s = -1"});
    expect_input_error([] { Stream(detector(), {.stale_s = INFINITY}); }, {"stale_s = inf"});
    expect_input_error([] { Stream(detector(), {.stride = -4}); }, {"stride = -4"});
    const auto uneven = fit();
    uneven->recipe.data.time.resample = "linear";
    expect_input_error([&] { Stream s(uneven); }, {"resample", "even steps"});
    Stream stream(detector());
    const std::string before = stream.save();
    expect_input_error([&] { stream.push(NAN, samples(1)[0]); }, {"time of a reading: nan"});
    expect_input_error([&] { stream.push(0, std::vector<float>(3)); }, {"a row of 3 values, expected 4"});
    expect_input_error([&] { stream.push(0, 4, 1.0f); }, {"channel 4: there are 4"});
    EXPECT_EQ(stream.save(), before);
}

TEST(Stream, AStateIsRefusedWhereItIsNotOfThisStream) {
    Stream stream(detector());
    const auto rows = samples(40);
    for (int64_t t = 0; t < 40; ++t) stream.push(static_cast<double>(t), rows[t]);
    const std::string state = stream.save();

    Stream later(detector(), {.lateness_s = 1});
    expect_input_error([&] { later.restore(state); }, {"other settings"});
    const auto changed = fit();
    changed->alarm.rule.release = 0.5;
    Stream other(changed);
    expect_input_error([&] { other.restore(state); }, {"another model"});

    Stream same(detector());
    const std::string fresh = same.save();
    expect_input_error([&] { same.restore("cmr stream 0\n"); }, {"another version"});
    for (const size_t at : {size_t{40}, state.size() / 2, state.size() - 1}) {
        std::string damaged = state;
        damaged[at] ^= 1;
        expect_input_error([&] { same.restore(damaged); }, {"damaged"});
    }
    expect_input_error([&] { same.restore(state.substr(0, 20)); }, {"ends too soon"});
    expect_input_error([&] { same.restore(state.substr(0, state.size() - 5)); }, {"damaged"});
    EXPECT_EQ(same.save(), fresh);
    same.restore(state);
    EXPECT_TRUE(same == stream);
    EXPECT_FALSE(same == later);
}

}  // namespace
}  // namespace cmr::monitor
