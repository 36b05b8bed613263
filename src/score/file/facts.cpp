#include "score/file/facts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace cmr::score {
namespace {

constexpr int64_t kMostWindows = int64_t{1} << 24;  // of a run; a file that claims more is not ours

std::vector<SegmentFacts> segments_of(const HealthyTrace& trace) {
    std::vector<SegmentFacts> out;
    for (size_t i = 0; i < trace.segment.size(); ++i) {
        if (i == 0 || trace.segment[i] != trace.segment[i - 1]) out.push_back({trace.end_s[i], 0});
        ++out.back().windows;
    }
    return out;
}

std::vector<ChannelFacts> channels_of(const Detector& detector) {
    const model::Preprocessing& preprocessing = detector.pipeline.preprocessing();
    const data::Scaler& scaler = preprocessing.scaler;
    std::vector<ChannelFacts> out;
    for (size_t i = 0; i < detector.channels.size(); ++i) {
        const data::Channel& channel = detector.channels[i];
        const auto& side = channel.effect ? preprocessing.effects : preprocessing.causes;
        out.push_back({channel.name, channel.group, channel.effect,
                       std::ranges::find(side, static_cast<int64_t>(i)) != side.end(), scaler.mean[i],
                       scaler.deviation[i], scaler.least[i], scaler.most[i]});
    }
    return out;
}

std::vector<std::vector<int64_t>> lists_of(const std::vector<data::WindowRun>& runs) {
    std::vector<std::vector<int64_t>> out;
    for (const data::WindowRun& r : runs) out.push_back({r.recording, r.begin, r.stride, r.count});
    return out;
}

std::vector<data::WindowRun> runs_of(const std::vector<std::vector<int64_t>>& lists) {
    std::vector<data::WindowRun> out;
    for (const auto& list : lists) out.push_back({static_cast<int32_t>(list[0]), list[1], list[2], list[3]});
    return out;
}

}  // namespace

DetectorFacts facts_of(const Detector& detector) {
    DetectorFacts out{
        .fold = detector.provenance.fold,
        .fingerprint = detector.provenance.fingerprint,
        .fold_index = detector.provenance.fold_index,
        .seed = detector.provenance.seed,
        .windows = {lists_of(detector.fold.train), lists_of(detector.fold.validation), lists_of(detector.fold.test)},
        .channels = channels_of(detector),
        .scorers = {},
        .healthy = segments_of(detector.healthy.trace),
        .period_s = detector.healthy.trace.period_s,
        .machines = detector.healthy.trace.machines,
        .calibration = {},
        .alarm = detector.alarm.rule};
    for (const NamedScorer& each : detector.pipeline.scorers()) out.scorers.push_back(each.name());
    if (detector.alarm.calibration) out.calibration.push_back(*detector.alarm.calibration);
    return out;
}

void check(const DetectorFacts& facts, const std::string& source) {
    const auto require = [&](bool condition, const std::string& what) {
        if (!condition) throw InputError("{}: {}", source, what);
    };
    require(facts.fold_index >= 0, "its fold has a negative number");
    for (const ChannelFacts& c : facts.channels)
        require(c.deviation >= 0 && std::isfinite(c.deviation + c.mean + c.least + c.most),
                fmt::format("channel {} has mean {} and deviation {}", c.name, c.mean, c.deviation));
    require(facts.machines >= 0, "it knows fewer than no machines");
    require(facts.period_s > 0 && std::isfinite(facts.period_s), "its period is not positive");
    for (const SegmentFacts& s : facts.healthy)
        require(s.windows > 0 && std::isfinite(s.first_end_s), "a segment of healthy windows is empty or has no time");
    for (const auto* lists : {&facts.windows.train, &facts.windows.validation, &facts.windows.test})
        for (const auto& list : *lists)
            require(list.size() == 4 && list[0] >= 0 && list[0] <= INT32_MAX && list[1] >= 0 && list[2] >= 0 &&
                        list[3] > 0 && list[3] <= kMostWindows && (list[3] == 1 || list[2] > 0),
                    "a run of windows of its fold is not recording, begin, stride, count");
    require(facts.calibration.size() <= 1, "it is calibrated twice");
    for (const Calibration& c : facts.calibration)
        require(c.threshold > 0 && std::isfinite(c.threshold), fmt::format("its threshold is {}", c.threshold));
    check(facts.alarm);
}

data::FoldWindows fold_of(const FoldFacts& facts) {
    return {runs_of(facts.train), runs_of(facts.validation), runs_of(facts.test)};
}

HealthyTrace trace_of(const DetectorFacts& facts, int64_t windows, const std::string& source) {
    HealthyTrace out;
    out.period_s = facts.period_s;
    out.machines = facts.machines;
    int64_t missing = windows;
    for (size_t s = 0; s < facts.healthy.size() && missing >= 0; ++s) {
        missing = facts.healthy[s].windows <= missing ? missing - facts.healthy[s].windows : -1;
        for (int64_t i = 0; missing >= 0 && i < facts.healthy[s].windows; ++i) {
            out.end_s.push_back(facts.healthy[s].first_end_s + static_cast<double>(i) * facts.period_s);
            out.segment.push_back(static_cast<int32_t>(s));
        }
    }
    if (missing != 0) throw InputError("{}: its healthy scores do not fit together", source);
    return out;
}

}  // namespace cmr::score
