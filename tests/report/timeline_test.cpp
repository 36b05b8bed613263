#include "report/timeline.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/rng.h"
#include "report/clean.h"
#include "support/expect_input_error.h"

namespace cmr::report {
namespace {

using test::count;
using test::expect_clean;
using test::expect_input_error;
using test::kHostile;
using test::kInfinity;
using test::kNan;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct Scores {
    std::vector<double> times;
    std::vector<float> values;
};

Scores quiet_scores(size_t rows) {
    Scores out;
    Rng rng(1);
    for (size_t i = 0; i < rows; ++i) {
        out.times.push_back(1'583'712'000 + static_cast<double>(i));
        out.values.push_back(static_cast<float>(std::exp(-1.5 + 0.2 * rng.normal())));
    }
    return out;
}

TEST(Timeline, ShowsOnePeakAmongHalfAMillionScores) {
    Scores scores = quiet_scores(500'000);
    Timeline timeline{.description = "scores", .times = scores.times, .series = {{"combined", "", scores.values}}};
    const Html quiet = draw(timeline);
    expect_clean(quiet);
    EXPECT_THAT(quiet.text, Not(HasSubstr("score above")));
    EXPECT_LT(quiet.text.size(), 100'000u);
    scores.values[250'000] = 7;
    const Html peak = draw(timeline);
    EXPECT_EQ(count(peak.text, "score above"), 2u);  // in both widths
    EXPECT_THAT(peak.text, ContainsRegex("data-values=\"[^\"]* 7 "));
}

TEST(Timeline, TakesWhateverScoresThereAre) {
    const std::vector<double> times{0, 1, 2, 3};
    for (const ScaleKind y : {ScaleKind::kLinear, ScaleKind::kLog})
        for (const std::vector<float>& values : std::vector<std::vector<float>>{
                 {0, 0, 0, 0}, {kNan, kNan, kNan, kNan}, {kInfinity, -kInfinity, 1, 2}, {-1, 0, 1e-30f, 3e38f}}) {
            Timeline timeline{
                .description = "", .times = times, .x = ScaleKind::kElapsed, .y = y, .series = {{"s", "", values}}};
            expect_clean(draw(timeline));
            timeline.alarm_line.reset();
            expect_clean(draw(timeline));
        }
    expect_clean(draw(Timeline{}));
    expect_clean(draw(Timeline{.description = "", .times = {}, .series = {{"s", "", {}}}}));
    const std::vector<float> one{1};
    expect_clean(draw(Timeline{.description = "", .times = std::vector<double>{5}, .series = {{"s", "", one}}}));
}

TEST(Timeline, NamesBandsAndAlarmsWhateverTheyAreCalled) {
    const Scores scores = quiet_scores(1000);
    const double start = scores.times.front();
    Timeline timeline{.description = kHostile, .times = scores.times, .series = {{kHostile, kHostile, scores.values}}};
    timeline.bands = {{start, start + 300, kHostile, BandKind::kHealthy},
                      {start + 500, start + 501, kHostile},
                      {start - 900, start - 800, "before"},
                      {std::nan(""), start, "nowhere"}};
    timeline.alarms = {{start + 510, start + 520}, {start - 10, start - 5}};
    const Html html = draw(timeline);
    expect_clean(html);
    EXPECT_THAT(html.text, Not(HasSubstr("before")));
    EXPECT_THAT(html.text, Not(HasSubstr("nowhere")));
    EXPECT_EQ(count(html.text, "class=\"alarm\""), 2u);
    EXPECT_THAT(html.text, HasSubstr("alarm for 10 s from 2020-03-09 00:08:30"));
}

TEST(Timeline, RefusesScoresThatDoNotFitTheTimes) {
    const std::vector<double> times{0, 1};
    const std::vector<float> values{1, 2, 3};
    expect_input_error(
        [&] {
            draw(Timeline{.description = "", .times = times, .series = {{"combined", "", values}}});
        },
        {"combined", "3 values", "2 times"});
}

}  // namespace
}  // namespace cmr::report
