#include "study/marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/synthetic.h"

namespace cmr::study {
namespace {

using Counts = std::vector<int64_t>;

TEST(TotalVariation, IsHalfTheDifferencesOfTheShares) {
    EXPECT_DOUBLE_EQ(total_variation(Counts{1, 1}, Counts{5, 5}), 0);
    EXPECT_DOUBLE_EQ(total_variation(Counts{4, 0}, Counts{0, 7}), 1);
    EXPECT_DOUBLE_EQ(total_variation(Counts{3, 1}, Counts{1, 1}), 0.25);
    EXPECT_TRUE(std::isnan(total_variation(Counts{0, 0}, Counts{1, 1})));
}

TEST(Marginals, CountHealthyAndFaultySamplesOfEveryEffect) {
    data::Dataset dataset = test::make_dataset({false, true, true});
    data::Recording& recording = test::add_recording(dataset, 60, 1);
    test::mark(recording, 30, 50, data::State::kFaulty, 0);
    test::mark(recording, 50, 60, data::State::kExcluded);
    for (int64_t t = 0; t < 60; ++t) {
        const bool faulty = t >= 30 && t < 50;
        recording.channels[1].values()[t] = faulty ? 2.0f : 1.0f;
        recording.channels[2].values()[t] = static_cast<float>(t % 2);
    }
    recording.channels[1].values()[55] = 1000;                                    // excluded
    recording.channels[1].values()[3] = std::numeric_limits<float>::quiet_NaN();  // absent
    recording.channels[1].values()[4] = 2.0f;
    const auto found = marginal_variations(dataset);
    ASSERT_EQ(found.size(), 2u) << "not of the cause";
    EXPECT_EQ(found[0].channel, "c1");
    EXPECT_NEAR(found[0].distance, 28.0 / 29, 1e-12) << "one of 29 healthy samples looks faulty";
    EXPECT_NEAR(found[1].distance, 0, 1e-12);
    recording.spans = {{.begin = 0, .end = 60}};
    EXPECT_TRUE(marginal_variations(dataset).empty()) << "all healthy";
}

TEST(Marginals, LeaveOutWhatIsNotUsed) {
    data::Dataset dataset = test::make_dataset({false, true});
    test::mark(test::add_recording(dataset, 60, 1), 30, 60, data::State::kFaulty, 0);
    const double distance = marginal_variations(dataset).at(0).distance;
    dataset.parts[1].role = "unused";
    test::mark(test::add_recording(dataset, 60, 2, 1), 0, 30, data::State::kFaulty, 0);
    EXPECT_EQ(marginal_variations(dataset).at(0).distance, distance);
}

}  // namespace
}  // namespace cmr::study
