#include "data/scaler.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "data/synthetic.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::make_dataset;
using test::samples_of;

Dataset with_offset(float offset) {
    Dataset dataset = make_dataset();
    for (int i = 0; i < 3; ++i)
        for (Samples& channel : add_recording(dataset, 70'000 + 1000 * i, 10 + i).channels)
            for (float& value : channel.values()) value += offset;
    return dataset;
}

const std::vector<SampleRange> kHealthy = {{0, 100, 69'000}, {1, 0, 71'000}, {2, 5, 9}, {2, 20, 21}};

TEST(Scaler, AgreesWithLongDoublesWhateverTheOffset) {
    for (const float offset : {0.0f, 1e3f, 1e6f, -3e7f}) {
        const Dataset dataset = with_offset(offset);
        const Scaler scaler = fit_scaler(dataset, kHealthy);
        for (int64_t c = 0; c < 2; ++c) {
            long double count = 0, sum = 0, squares = 0;
            float least = INFINITY, most = -INFINITY;
            const auto each = [&](const auto& use) {
                for (const SampleRange& s : kHealthy)
                    for (int64_t i = s.begin; i < s.end; ++i) use(dataset.recordings[s.recording].channels[c][i]);
            };
            each([&](float value) {
                ++count;
                sum += value;
                least = std::min(least, value);
                most = std::max(most, value);
            });
            const long double mean = sum / count;
            each([&](float value) { squares += (value - mean) * (value - mean); });
            EXPECT_NEAR(scaler.mean[c], static_cast<double>(mean), 1e-12 * std::abs(offset) + 1e-12);
            const auto deviation = static_cast<double>(std::sqrt(squares / count));
            EXPECT_NEAR(scaler.deviation[c], deviation, 1e-9 * deviation) << "offset " << offset;
            EXPECT_EQ(scaler.least[c], least);
            EXPECT_EQ(scaler.most[c], most);
        }
    }
}

TEST(Scaler, CountsEachSampleOnceThoughWindowsOverlap) {
    Dataset dataset = make_dataset({true});
    add_recording(dataset, 4, 1).channels[0] = samples_of({0, 0, 6, 6});
    // Samples 1 and 2 are in three windows, 0 and 3 in fewer.
    std::vector<Window> windows(4);
    windows[1].begin = windows[2].begin = 1;
    windows[3].begin = 2;
    EXPECT_DOUBLE_EQ(fit_scaler(dataset, covered(windows, 2)).mean[0], 3.0);
    EXPECT_DOUBLE_EQ(fit_scaler(dataset, covered(windows, 2)).deviation[0], 3.0);
}

TEST(Scaler, FindsConstants) {
    Dataset dataset = make_dataset({false, false, true});
    Recording& recording = add_recording(dataset, 6, 1);
    recording.channels[0] = samples_of({0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 7.0f});
    recording.channels[1] = samples_of({0.0f, -0.0f, 0.0f, -0.0f, 0.0f, 0.0f});
    recording.channels[2] = samples_of({1e6f, 1e6f, 1e6f, 1e6f, std::nextafter(1e6f, 2e6f), 0.0f});
    const Scaler scaler = fit_scaler(dataset, {{0, 0, 5}});
    EXPECT_TRUE(scaler.constant(0));  // but for a sample that is not healthy
    EXPECT_TRUE(scaler.constant(1));
    EXPECT_FALSE(scaler.constant(2));
    EXPECT_FALSE(fit_scaler(dataset, {{0, 0, 6}}).constant(0));
}

TEST(Scaler, GivesMeanZeroAndDeviationOne) {
    const Dataset dataset = with_offset(1e6f);
    const Scaler scaler = fit_scaler(dataset, kHealthy);
    std::vector<float> scaled;
    for (const SampleRange& s : kHealthy)
        for (int64_t i = s.begin; i < s.end; ++i)
            scaled.push_back(scaler.apply(0, dataset.recordings[s.recording].channels[0][i]));
    double sum = 0, squares = 0;
    for (const float value : scaled) sum += value, squares += value * value;
    EXPECT_NEAR(sum / static_cast<double>(scaled.size()), 0.0, 1e-6);
    EXPECT_NEAR(squares / static_cast<double>(scaled.size()), 1.0, 1e-5);
}

TEST(Scaler, IsTheSameToTheBitForAnyNumberOfThreads) {
    const Dataset dataset = with_offset(1e6f);
    const int before = thread_count();
    set_thread_count(1);
    const Scaler alone = fit_scaler(dataset, kHealthy);
    for (const int threads : {2, 3}) {
        set_thread_count(threads);
        const Scaler together = fit_scaler(dataset, kHealthy);
        EXPECT_EQ(together.mean, alone.mean);
        EXPECT_EQ(together.deviation, alone.deviation);
    }
    set_thread_count(before);
}

}  // namespace
}  // namespace cmr::data
