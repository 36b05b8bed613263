#include "score/health/health.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "data/synthetic.h"
#include "data/window_matrix.h"

namespace cmr::score {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kLength = 64, kRows = 40 * kLength;
constexpr int64_t kNoisy = 0, kSwitch = 1, kHeld = 2, kStill = 3;  // channels

// A noisy sensor, a switch, one whose values are held for four samples, and one that never moves.
data::Dataset make_plant() {
    data::Dataset out = test::make_dataset({true, false, true, true});
    data::Recording& recording = test::add_recording(out, kRows, 1);
    Rng rng(5);
    for (int64_t t = 0; t < kRows; ++t) {
        recording.channels[kNoisy].values()[t] =
            static_cast<float>(20 + 3 * std::sin(0.02 * static_cast<double>(t)) + 0.2 * rng.normal());
        recording.channels[kSwitch].values()[t] = t / 100 % 2 == 0 ? 1.0f : 2.0f;
        recording.channels[kHeld].values()[t] =
            t % 4 == 0 ? static_cast<float>(rng.normal()) : recording.channels[kHeld][t - 1];
        recording.channels[kStill].values()[t] = 7;
    }
    return out;
}

struct Learned {
    data::Dataset dataset = make_plant();
    SensorHealth health;

    Learned() {
        std::vector<data::Window> windows;
        for (int64_t begin = 0; begin < kRows; begin += kLength) windows.push_back({.recording = 0, .begin = begin});
        health = SensorHealth(dataset, {kNoisy, kSwitch, kHeld}, windows, kLength, 10);
    }

    // A healthy window, changed.
    Sickness judge(int64_t channel, const std::function<void(std::span<float>)>& change, int64_t window = 5) const {
        const auto own = dataset.recordings[0].channels[channel].values().subspan(window * kLength, kLength);
        std::vector<float> samples(own.begin(), own.end());
        change(samples);
        return health.judge(channel, samples);
    }
};

const Learned& learned() {
    static const Learned learned;
    return learned;
}

void nothing(std::span<float>) {}

TEST(SensorHealth, HealthyWindowsAreWell) {
    for (int64_t channel = 0; channel < 4; ++channel)
        for (int64_t window = 0; window < kRows / kLength; ++window)
            EXPECT_EQ(learned().judge(channel, nothing, window), Sickness::kNone) << channel << " " << window;
}

TEST(SensorHealth, TellsEachSicknessOfANoisySensor) {
    const auto judge = [](const std::function<void(std::span<float>)>& change) {
        return name(learned().judge(kNoisy, change));
    };
    EXPECT_EQ(judge([](auto s) { s[10] = kNan; }), "absent");
    EXPECT_EQ(judge([](auto s) { std::ranges::fill(s, kNan); }), "absent");
    EXPECT_EQ(judge([](auto s) {
                  for (float& x : s) x *= 1000;
              }),
              "outside range");
    EXPECT_EQ(judge([](auto s) {
                  for (float& x : s.subspan(48)) x += 15;
              }),
              "outside range");
    EXPECT_EQ(judge([](auto s) { s[30] = 1e30f; }), "spike");
    EXPECT_EQ(judge([](auto s) { s[30] += 3; }), "spike");  // within its range, far from its neighbours
    EXPECT_EQ(judge([](auto s) { std::ranges::fill(s.subspan(32), s[31]); }), "frozen");
    EXPECT_EQ(judge([](auto s) {
                  for (size_t t = 0; t < s.size(); ++t) s[t] = s[t / 4 * 4];
              }),
              "wrong rate");
    EXPECT_EQ(judge([](auto s) {
                  for (size_t t = 0; t < s.size(); ++t) s[t] = static_cast<float>(20 + 0.01 * std::sqrt(t));
              }),
              "noise gone");
    Rng rng(3);
    EXPECT_EQ(judge([&](auto s) {
                  for (float& x : s) x += static_cast<float>(1.5 * rng.normal());
              }),
              "noise risen");
}

TEST(SensorHealth, ASpikeHasAtMostThreeSamples) {
    const auto high = [](size_t samples) {
        return learned().judge(kNoisy, [&](auto s) {
            for (size_t i = 0; i < samples; ++i) s[30 + i] = static_cast<float>(1000 + i * i);
        });
    };
    EXPECT_EQ(high(3), Sickness::kSpike);
    EXPECT_EQ(high(4), Sickness::kOutsideRange);
}

// Healthy values lie within -1.2 … 1.2, but for one window that is higher by 3. The next may be as far beyond that, and
// both limits are moved by half of the whole range.
TEST(SensorHealth, LimitsLieOutsideWhatWasHealthy) {
    data::Dataset dataset = test::make_dataset({true});
    const auto values = test::add_recording(dataset, kRows, 1).channels[0].values();
    for (int64_t t = 0; t < kRows; ++t)
        values[t] = static_cast<float>(std::sin(0.7 * static_cast<double>(t))) + 0.05f * values[t];
    for (float& value : values.subspan(20 * kLength, kLength)) value += 3;
    std::vector<data::Window> windows;
    for (int64_t begin = 0; begin < kRows; begin += kLength) windows.push_back({.recording = 0, .begin = begin});
    const SensorHealth health(dataset, {0}, windows, kLength, 10);
    const auto moved_by = [&](float offset) {
        std::vector<float> samples(values.begin(), values.begin() + kLength);
        for (float& value : samples) value += offset;
        return health.judge(0, samples);
    };
    // Limits: -1.2 - 2.7 and 4.2 + 3 + 2.7. Without the lead of the highest it would be 6.9, without the share 7.2.
    EXPECT_EQ(moved_by(8), Sickness::kNone);
    EXPECT_EQ(moved_by(12), Sickness::kOutsideRange);
    EXPECT_EQ(moved_by(-2.5f), Sickness::kNone);
    EXPECT_EQ(moved_by(-6), Sickness::kOutsideRange);
}

TEST(SensorHealth, ASwitchMayStandStillAndMayNotRattle) {
    EXPECT_EQ(learned().judge(kSwitch, [](auto s) { std::ranges::fill(s, 2.0f); }), Sickness::kNone);
    EXPECT_EQ(learned().judge(kSwitch,
                              [](auto s) {
                                  for (size_t t = 0; t < s.size(); ++t) s[t] = t % 3 == 0 ? 1.0f : 2.0f;
                              }),
              Sickness::kNoiseRisen);
    EXPECT_EQ(learned().judge(kSwitch, [](auto s) { std::ranges::fill(s, 1000.0f); }), Sickness::kOutsideRange);
}

TEST(SensorHealth, ValuesThatAreNoLongerHeldAreAWrongRate) {
    Rng rng(4);
    EXPECT_EQ(learned().judge(kHeld,
                              [&](auto s) {
                                  for (float& x : s) x = static_cast<float>(rng.normal());
                              }),
              Sickness::kWrongRate);
}

TEST(SensorHealth, AChannelThatIsNotUsedMayBeAnythingOrAbsent) {
    EXPECT_EQ(learned().judge(kStill, [](auto s) { std::ranges::fill(s, kNan); }), Sickness::kNone);
    EXPECT_EQ(learned().judge(kStill, [](auto s) { std::ranges::fill(s, 9.0f); }), Sickness::kNone);
}

TEST(SensorHealth, WhereNothingIsKnownSamplesCanStillBeAbsent) {
    const SensorHealth nothing_known;
    EXPECT_EQ(nothing_known.judge(0, std::vector<float>{1, kNan}), Sickness::kAbsent);
    EXPECT_EQ(nothing_known.judge(0, std::vector<float>{1, 1e30f}), Sickness::kNone);
}

TEST(SensorHealth, IsSaidByChannel) {
    const std::vector<Sickness> sensors = {Sickness::kFrozen, Sickness::kNone, Sickness::kAbsent};
    EXPECT_EQ(to_text(sensors, {{"a", true, ""}, {"b", true, ""}, {"c, d", true, ""}}), "a frozen; c, d absent");
    EXPECT_EQ(to_text(std::vector<Sickness>(2), {{"a", true, ""}, {"b", true, ""}}), "");
}

TEST(SensorHealth, IsTheSameAfterSavingAndLoading) {
    io::Safetensors file;
    Archive to(file, "health");
    learned().health.save(to);
    const SensorHealth again(Archive(file, "health"), 4);
    Matrix raw = data::raw_windows(learned().dataset, {{.recording = 0, .begin = 0}}, kLength);
    raw.values[0] = 1e9f;
    const MatrixView channels{raw.values.data(), 4, kLength};
    EXPECT_EQ(again.judge(channels), learned().health.judge(channels));
    EXPECT_EQ(again.judge(channels).front(), Sickness::kSpike);
}

}  // namespace
}  // namespace cmr::score
