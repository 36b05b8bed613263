// The C interface against the stream that stands behind it, on a model file that was kept.

#include "cmr/cmr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "base/version.h"
#include "monitor/shape.h"
#include "monitor/stream.h"
#include "score/file/detector_file.h"
#include "score/file/facts.h"

namespace cmr {
namespace {

using testing::HasSubstr;

const std::filesystem::path kSeed = std::filesystem::path(__FILE__).parent_path().parent_path() / "score/seeds" /
                                    fmt::format("detector-schema{}.safetensors", score::kDetectorSchema);

struct CloseHandle {
    void operator()(cmr_model* model) const { cmr_model_close(model); }
    void operator()(cmr_stream* stream) const { cmr_stream_close(stream); }
};
using ModelHandle = std::unique_ptr<cmr_model, CloseHandle>;
using StreamHandle = std::unique_ptr<cmr_stream, CloseHandle>;

ModelHandle open_model() {
    cmr_model* model = nullptr;
    cmr_error error;
    EXPECT_EQ(cmr_model_open(kSeed.c_str(), &model, &error), CMR_OK) << error.message;
    return ModelHandle(model);
}

StreamHandle open_stream(const cmr_model* model, const cmr_settings* settings = nullptr) {
    cmr_stream* stream = nullptr;
    EXPECT_EQ(cmr_stream_open(model, settings, &stream, nullptr), CMR_OK);
    return StreamHandle(stream);
}

// Some samples, row after row.
std::vector<float> rows(int64_t count, int64_t channels) {
    Rng rng(7);
    std::vector<float> out(count * channels);
    for (float& value : out) value = static_cast<float>(rng.normal());
    return out;
}

// What is said of all windows so far, as numbers.
std::vector<double> said(cmr_stream* stream, const cmr_description& about) {
    std::vector<double> out;
    for (const cmr_result* window; cmr_stream_next(stream, &window, nullptr) == CMR_OK && window;) {
        out.insert(out.end(),
                   {static_cast<double>(window->first), window->start_s, window->end_s, window->level, window->p_value,
                    static_cast<double>(window->alarm), static_cast<double>(window->judged)});
        out.insert(out.end(), window->scores, window->scores + about.score_count);
        out.insert(out.end(), window->residuals, window->residuals + about.effect_count);
    }
    return out;
}

TEST(Libcmr, HasTheVersionOfTheProgram) { EXPECT_EQ(cmr_version(), version()); }

TEST(Libcmr, DescribesAModel) {
    const score::Detector detector = score::load_detector(kSeed);
    const ModelHandle model = open_model();
    const cmr_description& about = *cmr_model_describe(model.get());
    EXPECT_EQ(about.version, detector.provenance.version);
    EXPECT_EQ(about.recipe, detector.provenance.recipe);
    EXPECT_EQ(about.rate_hz, detector.recipe.data.rate_hz);
    EXPECT_EQ(about.window, detector.recipe.window.length);
    EXPECT_EQ(about.stride, detector.recipe.window.stride);
    EXPECT_EQ(about.threshold, detector.threshold());
    EXPECT_EQ(std::isnan(about.false_alarms_per_day), !detector.alarm.calibration);
    ASSERT_EQ(about.channel_count, std::ssize(detector.channels));
    int64_t used = 0;
    for (int64_t i = 0; i < about.channel_count; ++i) {
        EXPECT_EQ(about.channels[i].name, detector.channels[i].name);
        EXPECT_EQ(about.channels[i].group, detector.channels[i].group);
        EXPECT_EQ(about.channels[i].effect != 0, detector.channels[i].effect);
        used += about.channels[i].used;
    }
    const auto& preprocessing = detector.pipeline.preprocessing();
    EXPECT_EQ(used, std::ssize(preprocessing.causes) + std::ssize(preprocessing.effects));
    EXPECT_EQ(about.effect_count, std::ssize(preprocessing.effects));
}

TEST(Libcmr, SaysWhatTheStreamSaysHoweverRowsArePushed) {
    const ModelHandle model = open_model();
    const cmr_description& about = *cmr_model_describe(model.get());
    constexpr int64_t kRows = 200;
    const std::vector<float> values = rows(kRows, about.channel_count);
    std::vector<double> times;
    for (int64_t i = 0; i < kRows; ++i) times.push_back(static_cast<double>(i) / about.rate_hz);

    monitor::Stream expected(std::make_shared<score::Detector>(score::load_detector(kSeed)));
    const StreamHandle one = open_stream(model.get()), many = open_stream(model.get()),
                       single = open_stream(model.get());
    for (int64_t i = 0; i < kRows; ++i) {
        const float* row = values.data() + i * about.channel_count;
        expected.push(times[i], {row, static_cast<size_t>(about.channel_count)});
        ASSERT_EQ(cmr_stream_push(one.get(), times[i], row, nullptr), CMR_OK);
        for (int64_t c = 0; c < about.channel_count; ++c)
            ASSERT_EQ(cmr_stream_push_value(single.get(), times[i], c, row[c], nullptr), CMR_OK);
    }
    ASSERT_EQ(cmr_stream_push_rows(many.get(), kRows, times.data(), values.data(), nullptr), CMR_OK);
    expected.end();
    std::vector<double> wanted;
    int64_t windows = 0;
    for (; const auto window = expected.next(); ++windows) {
        wanted.insert(wanted.end(), {static_cast<double>(window->first), window->start_s, window->end_s, window->level,
                                     window->p_value, window->alarm ? 1. : 0., window->judged ? 1. : 0.});
        wanted.insert(wanted.end(), window->scores.begin(), window->scores.end());
        wanted.insert(wanted.end(), window->residuals.begin(), window->residuals.end());
    }
    ASSERT_GT(windows, 2);
    EXPECT_THAT(wanted, testing::Each(testing::Not(testing::IsNan())));
    for (const StreamHandle* stream : {&one, &many, &single}) {
        ASSERT_EQ(cmr_stream_end(stream->get(), nullptr), CMR_OK);
        EXPECT_EQ(said(stream->get(), about), wanted);
        const cmr_counts* counts = nullptr;
        ASSERT_EQ(cmr_stream_count(stream->get(), &counts, nullptr), CMR_OK);
        EXPECT_EQ(counts->rows, kRows);
        EXPECT_EQ(counts->readings, kRows * about.channel_count);
        EXPECT_EQ(counts->windows, windows);
    }
    const cmr_explanation* explanation = nullptr;
    ASSERT_EQ(cmr_stream_explain(one.get(), &explanation, nullptr), CMR_OK);
    EXPECT_EQ(explanation->sentence, expected.explain().sentence);
    EXPECT_EQ(explanation->verdict, score::name(expected.explain().verdict));
    EXPECT_EQ(explanation->effect_count, about.effect_count);
}

// A cause that is driven where it never was, for some windows.
TEST(Libcmr, TellsWindowsOutsideTheLearnedRange) {
    recipe::Recipe recipe = test::make_recipe(32, 16);
    recipe.name = "pump";
    recipe.data.rate_hz = 1;
    for (const auto& [role, name] : {std::pair{"cause", "speed"}, {"effect", "flow"}}) {
        recipe::Channels& channels = recipe.channels.emplace_back();
        channels.role = role;
        channels.group = channels.names.emplace_back(name);
    }
    recipe = test::shape_of(recipe);
    const test::TemporaryFolder folder;
    const auto detector = test::fit_shape(recipe, false);
    score::save_detector(*detector, folder / "pump.cmr");
    cmr_model* opened = nullptr;
    cmr_error error;
    ASSERT_EQ(cmr_model_open((folder / "pump.cmr").c_str(), &opened, &error), CMR_OK) << error.message;
    const ModelHandle model(opened);
    const StreamHandle stream = open_stream(model.get());
    monitor::Stream expected(detector);
    std::vector<std::vector<float>> rows = test::plant_samples(recipe, 320, 5, 320);
    for (size_t t = 0; t < rows.size(); ++t) {
        if (t >= 160) rows[t][0] += 50;
        const double time_s = static_cast<double>(t) / recipe.data.rate_hz;
        expected.push(time_s, rows[t]);
        ASSERT_EQ(cmr_stream_push(stream.get(), time_s, rows[t].data(), nullptr), CMR_OK);
    }
    std::vector<int> wanted, found;
    while (const auto window = expected.next()) wanted.push_back(window->outside_range);
    for (const cmr_result* window; cmr_stream_next(stream.get(), &window, nullptr) == CMR_OK && window;)
        found.push_back(window->outside_range);
    EXPECT_EQ(found, wanted);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), 0);
    EXPECT_EQ(found.back(), 1);
}

TEST(Libcmr, GoesOnFromASavedState) {
    const ModelHandle model = open_model();
    const cmr_description& about = *cmr_model_describe(model.get());
    const std::vector<float> values = rows(100, about.channel_count);
    const StreamHandle whole = open_stream(model.get()), first = open_stream(model.get()),
                       second = open_stream(model.get());
    const auto push = [&](const StreamHandle& stream, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            ASSERT_EQ(cmr_stream_push(stream.get(), static_cast<double>(i) / about.rate_hz,
                                      values.data() + i * about.channel_count, nullptr),
                      CMR_OK);
    };
    push(whole, 0, 100);
    push(first, 0, 50);
    const void* bytes = nullptr;
    size_t size = 0;
    ASSERT_EQ(cmr_stream_save(first.get(), &bytes, &size, nullptr), CMR_OK);
    ASSERT_EQ(cmr_stream_restore(second.get(), bytes, size, nullptr), CMR_OK);
    push(second, 50, 100);
    EXPECT_EQ(said(second.get(), about), said(whole.get(), about));

    const StreamHandle other = open_stream(model.get());
    cmr_error error;
    EXPECT_EQ(cmr_stream_restore(other.get(), "nonsense", 8, &error), CMR_INPUT);
    EXPECT_NE(std::string(error.message), "");
}

TEST(Libcmr, AStreamOutlivesItsModel) {
    ModelHandle model = open_model();
    const StreamHandle stream = open_stream(model.get());
    const std::vector<float> row(cmr_model_describe(model.get())->channel_count);
    model.reset();
    EXPECT_EQ(cmr_stream_push(stream.get(), 0, row.data(), nullptr), CMR_OK);
}

TEST(Libcmr, ManyThreadsHaveAStreamEach) {
    const ModelHandle model = open_model();
    const cmr_description& about = *cmr_model_describe(model.get());
    const std::vector<float> values = rows(120, about.channel_count);
    std::vector<std::vector<double>> heard(4);
    std::vector<std::thread> threads;
    for (auto& mine : heard)
        threads.emplace_back([&] {
            const StreamHandle stream = open_stream(model.get());
            for (int64_t i = 0; i < 120; ++i) {
                cmr_stream_push(stream.get(), static_cast<double>(i) / about.rate_hz,
                                values.data() + i * about.channel_count, nullptr);
                for (const double number : said(stream.get(), about)) mine.push_back(number);
            }
        });
    for (std::thread& thread : threads) thread.join();
    ASSERT_FALSE(heard[0].empty());
    for (const auto& other : heard) EXPECT_EQ(other, heard[0]);
}

TEST(Libcmr, TellsWhatIsWrongAndGoesOn) {
    cmr_error error;
    cmr_model* model = nullptr;
    EXPECT_EQ(cmr_model_open("no/such.cmr", &model, &error), CMR_INPUT);
    EXPECT_EQ(error.status, CMR_INPUT);
    EXPECT_THAT(error.message, HasSubstr("no/such.cmr"));
    EXPECT_EQ(model, nullptr);
    EXPECT_EQ(cmr_model_open(nullptr, &model, &error), CMR_INPUT);
    EXPECT_THAT(error.message, HasSubstr("path is null"));
    EXPECT_EQ(cmr_model_open(std::string(3000, 'x').c_str(), &model, &error), CMR_INPUT);
    EXPECT_EQ(std::string(error.message).size(), sizeof error.message - 1);

    const ModelHandle good = open_model();
    cmr_stream* none = nullptr;
    const cmr_settings impossible{.lateness_s = -1, .stale_s = 0, .stride = 0};
    EXPECT_EQ(cmr_stream_open(good.get(), &impossible, &none, &error), CMR_INPUT);
    EXPECT_EQ(none, nullptr);

    const StreamHandle stream = open_stream(good.get());
    const std::vector<float> row(cmr_model_describe(good.get())->channel_count);
    EXPECT_EQ(cmr_stream_push(stream.get(), NAN, row.data(), &error), CMR_INPUT);
    EXPECT_EQ(cmr_stream_push_value(stream.get(), 0, 99, 1, &error), CMR_INPUT);
    EXPECT_EQ(cmr_stream_push_rows(stream.get(), -1, nullptr, nullptr, &error), CMR_INPUT);
    const cmr_explanation* explanation = nullptr;
    EXPECT_EQ(cmr_stream_explain(stream.get(), &explanation, &error), CMR_INPUT);
    EXPECT_EQ(cmr_stream_push(stream.get(), 0, row.data(), &error), CMR_OK);
    EXPECT_STREQ(error.message, "");
    cmr_model_close(nullptr);
    cmr_stream_close(nullptr);
}

}  // namespace
}  // namespace cmr
