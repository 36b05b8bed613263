#include "lib/views.h"

#include <limits>
#include <utility>

namespace cmr::lib {
namespace {

std::vector<std::string> of_channels(const score::Detector& detector, std::string data::Channel::*member) {
    std::vector<std::string> out;
    for (const data::Channel& channel : detector.channels) out.push_back(channel.*member);
    return out;
}

}  // namespace

Names::Names(std::vector<std::string> names) : texts_(std::move(names)) {
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
}

DescriptionView::DescriptionView(const score::Detector& detector, const monitor::Stream& stream)
    : version_(detector.provenance.version),
      recipe_(detector.provenance.recipe),
      names_(stream.channels()),
      groups_(of_channels(detector, &data::Channel::group)),
      scores_(stream.names()),
      effects_(stream.effects()) {
    const auto& preprocessing = detector.pipeline.preprocessing();
    for (size_t i = 0; i < detector.channels.size(); ++i)
        channels_.push_back({names_.at(i), groups_.at(i), detector.channels[i].effect, 0});
    for (const auto* used : {&preprocessing.causes, &preprocessing.effects})
        for (const int64_t channel : *used) channels_.at(channel).used = 1;
    description_ = {.version = version_.c_str(),
                    .recipe = recipe_.c_str(),
                    .rate_hz = detector.recipe.data.rate_hz,
                    .window = detector.recipe.window.length,
                    .stride = detector.recipe.window.stride,
                    .channel_count = names_.size(),
                    .channels = channels_.data(),
                    .score_count = scores_.size(),
                    .scores = scores_.data(),
                    .effect_count = effects_.size(),
                    .effects = effects_.data(),
                    .threshold = detector.threshold(),
                    .false_alarms_per_day = detector.alarm.calibration ? detector.alarm.calibration->promised_per_day
                                                                       : std::numeric_limits<double>::quiet_NaN()};
}

ResultView::ResultView(monitor::JudgedWindow judged, const monitor::Stream& stream) : judged_(std::move(judged)) {
    for (const score::Sickness sensor : judged_.sensors) sensors_.push_back(score::name(sensor).data());
    if (const auto& what = judged_.void_promise) void_promise_ = to_text(*what, stream.channels().at(what->channel));
    result_ = {.first = judged_.first,
               .start_s = judged_.start_s,
               .end_s = judged_.end_s,
               .judged = judged_.judged,
               .alarm = judged_.alarm,
               .raised = judged_.raised,
               .level = judged_.level,
               .p_value = judged_.p_value,
               .scores = judged_.scores.data(),
               .residuals = judged_.residuals.data(),
               .sensors = sensors_.data(),
               .void_promise = void_promise_.c_str(),
               .outside_range = judged_.outside_range};
}

ExplanationView::ExplanationView(score::Explanation explanation)
    : explanation_(std::move(explanation)), verdict_(score::name(explanation_.verdict)) {
    for (const score::ChannelEvidence& effect : explanation_.effects)
        effects_.push_back({effect.name.c_str(), effect.residual, effect.alone, effect.frozen});
    for (const score::CauseEvidence& cause : explanation_.causes) causes_.push_back({cause.name.c_str(), cause.share});
    shown_ = {.verdict = verdict_.c_str(),
              .sentence = explanation_.sentence.c_str(),
              .at_s = explanation_.at_s,
              .onset_s = explanation_.onset_s,
              .level = explanation_.level,
              .p_value = explanation_.p_value,
              .effect_count = static_cast<int64_t>(effects_.size()),
              .effects = effects_.data(),
              .cause_count = static_cast<int64_t>(causes_.size()),
              .causes = causes_.data()};
}

cmr_counts counts_of(const monitor::Counts& counts) {
    return {.readings = counts.readings,
            .rows = counts.rows,
            .late = counts.late,
            .doubled = counts.doubled,
            .gaps = counts.gaps,
            .windows = counts.windows,
            .unjudged = counts.unjudged,
            .alarms = counts.alarms};
}

}  // namespace cmr::lib
