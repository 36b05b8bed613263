#pragma once
// A machine of two causes and two effects, and a recipe whose epochs take milliseconds: plant.toml and data/.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/rng.h"

namespace cmr::test {

struct SmallPlant {
    static constexpr int kHealthy = 3200, kFaulty = 640, kLength = 32;  // rows, and rows of a window
};

// Every seed is another day.
inline void write_plant_rows(const std::filesystem::path& file_name, int rows, bool faulty, uint64_t seed) {
    std::ofstream file(file_name);
    file << "a,b,y,z\n";
    Rng rng(seed);
    double a = 0;
    for (int i = 0; i < rows; ++i) {
        a = 0.9 * a + 0.4 * rng.normal();
        const double b = std::sin(0.2 * i) + 0.1 * rng.normal();
        const double y = 0.8 * a + 0.4 * b + 0.1 * rng.normal() + (faulty ? std::sin(i) : 0);
        file << fmt::format("{:.6f},{:.6f},{:.6f},{:.6f}\n", a, b, y, a * b + 0.1 * rng.normal());
    }
}

// Of a recipe whose data are data/healthy.csv and data/faulty.csv.
inline constexpr const char* kHealthyAndFaulty = R"(
[[data.part]]
name = "healthy"
files = "healthy.csv"
state = "healthy"
[[data.part]]
name = "fault"
files = "faulty.csv"
role = "test"
state = "faulty"
stratum = "leak"
)";

inline void write_small_plant(const std::filesystem::path& folder) {
    std::filesystem::create_directory(folder / "data");
    write_plant_rows(folder / "data/healthy.csv", SmallPlant::kHealthy, false, /*seed=*/1);
    write_plant_rows(folder / "data/faulty.csv", SmallPlant::kFaulty, true, /*seed=*/2);
    std::ofstream(folder / "plant.toml") << R"(
name = "plant"
description = "A small plant"
data.rate_hz = 1.0
window = { length = 32, stride = 32 }
split.held_out = "validation+test"
model = { width = 16, layers = 1, state = 4, rank = 2 }
train = { batch = 8, max_epochs = 15, warmup_epochs = 1, learning_rate = 5e-3 }
)" << kHealthyAndFaulty << R"(
[[channels]]
role = "cause"
group = "drive"
names = ["a", "b"]
[[channels]]
role = "effect"
group = "answer"
names = ["y", "z"]
)";
}

}  // namespace cmr::test
