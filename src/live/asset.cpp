#include "live/asset.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/json_fields.h"
#include "live/words.h"
#include "monitor/state_bytes.h"

namespace cmr::live {
namespace {

constexpr std::string_view kMagic = "cmr asset 1\n";
constexpr size_t kRecent = 720;
constexpr double kClearlyHigher = 1.25;  // a window that is so much higher is explained anew

struct Saved {
    Alarm alarm;
    std::vector<Level> fine, hours;
    bool fine_open = false, hours_open = false;
    std::vector<Entry> steps, words;
    double last_end_s = 0;
    std::string culprit;
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Saved>
void visit_fields(C& c, const Visit& visit) {
    visit("alarm", c.alarm, "");
    visit("fine", c.fine, "");
    visit("hours", c.hours, "");
    visit("fine_open", c.fine_open, "");
    visit("hours_open", c.hours_open, "");
    visit("steps", c.steps, "");
    visit("words", c.words, "");
    visit("last_end_s", c.last_end_s, "");
    visit("culprit", c.culprit, "");
}

// What a model learned last, as evidence; empty: nothing since it was fitted.
std::string learned_by(const score::Provenance& provenance) {
    if (provenance.added.empty()) return "";
    const score::Addition& last = provenance.added.back();
    return io::to_text({{"additions", provenance.added.size()},
                        {"file", last.file},
                        {"windows", last.windows},
                        {"fingerprint", last.fingerprint},
                        {"wall_s", last.wall_s}});
}

std::string refusal(const Alarm& alarm, const Action& action) {
    return fmt::format("{} is {}: it cannot {} now", action.asset, name(alarm.shown()),
                       action.event == Event::kRemove    ? "be taken out of service"
                       : action.event == Event::kRestore ? "be put back in service"
                       : action.event == Event::kShelve  ? "be shelved"
                       : action.event == Event::kReset   ? "be reset"
                       : action.event == Event::kMark    ? "be marked: it had no alarm yet"
                                                         : "be " + std::string(name(action.event)) + "d");
}

}  // namespace

Asset::Asset(std::string name, std::shared_ptr<const score::Detector> detector, const Rules& rules, int64_t level_s)
    : name_(std::move(name)),
      rules_(rules),
      stream_(std::move(detector), {rules.lateness_s, rules.stale_s, rules.stride}),
      levels_{Levels(level_s, stream_.effects().size()), Levels(3600, stream_.effects().size())} {}

void Asset::take(std::span<const Sample> samples, const Now& now, bool live) {
    if (samples.empty()) return;
    if (live) {
        heard_wall_s_ = now.wall_s;
        heard_steady_s_ = now.steady_s;
        if (alarm_.stale)
            if (const auto step = advance(alarm_, Event::kFresh, samples.front().time_s, options()))
                note(*step, samples.front().time_s, now);
    }
    const size_t channels = stream_.channels().size();
    std::vector<float> row;
    for (size_t begin = 0; begin < samples.size();) {
        // A whole row at a time is quicker than channel by channel.
        size_t end = begin;
        while (end < samples.size() && end - begin < channels && samples[end].time_s == samples[begin].time_s &&
               samples[end].channel == static_cast<int32_t>(end - begin))
            ++end;
        if (end - begin == channels) {
            row.clear();
            for (size_t i = begin; i < end; ++i) row.push_back(samples[i].value);
            stream_.push(samples[begin].time_s, row);
            begin = end;
        } else {
            stream_.push(samples[begin].time_s, samples[begin].channel, samples[begin].value);
            ++begin;
        }
        while (const auto window = stream_.next()) judge(*window, now);
    }
}

// Whether the alarm is to be on; nothing where the window does not tell. Absent data raise and clear nothing:
// - after an interruption the detector begins anew, with its alarm off; a window below the line clears, not that;
// - while the effect that an alarm rests on is absent, the others being well says nothing of it.
std::optional<bool> Asset::alarm_by(const monitor::JudgedWindow& window) const {
    if (!window.judged) return std::nullopt;
    if (window.alarm) return true;
    if (window.level >= 1) return std::nullopt;
    const auto culprit = std::ranges::find(stream_.channels(), culprit_);
    if (alarm_.on() && culprit != stream_.channels().end() &&
        window.sensors.at(culprit - stream_.channels().begin()) == score::Sickness::kAbsent)
        return std::nullopt;
    return false;
}

void Asset::judge(const monitor::JudgedWindow& window, const Now& now) {
    last_ = window;
    if (window.judged) residuals_ = window.residuals;
    const bool is_new = window.end_s > alarm_.applied_s;
    const Steps steps = advance(alarm_, window.end_s, alarm_by(window), options());
    if (is_new && window.judged && alarm_.on() &&
        (steps.alarm || !words_ || window.level > kClearlyHigher * words_->level)) {
        words_.emplace();
        words_->level = window.level;
        words_->p_value = window.p_value;
        const score::Explanation explanation = stream_.explain();
        put_words(explanation, *words_);
        culprit_ = explanation.effects.empty() ? "" : explanation.effects.front().name;
    }
    if (steps.unshelved) note(*steps.unshelved, window.end_s, now);
    if (steps.alarm) note(*steps.alarm, window.end_s, now);
    for (Levels& levels : levels_) levels.add(window, alarm_.on());
    recent_.push_back(
        {window.end_s, window.judged ? static_cast<float>(window.level) : NAN, alarm_.on(), window.outside_range});
    if (recent_.size() > kRecent) recent_.pop_front();
}

void Asset::note(const Step& step, double event_s, const Now& now, const std::string& who, const std::string& why) {
    Entry& entry = steps_.emplace_back();
    if (words_ && step.event < Event::kMark) entry = *words_;
    entry.asset = name_;
    entry.step = step;
    entry.event_s = event_s;
    entry.wall_s = now.wall_s;
    entry.raised_s = alarm_.raised_s;
    entry.who = who;
    entry.why = why;
    if (alarm_.state == State::kNormal) words_.reset();
}

void Asset::look(const Now& now) {
    if (heard_steady_s_ < 0) heard_steady_s_ = now.steady_s;  // since the program began
    if (alarm_.stale || now.steady_s - heard_steady_s_ < rules_.silent_s) return;
    const double event_s = last_.end_s > 0 ? last_.end_s : now.wall_s;
    if (const auto step = advance(alarm_, Event::kStale, event_s, options())) note(*step, event_s, now);
}

Entry Asset::act(const Action& action, const Now& now) {
    const double event_s = last_.end_s > 0 ? last_.end_s : now.wall_s;
    const bool shelve = action.event == Event::kShelve;
    if (shelve && !(action.hours > 0 && action.hours <= 24 * 31))
        throw InputError("{} hours on the shelf: expected more than 0, at most {}", action.hours, 24 * 31);
    const bool mark = action.event == Event::kMark || action.event == Event::kUnmark;
    if (mark && action.raised_s > alarm_.raised_s)
        throw InputError("no alarm of {} began at {}", name_, action.raised_s);
    const auto step = advance(alarm_, action.event, event_s, options(), shelve ? event_s + 3600 * action.hours : 0);
    if (!step) throw InputError(refusal(alarm_, action));
    note(*step, event_s, now, action.who, action.why);
    if (mark && action.raised_s > 0) steps_.back().raised_s = action.raised_s;
    return steps_.back();
}

void Asset::note_model(const std::string& recorded, const Now& now) {
    const score::Provenance& provenance = stream_.detector().provenance;
    const std::string learned = learned_by(provenance);
    const auto noted = std::find_if(steps_.rbegin(), steps_.rend(),
                                    [](const Entry& entry) { return entry.step.event == Event::kLearn; });
    if (learned == (noted == steps_.rend() ? recorded : noted->evidence)) return;
    const double event_s = last_.end_s > 0 ? last_.end_s : now.wall_s;
    const auto step = advance(alarm_, Event::kLearn, event_s, options());
    const score::Addition last = provenance.added.empty() ? score::Addition{} : provenance.added.back();
    note(*step, event_s, now, last.who, provenance.added.empty() ? "all additions were taken back" : last.why);
    steps_.back().evidence = learned;
}

void Asset::recorded(int64_t step, std::span<const size_t> spans) {
    std::erase_if(steps_, [&](const Entry& entry) { return entry.step.number <= step; });
    for (size_t i = 0; i < std::min(spans.size(), levels_.size()); ++i) levels_[i].recorded(spans[i]);
}

int64_t Asset::lost() const {
    int64_t sum = 0;
    for (const Levels& levels : levels_) sum += levels.lost();
    return sum;
}

void Asset::go_on_from(const Alarm& ledger) {
    if (ledger.steps <= alarm_.steps) return;
    alarm_ = ledger;
    std::erase_if(steps_, [&](const Entry& entry) { return entry.step.number <= ledger.steps; });
}

void Asset::go_on_from(const Asset& before) {
    alarm_ = before.alarm_;
    steps_ = before.steps_;
    words_ = before.words_;
    culprit_ = before.culprit_;
    heard_wall_s_ = before.heard_wall_s_;
    heard_steady_s_ = before.heard_steady_s_;
    recent_ = before.recent_;
    last_.end_s = before.last_.end_s;
    if (before.stream_.effects() == stream_.effects()) levels_ = before.levels_;
    try {
        stream_.restore(before.stream_.save());
    } catch (const InputError&) {  // another model: its windows begin anew
    }
}

AssetView Asset::view() const {
    AssetView out;
    out.name = name_;
    out.alarm = alarm_;
    out.event_s = last_.end_s;
    out.heard_s = heard_wall_s_;
    out.judged = last_.judged;
    out.outside_range = last_.outside_range;
    out.level = last_.judged ? static_cast<float>(last_.level) : NAN;
    out.p_value = last_.p_value;
    out.effects = stream_.effects();
    out.residuals = residuals_;
    for (size_t i = 0; i < last_.sensors.size(); ++i)
        if (last_.sensors[i] != score::Sickness::kNone)
            out.sick.push_back({stream_.channels()[i], std::string(score::name(last_.sensors[i]))});
    if (last_.void_promise)
        out.promise = score::to_text(*last_.void_promise, stream_.channels().at(last_.void_promise->channel));
    out.counts = stream_.counts();
    out.words = words_;
    out.recent.assign(recent_.begin(), recent_.end());
    for (const Levels& levels : levels_) out.open.push_back(levels.open().value_or(Level{}));
    out.unrecorded = std::ssize(steps_);
    return out;
}

std::string Asset::save() const {
    Saved saved;
    saved.alarm = alarm_;
    saved.fine = levels_[0].save();
    saved.hours = levels_[1].save();
    saved.fine_open = levels_[0].open().has_value();
    saved.hours_open = levels_[1].open().has_value();
    saved.steps = steps_;
    if (words_) saved.words = {*words_};
    saved.last_end_s = last_.end_s;
    saved.culprit = culprit_;
    monitor::StateWriter bytes;
    bytes(std::string(kMagic), io::to_text(io::to_json(saved)), stream_.save());
    return std::move(bytes).take();
}

void Asset::restore(const std::string& state) {
    std::string magic, text, stream;
    monitor::StateReader bytes(state);
    bytes(magic, text, stream);
    if (magic != kMagic) throw InputError("the saved state of {} is of another version of the program", name_);
    Saved saved;
    io::from_json(text, fmt::format("the saved state of {}", name_), "field", saved);
    alarm_ = saved.alarm;
    steps_ = std::move(saved.steps);
    words_.reset();
    if (!saved.words.empty()) words_ = saved.words.front();
    last_ = {};
    last_.end_s = saved.last_end_s;
    culprit_ = saved.culprit;
    levels_[0].restore(std::move(saved.fine), saved.fine_open);
    levels_[1].restore(std::move(saved.hours), saved.hours_open);
    stream_.restore(stream);
}

}  // namespace cmr::live
