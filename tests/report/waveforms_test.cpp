#include "report/waveforms.h"

#include <gmock/gmock.h>

#include "report/clean.h"

namespace cmr::report {
namespace {

using test::count;
using test::expect_clean;
using test::kHostile;
using test::kInfinity;
using test::kNan;

TEST(Waveforms, ShowWhatWasExpectedBesideWhatWasSeen) {
    std::vector<double> times;
    std::vector<float> pump, flow, expected;
    for (int i = 0; i < 5000; ++i) {
        times.push_back(i);
        pump.push_back(i / 500 % 2 == 0 ? 1.f : 0.f);
        expected.push_back(2 * pump.back());
        flow.push_back(i < 2500 ? expected.back() : 1);
    }
    Waveforms around{.description = "",
                     .x = ScaleKind::kElapsed,
                     .begin = 2000,
                     .end = 3000,
                     .signals = {{"P401", "", SignalRole::kCause, times, pump, {}},
                                 {"FIT401", "m³/h", SignalRole::kEffect, times, flow, expected}}};
    around.onset = 2510;
    const Html html = draw(around);
    expect_clean(html);
    EXPECT_EQ(count(html.text, "class=\"signal cause\""), 2u);
    EXPECT_EQ(count(html.text, "class=\"signal effect\""), 2u);
    EXPECT_EQ(count(html.text, "class=\"signal expected\""), 2u);
    EXPECT_EQ(count(html.text, "class=\"onset\""), 2u);
    around.onset = 9000;  // not in view
    EXPECT_EQ(count(draw(around).text, "class=\"onset\""), 0u);
}

TEST(Waveforms, TakeWhateverThereIs) {
    expect_clean(draw(Waveforms{}));
    const std::vector<double> times{0, 1, 2, 50, 51};
    const std::vector<float> values{kNan, 1, kInfinity, -kInfinity, 3}, nothing(5, kNan);
    Waveforms around{.description = kHostile,
                     .x = ScaleKind::kElapsed,
                     .begin = 0,
                     .end = 60,
                     .signals = {{kHostile, kHostile, SignalRole::kEffect, times, values, nothing},
                                 {kHostile, kHostile, SignalRole::kEffect, times, values, values}}};
    around.onset = 3;
    around.onset_name = kHostile;
    around.bands = {{0, 5, kHostile}};
    expect_clean(draw(around));
    around.begin = 100;  // beyond all samples
    around.end = 200;
    expect_clean(draw(around));
}

}  // namespace
}  // namespace cmr::report
