// A stream gives the score file that `cmr score` writes of the sorted readings, to the byte: whatever their order,
// however often they come, wherever the program is stopped and started again. For the shape of every shipped recipe.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "monitor/shape.h"

namespace cmr::monitor {
namespace {

namespace fs = std::filesystem;
using test::TimedRow;

// A case, drawn by rapidcheck.
struct Case {
    uint64_t seed = 0;
    int windows = 1;  // about so many
    int gaps = 0;     // steps in time
    int holes = 0;    // absent cells
    int late = 0;     // lateness in samples
    int doubled = 0;  // percent of rows that come twice
    int kills = 0;    // times that the state is saved and restored
    bool by_channel = false;
};

std::string to_text(const Case& c) {
    return fmt::format("seed {} windows {} gaps {} holes {} late {} doubled {} kills {} by_channel {}\n", c.seed,
                       c.windows, c.gaps, c.holes, c.late, c.doubled, c.kills, c.by_channel);
}

Case draw() {
    using rc::gen::inRange;
    return {*inRange<uint64_t>(0, 1'000'000),
            *inRange(1, 8),
            *inRange(0, 4),
            *inRange(0, 4),
            *inRange(0, 30),
            *inRange(0, 30),
            *inRange(0, 4),
            *rc::gen::arbitrary<bool>()};
}

// Rows in order of time, with gaps and holes where the recipe can have them.
std::vector<TimedRow> rows_of(const recipe::Recipe& recipe, const Case& c) {
    const recipe::Window& shape = recipe.window;
    const bool cycles = recipe.data.layout == "cycles", timed = !cycles && !recipe.data.time.column.empty();
    int64_t count = shape.length + (c.windows - 1) * shape.stride + static_cast<int64_t>(c.seed % 5);
    if (cycles) count = c.windows * std::llround(recipe.data.rate_hz * recipe.data.cycle_s);
    Rng rng = Rng(c.seed).split("rows");
    const auto samples = test::plant_samples(recipe, count, c.seed + 2, count / 2);
    std::vector<TimedRow> rows(count);
    const int64_t origin = timed && c.seed % 2 == 0 ? 1'600'000'000 : 0;
    int64_t step = std::llround(static_cast<double>(origin) * recipe.data.rate_hz);
    for (int64_t i = 0; i < count; ++i, ++step) {
        if (timed && recipe.data.gaps != "error" && c.gaps > 0 && rng.below(count) < static_cast<uint64_t>(c.gaps))
            step += 1 + static_cast<int64_t>(rng.below(6));
        rows[i] = {static_cast<double>(step) / recipe.data.rate_hz, samples[i]};
    }
    if (recipe.data.gaps != "error")
        for (int i = 0; i < c.holes; ++i) {
            const auto at = static_cast<int64_t>(rng.below(count)), length = static_cast<int64_t>(1 + rng.below(5));
            const size_t channel = rng.below(samples[0].size());
            for (int64_t j = at; j < std::min(at + length, count); ++j) rows[j].values[channel] = NAN;
        }
    return rows;
}

struct Arrival {
    double at_s = 0;
    size_t row = 0;
};

std::vector<Arrival> arrivals(const std::vector<TimedRow>& rows, const Case& c, double lateness_s) {
    Rng rng = Rng(c.seed).split("arrivals");
    std::vector<Arrival> out;
    for (size_t i = 0; i < rows.size(); ++i)
        for (int copy = 0; copy < (rng.below(100) < static_cast<uint64_t>(c.doubled) ? 2 : 1); ++copy)
            out.push_back({rows[i].time_s + rng.uniform(0, 0.999 * lateness_s), i});
    std::ranges::stable_sort(out, {}, &Arrival::at_s);
    return out;
}

std::string stream_scores(const std::shared_ptr<score::Detector>& detector, const std::vector<TimedRow>& rows,
                          const Case& c) {
    const Settings settings{.lateness_s = c.late / detector->recipe.data.rate_hz};
    Stream stream(detector, settings);
    std::string out = score::score_header(stream.names(), stream.effects());
    Rng rng = Rng(c.seed).split("stream");
    const std::vector<Arrival> all = arrivals(rows, c, settings.lateness_s);
    std::vector<size_t> order(rows.front().values.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const TimedRow& row = rows[all[i].row];
        if (c.by_channel) {
            std::iota(order.begin(), order.end(), size_t{0});
            for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
            for (const size_t k : order) stream.push(row.time_s, static_cast<int64_t>(k), row.values[k]);
        } else {
            stream.push(row.time_s, row.values);
        }
        if (rng.below(3) == 0) out += test::taken(stream);
        if (c.kills > 0 && rng.below(all.size()) < static_cast<uint64_t>(c.kills)) {
            const std::string state = stream.save();
            Stream other(detector, settings);
            other.restore(state);
            RC_ASSERT(other == stream);
            RC_ASSERT(other.counts().readings == stream.counts().readings);
            stream = std::move(other);
        }
    }
    stream.end();
    out += test::taken(stream);
    const auto readings = static_cast<int64_t>(all.size() * order.size());
    RC_ASSERT(stream.counts().readings == readings);
    RC_ASSERT(stream.counts().late == 0);
    RC_ASSERT(stream.counts().doubled == readings - static_cast<int64_t>(rows.size() * order.size()));
    return out;
}

class EveryRecipe : public testing::TestWithParam<std::string> {};

TEST_P(EveryRecipe, AStreamGivesTheScoresOfTheFile) {
    const recipe::Recipe recipe = test::shape_of(recipe::read_recipe(fs::path(CMR_RECIPES) / (GetParam() + ".toml")));
    for (const bool network : {false, true}) {
        const auto detector = test::fit_shape(recipe, network);
        const bool held = rc::check(fmt::format("{}, network {}", GetParam(), network), [&] {
            const Case c = draw();
            recipe::Data& data = detector->recipe.data;
            data.gaps = *rc::gen::element<std::string>("error", "drop-window", "interpolate");
            data.max_gap = data.gaps == "interpolate" ? 3 : 0;
            const std::vector<TimedRow> rows = rows_of(detector->recipe, c);
            std::string expected;
            try {
                expected = test::file_scores(*detector, rows);
            } catch (const InputError& error) {
                RC_DISCARD(error.what());
            }
            const std::string found = stream_scores(detector, rows, c);
            if (found != expected) RC_LOG() << to_text(c) << "found:\n" << found << "expected:\n" << expected;
            RC_ASSERT(found == expected);
        });
        EXPECT_TRUE(held);
    }
}

std::vector<std::string> shipped() {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(CMR_RECIPES))
        if (entry.path().extension() == ".toml") out.push_back(entry.path().stem().string());
    std::ranges::sort(out);
    return out;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryRecipe, testing::ValuesIn(shipped()), [](const auto& of) {
    std::string name = of.param;
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return name;
});

// Enough for one recipe; all of them together are many.
const int kFewCases = setenv("RC_PARAMS", "max_success=12", /*overwrite=*/0);

}  // namespace
}  // namespace cmr::monitor
