#pragma once
// What the metadata of a detector file tell beside its tensors.

#include <string>
#include <type_traits>
#include <vector>

#include "score/detector.h"

namespace cmr::score {

// The numbers of channels in full, because a float would round large offsets away.
struct ChannelFacts {
    std::string name, group;
    bool effect = false, used = false;
    double mean = 0, deviation = 1, least = 0, most = 0;
};

// Healthy windows without interruption.
struct SegmentFacts {
    double first_end_s = 0;
    int64_t windows = 0;
};

struct FoldFacts {
    std::vector<std::vector<int64_t>> train, validation, test;  // runs of windows: recording, begin, stride, count
};

inline constexpr int64_t kDetectorSchema = 6;
// That is read: golden windows are scaled, and neither sensor health is known nor what causes reach by chance.
inline constexpr int64_t kOldestSchema = 5;

struct DetectorFacts {
    int64_t schema = kDetectorSchema;
    std::string fold, fingerprint;
    int64_t fold_index = 0, seed = 0;
    FoldFacts windows;
    std::vector<ChannelFacts> channels;
    std::vector<std::string> scorers;  // in the order of the pipeline
    std::vector<SegmentFacts> healthy;
    double period_s = 0;
    int64_t machines = 0;                  // see HealthyTrace
    std::vector<Calibration> calibration;  // none or one
    AlarmRule alarm;
};

DetectorFacts facts_of(const Detector& detector);
// InputError, naming the file, where a number cannot be.
void check(const DetectorFacts& facts, const std::string& source);

data::FoldWindows fold_of(const FoldFacts& facts);
// Times of as many windows as there are scores: InputError where their number does not fit.
HealthyTrace trace_of(const DetectorFacts& facts, int64_t windows, const std::string& source);

template <typename C, typename T>
concept Is = std::is_same_v<std::remove_const_t<C>, T>;

template <Is<ChannelFacts> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("group", c.group, "");
    visit("effect", c.effect, "");
    visit("used", c.used, "");
    visit("mean", c.mean, "");
    visit("deviation", c.deviation, "");
    visit("least", c.least, "");
    visit("most", c.most, "");
}

template <Is<SegmentFacts> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("first_end_s", c.first_end_s, "");
    visit("windows", c.windows, "");
}

template <Is<FoldFacts> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("train", c.train, "");
    visit("validation", c.validation, "");
    visit("test", c.test, "");
}

template <Is<HealthySpan> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("begin_s", c.begin_s, "");
    visit("end_s", c.end_s, "");
}

template <Is<Addition> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("file", c.file, "");
    visit("part", c.part, "");
    visit("settings", c.settings, "");
    visit("spans", c.spans, "");
    visit("fingerprint", c.fingerprint, "");
    visit("windows", c.windows, "");
    visit("wall_s", c.wall_s, "");
    visit("who", c.who, "");
    visit("why", c.why, "");
}

template <Is<DetectorFacts> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("schema", c.schema, "");
    visit("fold", c.fold, "");
    visit("fold_index", c.fold_index, "");
    visit("windows", c.windows, "");
    visit("seed", c.seed, "");
    visit("fingerprint", c.fingerprint, "");
    visit("channels", c.channels, "");
    visit("scorers", c.scorers, "");
    visit("healthy", c.healthy, "");
    visit("period_s", c.period_s, "");
    visit("machines", c.machines, "");
    visit("calibration", c.calibration, "");
    visit("alarm", c.alarm, "");
}

}  // namespace cmr::score
