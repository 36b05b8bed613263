#include "study/promise.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/alarms.h"
#include "score/calibrate/gamma.h"

namespace cmr::study {
namespace {

constexpr double kUnlikely = 0.025;
constexpr double kSecondsPerDay = 86'400;

// Windows of the test, and the numbers that alarms are counted by.
struct Tested {
    std::vector<double> end_s, score;
    std::vector<int64_t> recordings, segments;
    std::vector<int32_t> segment;
    std::vector<uint8_t> faulty, outside;
    std::string why;  // some of the time does not count; empty where all does
};

// By healthy windows of the test alone: a fault may move sensors as it likes.
std::vector<score::VoidPromise> voids_of(const score::Detector& detector, const data::Dataset& dataset,
                                         const score::ScoreRun& run) {
    std::vector<data::Window> healthy;
    for (const score::ScoredWindow& w : run.windows)
        if (w.split == "test" && w.window.state == data::State::kHealthy) healthy.push_back(w.window);
    const int64_t length = detector.recipe.window.length;
    return detector.conditions.broken(dataset, detector.pipeline.preprocessing().scaler,
                                      data::covered(std::move(healthy), length), length);
}

Tested tested_of(const score::Detector& detector, const data::Dataset& dataset, const score::ScoreRun& run) {
    const std::vector<float> both = run.scores.column("both");
    const std::vector<score::VoidPromise> voids = voids_of(detector, dataset, run);
    const auto is_void = [&](const data::Window& w) {
        return std::ranges::any_of(voids, [&](const score::VoidPromise& v) {
            return v.since.recording == w.recording && w.begin + detector.recipe.window.length > v.since.begin;
        });
    };
    Tested out;
    if (!voids.empty()) out.why = to_text(voids.front(), dataset.channels[voids.front().channel].name);
    const data::Window* before = nullptr;
    for (size_t i = 0; i < run.windows.size(); ++i) {
        const score::ScoredWindow& w = run.windows[i];
        if (w.split != "test" || is_void(w.window)) continue;
        const bool goes_on = before && data::is_consecutive(dataset, *before, w.window, detector.recipe.window.stride);
        out.segment.push_back(out.segment.empty() ? 0 : out.segment.back() + (goes_on ? 0 : 1));
        out.segments.push_back(out.segment.back());
        out.recordings.push_back(w.window.recording);
        out.end_s.push_back(w.end_s);
        out.score.push_back(both[i]);
        out.faulty.push_back(w.window.state == data::State::kFaulty);
        out.outside.push_back(w.outside_range);
        before = &w.window;
    }
    return out;
}

std::vector<double> levels_of(const std::vector<double>& scores, double threshold) {
    std::vector<double> out;
    for (const double score : scores) out.push_back(score / threshold);
    return out;
}

// How long a false alarm lasts in the healthy windows that the line was found with.
double usual_length(const score::HealthyTrace& trace, const score::AlarmRule& rule, double threshold) {
    const auto alarms =
        score::find_alarms(rule, trace.end_s, levels_of(trace.score, threshold), trace.segment, trace.period_s);
    double sum = 0;
    for (const score::Episode& e : alarms.episodes) sum += std::max(e.end_s - e.begin_s, trace.period_s);
    return alarms.episodes.empty() ? trace.period_s : sum / static_cast<double>(alarms.episodes.size());
}

}  // namespace

PromiseResult promise_of(const score::Detector& detector, const data::Dataset& dataset, const score::ScoreRun& run) {
    const score::AlarmRule rule;
    const std::optional<score::Calibration> promise = score::smallest_promise(detector.healthy.trace, rule);
    PromiseResult out;
    if (!promise) {
        out.verdict = "refused";
        return out;
    }
    const Tested tested = tested_of(detector, dataset, run);
    const double period_s = static_cast<double>(detector.recipe.window.stride) / dataset.rate_hz;
    const score::Alarms alarms =
        score::find_alarms(rule, tested.end_s, levels_of(tested.score, promise->threshold), tested.segment, period_s);
    const eval::AlarmReport report = eval::count_alarms(
        {tested.end_s, tested.recordings, tested.segments, tested.faulty, alarms.on, period_s, tested.outside});
    out.promised = promise->promised_per_day;
    out.low = promise->low_per_day;
    out.high = promise->high_per_day;
    out.days = report.healthy_s / kSecondsPerDay;
    out.seen = report.false_alarms_per_day().value_or(0);
    out.in_alarm = report.healthy_time_in_alarm().value_or(0);
    out.found = report.found();
    out.faults = report.faults;
    const double for_nothing_s = static_cast<double>(report.healthy_in_alarm - report.echo_windows) * period_s;
    const double filled = for_nothing_s / usual_length(detector.healthy.trace, rule, promise->threshold);
    const double count = std::max(static_cast<double>(report.false_alarms), std::floor(filled));
    const double most = out.high * out.days;
    out.why = tested.why;
    const double outside_days = static_cast<double>(report.outside_windows) * period_s / kSecondsPerDay;
    if (out.why.empty() && most < 1 && out.high * (out.days + outside_days) >= 1)
        out.why = "its causes are outside the learned range";
    if (most < 1)
        out.verdict = out.why.empty() ? "too short" : "void";
    else  // the chance of so many or more where the true rate is the upper end
        out.verdict = count > 0 && score::gamma_cdf(count, most) < kUnlikely ? "broken" : "kept";
    return out;
}

}  // namespace cmr::study
