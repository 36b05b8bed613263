#include "report/bands.h"

#include <gmock/gmock.h>

#include "report/clean.h"
#include "report/well_formed.h"

namespace cmr::report {
namespace {

using test::count;
using test::is_well_formed;

// However many bands there are, no two names overlap.
TEST(Bands, HaveNamesThatKeepApart) {
    const Scale x(ScaleKind::kElapsed, 0, 1000, 60, 300);
    std::vector<Band> bands;
    for (int i = 0; i < 40; ++i) bands.push_back({i * 25.0, i * 25.0 + 5, "attack " + std::to_string(i + 1)});
    const BandLabels labels(bands, x);
    EXPECT_LE(labels.height(), 60);
    Svg svg(360, 100, "chart", "");
    labels.draw(svg, 0);
    const std::string text = svg.finish();
    EXPECT_TRUE(is_well_formed(text));
    EXPECT_GE(count(text, "band-name"), 6u);
    EXPECT_LT(count(text, "band-name"), 20u);
}

}  // namespace
}  // namespace cmr::report
