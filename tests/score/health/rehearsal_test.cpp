// Every sickness, rehearsed on every channel that is used, of the demo's water plant and of Tennessee Eastman; and
// healthy windows, in which every channel is well. Counts go to the properties of the test (--gtest_output=xml) and to
// docs/explain.md.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "data/load.h"
#include "score/simulated.h"
#include "support/shared_data.h"

namespace cmr::score {
namespace {

// Healthy data that no fit has seen, and what was learned from others.
struct Plant {
    data::Dataset dataset;
    int32_t healthy = 0;  // recording
    recipe::Window shape;
    model::Preprocessing used;
    SensorHealth health;
    std::vector<data::Window> learned;  // from
};

Plant learn(data::Dataset dataset, const recipe::Recipe& recipe, int32_t healthy) {
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    model::Preprocessing used = model::prepare(dataset, recipe, fold);
    std::vector<int64_t> channels = used.causes;
    channels.insert(channels.end(), used.effects.begin(), used.effects.end());
    std::vector<data::Window> windows = healthy_windows(recipe, data::runs_of(fold));
    SensorHealth health(dataset, channels, windows, recipe.window.length, recipe.score.blocks);
    return {std::move(dataset), healthy, recipe.window, std::move(used), std::move(health), std::move(windows)};
}

Plant water() {
    const recipe::Recipe recipe = test::water_recipe();
    data::Dataset dataset = test::empty_dataset(recipe);
    const Rng rng(1);
    test::add_water(dataset, 0, "fit", simulate::simulate_water_normal(100'000, rng.split("normal")));
    test::add_water(dataset, 1, "healthy", simulate::simulate_water_normal(100'000, rng.split("later")));
    return learn(std::move(dataset), recipe, 1);
}

Plant tep(const std::filesystem::path& root) {
    const auto folder = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
    const recipe::Recipe recipe = recipe::read_recipe(folder / "recipes" / "tep.toml");
    data::Dataset dataset = data::load(recipe, root);
    std::erase_if(dataset.recordings, [&](const data::Recording& r) { return dataset.parts[r.part].name == "faults"; });
    const auto healthy = std::ranges::find(dataset.recordings, "test",
                                           [&](const data::Recording& r) { return dataset.parts[r.part].role; });
    const auto index = static_cast<int32_t>(healthy - dataset.recordings.begin());
    return learn(std::move(dataset), recipe, index);
}

std::vector<float> samples_of(const Plant& plant, const data::Window& window, int64_t channel) {
    const auto all = plant.dataset.recordings[window.recording].channels[channel].values();
    const auto own = all.subspan(window.begin, plant.shape.length);
    return {own.begin(), own.end()};
}

bool is_still(const std::vector<float>& samples) {
    return std::ranges::all_of(samples, [&](float value) { return value == samples.front(); });
}

// What is usual for a channel, from the windows that were learned from.
struct Usual {
    double range = 0;   // from the least to the largest sample
    double noise = 0;   // how far a value is from the one before, median over windows that move
    double moving = 0;  // share of windows in which it moves

    bool is_switch() const { return moving < 0.99; }  // a standstill is nothing new, nor is a smooth line
};

Usual usual_of(const Plant& plant, int64_t channel) {
    std::vector<double> noise;
    for (const data::Window& w : plant.learned) {
        const std::vector<float> samples = samples_of(plant, w, channel);
        if (is_still(samples)) continue;
        double sum = 0, steps = 0;
        for (size_t t = 1; t < samples.size(); ++t) {
            sum += std::abs(double{samples[t]} - samples[t - 1]);
            steps += samples[t] != samples[t - 1];
        }
        noise.push_back(sum / steps);
    }
    Usual out{.range = double{plant.used.scaler.most[channel]} - plant.used.scaler.least[channel]};
    out.moving = static_cast<double>(noise.size()) / static_cast<double>(plant.learned.size());
    std::ranges::sort(noise);
    if (!noise.empty()) out.noise = noise[noise.size() / 2];
    return out;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One sickness of a window of `channel`; false where it would change nothing that a healthy window does not show.
struct Rehearsal {
    const char* name;
    Sickness expected;
    bool (*spoil)(std::span<float> samples, const Usual& usual, Rng& rng);
};

// Applies `change` to the values that differ from the one before, and holds them as they were held.
template <typename Change>
void change_values(std::span<float> samples, const Change& change) {
    std::vector<size_t> begins = {0};
    for (size_t t = 1; t < samples.size(); ++t)
        if (samples[t] != samples[t - 1]) begins.push_back(t);
    for (size_t i = 0; i < begins.size(); ++i) {
        const size_t end = i + 1 < begins.size() ? begins[i + 1] : samples.size();
        std::ranges::fill(samples.subspan(begins[i], end - begins[i]), change(samples[begins[i]], begins[i]));
    }
}

const Rehearsal kRehearsals[] = {
    {"absent", Sickness::kAbsent,
     [](std::span<float> samples, const Usual&, Rng& rng) {
         const size_t begin = rng.below(samples.size());
         std::ranges::fill(samples.subspan(begin), kNan);
         return true;
     }},
    {"units wrong by 1,000", Sickness::kOutsideRange,
     [](std::span<float> samples, const Usual&, Rng&) {
         const bool zero = std::ranges::all_of(samples, [](float value) { return value == 0; });
         for (float& value : samples) value *= 1000;
         return !zero;
     }},
    {"offset by two ranges", Sickness::kOutsideRange,
     [](std::span<float> samples, const Usual& usual, Rng& rng) {
         const double shift = (rng.below(2) == 0 ? 2 : -2) * usual.range;
         for (float& value : samples.subspan(samples.size() / 2)) value = static_cast<float>(value + shift);
         return true;
     }},
    {"spike", Sickness::kSpike,
     [](std::span<float> samples, const Usual& usual, Rng& rng) {
         constexpr double kSizes[] = {2, 5, 1e3, 1e6, 1e15, 1e30};
         const double size = kSizes[rng.below(6)] * usual.range;
         const size_t length = 1 + rng.below(3), at = rng.below(samples.size() - length);
         for (size_t i = 0; i < length; ++i) samples[at + i] = static_cast<float>(samples[at + i] + size);
         return true;
     }},
    {"frozen", Sickness::kFrozen,
     [](std::span<float> samples, const Usual& usual, Rng&) {
         const auto rest = samples.subspan(samples.size() / 8);
         std::ranges::fill(rest, rest.front());
         return !usual.is_switch();
     }},
    {"noise gone", Sickness::kNoiseGone,
     [](std::span<float> samples, const Usual& usual, Rng&) {
         // A straight line through the window, and a slow wave.
         const auto length = static_cast<double>(samples.size());
         const double first = samples.front(), last = samples.back();
         change_values(samples, [&](float, size_t t) {
             const double at = static_cast<double>(t) / length;
             return static_cast<float>(first + (last - first) * at + 0.1 * usual.noise * std::sin(6.283185307 * at));
         });
         return !usual.is_switch();
     }},
    {"noise risen", Sickness::kNoiseRisen,
     [](std::span<float> samples, const Usual& usual, Rng& rng) {
         // What is held is held with its noise; a switch is read through a bad contact.
         if (usual.is_switch())
             for (float& value : samples) value = static_cast<float>(value + 0.1 * usual.range * rng.normal());
         else
             change_values(samples, [&](float value, size_t) {
                 return static_cast<float>(value + 5 * usual.noise * rng.normal());
             });
         return true;
     }},
    {"wrong rate", Sickness::kWrongRate,
     [](std::span<float> samples, const Usual& usual, Rng&) {
         // Held four times as long.
         std::vector<float> values = {samples.front()};
         for (const float value : samples)
             if (value != values.back()) values.push_back(value);
         const size_t each = std::max<size_t>(2, 4 * samples.size() / values.size());
         for (size_t t = 0; t < samples.size(); ++t) samples[t] = values[std::min(t / each * 4, values.size() - 1)];
         return !usual.is_switch() && each <= samples.size() / 4;
     }},
};

constexpr int64_t kWindows = 5;  // of each channel and sickness

void expect_right(const Plant& plant) {
    std::vector<data::Window> windows;
    data::cut_windows(plant.dataset, plant.healthy, plant.shape, plant.shape.length, windows);
    std::vector<int64_t> channels = plant.used.causes;
    channels.insert(channels.end(), plant.used.effects.begin(), plant.used.effects.end());
    std::map<int64_t, Usual> usual;
    for (const int64_t c : channels) usual[c] = usual_of(plant, c);
    Rng rng(11);
    int64_t all = 0, all_right = 0;
    for (const Rehearsal& rehearsal : kRehearsals) {
        int64_t cases = 0, named = 0, right = 0, left_out = 0;
        std::map<std::string, int64_t> wrong;
        for (const int64_t c : channels)
            for (int64_t k = 0; k < kWindows; ++k) {
                std::vector<float> samples = samples_of(plant, windows[rng.below(windows.size())], c);
                if (!rehearsal.spoil(samples, usual[c], rng)) {
                    ++left_out;
                    continue;
                }
                const Sickness found = plant.health.judge(c, samples);
                ++cases;
                named += found != Sickness::kNone;
                right += found == rehearsal.expected;
                if (found != rehearsal.expected)
                    ++wrong[fmt::format("{}: {}", plant.dataset.channels[c].name, name(found))];
            }
        std::string said = fmt::format("{}: {} right and {} named of {} ({} show nothing)", rehearsal.name, right,
                                       named, cases, left_out);
        for (const auto& [what, times] : wrong) said += fmt::format("\n  {} × {}", times, what);
        std::cout << said << "\n";
        testing::Test::RecordProperty(rehearsal.name, said);
        EXPECT_GE(cases, std::ssize(channels)) << said;  // no kind is rehearsed on a few channels alone
        EXPECT_GE(static_cast<double>(named), 0.9 * static_cast<double>(cases)) << said;
        EXPECT_GE(static_cast<double>(right), 0.85 * static_cast<double>(cases)) << said;
        all += cases;
        all_right += right;
    }
    const std::string said = fmt::format("{} right of {}, on {} channels", all_right, all, channels.size());
    std::cout << said << "\n";
    testing::Test::RecordProperty("all", said);
    EXPECT_GE(static_cast<double>(all_right), 0.95 * static_cast<double>(all)) << said;
}

void expect_silent(const Plant& plant) {
    std::vector<data::Window> windows;
    data::cut_windows(plant.dataset, plant.healthy, plant.shape, plant.shape.stride, windows);
    int64_t silent = 0;
    std::map<std::string, int64_t> wrong;
    for (const data::Window& w : windows) {
        std::vector<Sickness> sensors;
        for (int64_t c = 0; c < std::ssize(plant.dataset.channels); ++c)
            sensors.push_back(plant.health.judge(c, samples_of(plant, w, c)));
        const std::string text = to_text(sensors, plant.dataset.channels);
        silent += text.empty();
        if (!text.empty()) ++wrong[text];
    }
    std::string said = fmt::format("silent in {} of {} healthy windows", silent, windows.size());
    for (const auto& [what, times] : wrong) said += fmt::format("\n  {} × {}", times, what);
    std::cout << said << "\n";
    testing::Test::RecordProperty("healthy", said);
    EXPECT_GE(std::ssize(windows), 200);
    EXPECT_GE(static_cast<double>(silent), 0.99 * static_cast<double>(windows.size())) << said;
}

TEST(SensorHealthRehearsed, IsToldRightlyOnTheWaterPlant) {
    const Plant plant = water();
    expect_right(plant);
    expect_silent(plant);
}

TEST(SensorHealthRehearsed, IsToldRightlyOnTennesseeEastman) {
    const auto root = test::shared_data();
    if (root.empty()) GTEST_SKIP() << test::kNoSharedData;
    const Plant plant = tep(root);
    expect_right(plant);
    expect_silent(plant);
}

}  // namespace
}  // namespace cmr::score
