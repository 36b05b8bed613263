#include "report/trace.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<double> seconds(size_t count) {
    std::vector<double> times(count);
    for (size_t i = 0; i < count; ++i) times[i] = static_cast<double>(i);
    return times;
}

size_t points(const std::vector<Polyline>& lines) {
    size_t count = 0;
    for (const Polyline& line : lines) count += line.size();
    return count;
}

TEST(Trace, KeepsThePeaksOfEveryColumn) {
    const size_t count = 500'000;
    const auto times = seconds(count);
    std::vector<float> values;
    Rng rng(1);
    for (size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(rng.normal()));
    values[123'456] = 90;
    values[400'001] = -70;
    const Scale x(ScaleKind::kElapsed, 0, static_cast<double>(count), 0, 800), y(ScaleKind::kLinear, -100, 100, 100, 0);
    const auto lines = trace(times, values, 1, x, y);
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_LE(points(lines), 1600u);
    for (int column = 0; column < 800; ++column) {
        const auto [least, most] =
            std::minmax_element(values.begin() + column * 625, values.begin() + (column + 1) * 625);
        double top = 1e9, bottom = -1e9;
        for (const Point& point : lines[0]) {
            if (std::floor(point.x) != column) continue;
            top = std::min(top, point.y);
            bottom = std::max(bottom, point.y);
        }
        EXPECT_DOUBLE_EQ(top, y.at(*most)) << "in column " << column;
        EXPECT_DOUBLE_EQ(bottom, y.at(*least)) << "in column " << column;
    }
    for (size_t i = 1; i < lines[0].size(); ++i) EXPECT_GE(lines[0][i].x, lines[0][i - 1].x);
}

TEST(Trace, BreaksAtGapsInTimeAndInValues) {
    const std::vector<double> times{0, 10, 20, 30, 100, 110, 120, 130};
    const std::vector<float> values{1, 2, kNan, 3, 4, 5, kInfinity, 6};
    const Scale x(ScaleKind::kElapsed, 0, 130, 0, 130), y(ScaleKind::kLinear, 0, 10, 10, 0);
    const auto lines = trace(times, values, 10, x, y);
    ASSERT_THAT(lines, SizeIs(4));
    EXPECT_THAT(lines[0], SizeIs(2));
    EXPECT_THAT(lines[1], SizeIs(1));
    EXPECT_THAT(lines[2], SizeIs(2));
    EXPECT_EQ(path_data(lines), "M0 9L10 8M30 7h0M100 6L110 5M130 4h0");
}

TEST(Trace, StaysShortWithAGapAtEveryOtherSample) {
    const auto times = seconds(100'000);
    std::vector<float> values(times.size(), 1.f);
    for (size_t i = 0; i < values.size(); i += 2) values[i] = kNan;
    const Scale x(ScaleKind::kElapsed, 0, 100'000, 0, 500), y(ScaleKind::kLinear, 0, 2, 10, 0);
    EXPECT_LE(points(trace(times, values, 1, x, y)), 1000u);
}

TEST(Trace, OfNothingIsNothing) {
    const Scale x(ScaleKind::kElapsed, 0, 1, 0, 500), y(ScaleKind::kLinear, 0, 2, 10, 0);
    EXPECT_THAT(trace({}, {}, 1, x, y), IsEmpty());
    EXPECT_THAT(trace(seconds(3), std::vector<float>(3, kNan), 1, x, y), IsEmpty());
    EXPECT_EQ(path_data({}), "");
    EXPECT_EQ(usual_step({}), 1);
    EXPECT_EQ(usual_step(std::vector<double>{0, 5, 10, 100}), 5);
}

TEST(Trace, PartsAboveALevelEndOnIt) {
    const std::vector<Polyline> lines{{{0, 10}, {10, 0}, {20, 10}}, {{30, 2}, {40, 2}}, {{50, 9}, {60, 9}}};
    const auto parts = parts_above(lines, 5);
    ASSERT_THAT(parts, SizeIs(2));
    EXPECT_EQ(path_data(parts, true), "M5 5L10 0L15 5ZM30 5L30 2L40 2L40 5Z");
}

TEST(Cells, HoldTheGreatestOfTheirSamples) {
    const auto times = seconds(8);
    const std::vector<float> values{1, -9, 2, 3, kNan, kNan, 4, kInfinity};
    const Scale x(ScaleKind::kElapsed, 0, 8, 0, 100);
    const auto greatest = cells(times, values, 1, x, 4, Cell::kGreatest);
    EXPECT_EQ(greatest[0], 1);
    EXPECT_EQ(greatest[1], 3);
    EXPECT_TRUE(std::isnan(greatest[2]));
    EXPECT_EQ(greatest[3], 4);
    EXPECT_EQ(cells(times, values, 1, x, 4, Cell::kGreatestMagnitude)[0], 9);
    EXPECT_EQ(cells(times, values, 1, x, 4, Cell::kMean)[0], -4);
}

TEST(Cells, AreFilledForAsLongAsASampleStands) {
    const std::vector<double> times{0, 10, 30};
    const std::vector<float> values{1, 2, 3};
    const auto out = cells(times, values, 10, Scale(ScaleKind::kElapsed, 0, 40, 0, 100), 8, Cell::kGreatest);
    EXPECT_THAT(std::vector<float>(out.begin(), out.begin() + 4), ElementsAre(1, 1, 2, 2));
    EXPECT_TRUE(std::isnan(out[4]) && std::isnan(out[5]));
    EXPECT_EQ(out[6], 3);
    EXPECT_EQ(out[7], 3);
}

TEST(Signals, NeedATimeForEveryValueAndTimesThatRise) {
    test::expect_input_error([] { check_signal("FIT401", seconds(3), 4); }, {"FIT401", "4 values", "3 times"});
    test::expect_input_error([] { check_signal("FIT401", std::vector<double>{0, 2, 1}, 3); }, {"FIT401", "time 3"});
    test::expect_input_error([] { check_signal("x", std::vector<double>{0, std::nan("")}, 2); }, {"x", "time 2"});
}

}  // namespace
}  // namespace cmr::report
