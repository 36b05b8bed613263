// A stream takes no memory for a row: what it needs it has after the first ones. Only a window that completes does.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "monitor/shape.h"

namespace {

std::atomic<int64_t> allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const out = std::malloc(size)) return out;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cmr::monitor {
namespace {

std::shared_ptr<score::Detector> fit() {
    recipe::Recipe recipe = test::make_recipe(32, 16);
    recipe.name = "pump";
    recipe.data.rate_hz = 1;
    recipe.data.gaps = "interpolate";
    recipe.data.max_gap = 2;
    for (const char* role : {"cause", "effect"}) {
        recipe::Channels& entry = recipe.channels.emplace_back();
        entry.role = entry.group = role;
        entry.names = {std::string(role) + " 1", std::string(role) + " 2"};
    }
    return test::fit_shape(test::shape_of(recipe), /*network=*/false);
}

class Allocations : public testing::TestWithParam<bool> {};

TEST_P(Allocations, ARowTakesNone) {
    const auto detector = fit();
    Stream stream(detector, {.lateness_s = 10, .stale_s = 3});
    const auto rows = test::plant_samples(detector->recipe, 1000, 3, 1000);
    int64_t quiet = 0;
    for (int64_t t = 0; t < 1000; ++t) {
        // Pairs in the wrong order; a row that comes twice, one too late, one that is absent.
        const int64_t at = t ^ 1;
        const int64_t before = allocations, windows = stream.counts().windows;
        for (const int64_t moment : {at, t % 7 == 0 ? at : t - t % 50 - 60}) {
            const auto time_s = static_cast<double>(moment);
            if (moment < 0 || at % 61 == 0) continue;
            if (GetParam())
                for (int64_t c = 0; c < 4; ++c) stream.push(time_s, c, rows[moment][c]);
            else
                stream.push(time_s, rows[moment]);
        }
        if (t >= 100 && stream.counts().windows == windows) {
            EXPECT_EQ(allocations - before, 0) << "row " << t;
            ++quiet;
        }
        while (stream.next()) {
        }
    }
    EXPECT_GT(quiet, 800);
    EXPECT_GT(stream.counts().windows, 40);
    EXPECT_GT(stream.counts().late, 0);
    EXPECT_GT(stream.counts().doubled, 0);
}

INSTANTIATE_TEST_SUITE_P(RowsAndReadings, Allocations, testing::Bool());

}  // namespace
}  // namespace cmr::monitor
