#include "monitor/stream.h"

#include <cmath>
#include <deque>

#include "base/digest.h"
#include "base/error.h"
#include "data/channels.h"
#include "monitor/reorder.h"
#include "monitor/sampler.h"
#include "monitor/state_bytes.h"
#include "score/course.h"
#include "score/explain/range.h"

namespace cmr::monitor {
namespace {

constexpr std::string_view kMagic = "cmr stream 2\n";
constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kYear = 365.0 * 86400;  // a number of seconds below this is no date

void check(const Settings& settings) {
    const auto not_negative = [](const char* name, double value) {
        if (!(value >= 0 && std::isfinite(value)))
            throw InputError("{} = {}: expected seconds, 0 or more", name, value);
    };
    not_negative("lateness_s", settings.lateness_s);
    not_negative("stale_s", settings.stale_s);
    if (settings.stride < 0) throw InputError("stride = {}: expected samples, 1 or more", settings.stride);
}

// The model and all that decides what a state means.
uint64_t identity(const score::Detector& detector, const Settings& settings) {
    const score::Provenance& from = detector.provenance;
    uint64_t out = digest(1, from.recipe);
    for (const std::string& text : {from.fold, from.fingerprint, from.version}) out = digest(out, text);
    for (const auto number : {from.fold_index, from.seed, settings.stride})
        out = digest(out, static_cast<double>(number));
    out = digest(out, detector.golden.scores.values);
    const score::AlarmRule& rule = detector.alarm.rule;
    for (const double number :
         {detector.threshold(), rule.on_delay_s, rule.off_delay_s, rule.release, settings.lateness_s, settings.stale_s})
        out = digest(out, number);
    return out;
}

// What is kept of a window as long as its samples are.
struct Past {
    int64_t first = 0;
    double start_s = 0, end_s = 0, p_value = 1, level = 0;
    bool alarm = false, outside_range = false;
    std::vector<score::Sickness> sensors;
    std::vector<float> residuals;

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        bytes(self.first, self.start_s, self.end_s, self.p_value, self.level, self.alarm, self.outside_range,
              self.sensors, self.residuals);
    }
};

template <typename Void, typename Bytes>
void visit_void(Void& v, Bytes& bytes) {
    bytes(v.channel, v.what, v.is, v.low, v.high, v.since.recording, v.since.begin, v.since.end);
}

template <typename Optional, typename Bytes>
void visit_optional_void(Optional& v, Bytes& bytes) {
    bool has = v.has_value();
    bytes(has);
    if constexpr (!std::is_const_v<Optional>) {
        v.reset();
        if (has) v.emplace();
    }
    if (has) visit_void(*v, bytes);
}

// A window that waits to be taken.
struct Waiting {
    JudgedWindow judged;

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        auto& j = self.judged;
        bytes(j.first, j.start_s, j.end_s, j.judged, j.sensors, j.scores, j.p_value, j.level, j.alarm, j.raised,
              j.outside_range, j.residuals, j.void_since_s);
        visit_optional_void(j.void_promise, bytes);
    }
};

}  // namespace

class Stream::Impl {
  public:
    Impl(std::shared_ptr<const score::Detector> detector, const Settings& settings)
        : detector_(std::move(detector)),
          settings_(settings),
          length_(detector_->recipe.window.length),
          stride_(settings.stride > 0 ? settings.stride : detector_->recipe.window.stride),
          names_(detector_->names()),
          reorder_(std::ssize(detector_->channels), settings.lateness_s),
          sampler_(detector_->recipe, kept(), settings.stale_s, [this] { cut(); }),
          course_(*detector_, stride_) {
        for (const data::SourceChannel& channel : data::source_channels(detector_->recipe)) {
            channels_.push_back(channel.name);
            steps_.push_back(channel.step);
        }
        for (const data::Channel& channel : detector_->pipeline.preprocessing().inputs.effects())
            effects_.push_back(channel.name);
        names_.insert(names_.end(), {"slow", "both"});
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    const std::shared_ptr<const score::Detector>& detector() const { return detector_; }
    const Settings& settings() const { return settings_; }
    const std::vector<std::string>& channels() const { return channels_; }
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<std::string>& effects() const { return effects_; }

    void push(double time_s, std::span<const float> row) {
        if (row.size() != channels_.size())
            throw InputError("a row of {} values, expected {}: one per channel", row.size(), channels_.size());
        if (!take(time_s, std::ssize(row))) return;
        for (size_t c = 0; c < row.size(); ++c) put(time_s, static_cast<int64_t>(c), row[c]);
        go_on();
    }

    void push(double time_s, int64_t channel, float value) {
        if (channel < 0 || channel >= std::ssize(channels_))
            throw InputError("channel {}: there are {}, counted from 0", channel, channels_.size());
        if (!take(time_s, 1)) return;
        put(time_s, channel, value);
        go_on();
    }

    void end() {
        reorder_.end();
        go_on();
        sampler_.end();
        tell_counts();
    }

    std::optional<JudgedWindow> next() {
        if (waiting_.empty()) return std::nullopt;
        JudgedWindow out = std::move(waiting_.front().judged);
        waiting_.pop_front();
        return out;
    }

    const Counts& counts() const { return counts_; }
    score::Explanation explain() const;

    bool dated() const { return first_s_ > kYear; }

    template <typename Self, typename Bytes>
    static void visit_state(Self& self, Bytes& bytes) {
        Counts counts = self.counts_;
        bytes(counts.readings, counts.rows, counts.late, counts.doubled, counts.gaps, counts.windows, counts.unjudged,
              counts.alarms);
        score::CourseState course = self.course_.state();
        score::AlarmState& alarm = course.alarm;
        bytes(course.started, course.begin, course.start_s, course.mean, alarm.on, alarm.waiting, alarm.since_s,
              alarm.started, alarm.last_s);
        bytes(self.late_, self.doubled_, self.first_s_, self.segment_, self.next_, self.stretch_end_, self.group_,
              self.group_s_, self.promise_.off, self.void_since_s_, self.troubled_, self.onset_s_, self.last_onset_s_,
              self.past_);
        visit_optional_void(self.promise_.first, bytes);
        bytes(self.reorder_, self.sampler_);
        std::vector<Waiting> waiting(self.waiting_.begin(), self.waiting_.end());
        bytes(waiting);
        if constexpr (!std::is_const_v<Self>) {
            self.counts_ = counts;
            self.course_.go_on_from(course);
            self.waiting_.assign(waiting.begin(), waiting.end());
        }
    }

  private:
    // Samples that may still be looked at: those of a group of the promise's conditions, of the window behind it, and
    // of what is not settled.
    int64_t kept() const {
        return score::Conditions::group_length(length_) + length_ + stride_ + detector_->recipe.data.max_gap + 1;
    }

    bool take(double time_s, int64_t readings) {
        if (!std::isfinite(time_s)) throw InputError("time of a reading: {}, expected seconds", time_s);
        counts_.readings += readings;
        if (!reorder_.is_late(time_s)) return true;
        late_ += readings;
        counts_.late += readings;
        return false;
    }
    void put(double time_s, int64_t channel, float value) {
        const float kept = std::isfinite(value) ? data::to_step(value, steps_[channel]) : kAbsent;
        doubled_ += !reorder_.put(time_s, channel, kept);
    }
    void go_on() {
        reorder_.release([&](const Moment& moment) { sampler_.take(moment); });
        sampler_.advance(reorder_.watermark_s());
        tell_counts();
    }
    void tell_counts() {
        counts_.rows = sampler_.length();
        counts_.late = late_ + sampler_.late();
        counts_.doubled = doubled_ + sampler_.doubled();
        counts_.gaps = sampler_.gaps();
    }

    void cut();
    void judge(int64_t first);
    void look_at_conditions(int64_t first);
    void remember(const JudgedWindow& judged);

    std::shared_ptr<const score::Detector> detector_;
    Settings settings_;
    int64_t length_, stride_;
    std::vector<std::string> channels_, names_, effects_;
    std::vector<double> steps_;  // per channel: that its values are multiples of
    Counts counts_;
    int64_t late_ = 0, doubled_ = 0;  // told by the times of readings alone
    Reorder reorder_;
    Sampler sampler_;
    score::Course course_;
    double first_s_ = 0;              // time of the first sample
    int64_t segment_ = -1;            // where the segment begins in which windows are cut
    int64_t next_ = 0;                // sample where the next window begins
    score::ConditionsState promise_;  // in the stretch that judged windows cover
    int64_t stretch_end_ = -1;        // of it
    int64_t group_ = 0;               // where its next group begins
    double group_s_ = 0;              // and when the one before began
    double void_since_s_ = 0;
    bool troubled_ = false;    // was the last window in alarm, or close to it?
    double onset_s_ = 0;       // then: when the first of these ended
    double last_onset_s_ = 0;  // as the last window tells it
    std::vector<Past> past_;   // judged windows whose samples are kept
    std::deque<Waiting> waiting_;
};

// All windows of the segment that are settled.
void Stream::Impl::cut() {
    const data::Segment& segment = sampler_.segments().back();
    if (sampler_.segments().size() == 1 && segment.begin == 0) first_s_ = segment.start_s;
    if (segment.begin != segment_) segment_ = next_ = segment.begin;
    for (; next_ + length_ <= sampler_.settled(); next_ += stride_) judge(next_);
}

void Stream::Impl::judge(int64_t first) {
    JudgedWindow out;
    out.first = first;
    out.start_s = sampler_.time_of(first);
    out.end_s = sampler_.time_of(first + length_ - 1) + 1 / detector_->recipe.data.rate_hz;
    Matrix raw(1, std::ssize(channels_) * length_);
    for (int64_t c = 0; c < std::ssize(channels_); ++c)
        sampler_.copy(c, first, raw.row(0).subspan(c * length_, length_));
    out.sensors = detector_->health.judge({raw.values.data(), std::ssize(channels_), length_});
    const score::Scores found = detector_->pipeline.score(raw);
    const score::CourseStep step = course_.next(first, out.start_s, out.end_s, found.values.row(0).back());
    out.judged = step.judged;
    out.scores = found.values.values;
    out.scores.insert(out.scores.end(), {step.slow, step.both});
    out.residuals = found.residuals.values;
    out.p_value = step.p_value;
    out.level = step.level;
    out.alarm = step.alarm;
    out.raised = step.raised;
    out.outside_range = score::outside_range(*detector_, found.cause_levels.front(), [&](int64_t c) {
        return std::span<const float>(raw.row(0).subspan(c * length_, length_));
    });
    ++counts_.windows;
    counts_.unjudged += !step.judged;
    counts_.alarms += step.raised;
    look_at_conditions(first);
    out.void_promise = promise_.first;
    out.void_since_s = void_since_s_;
    if (step.judged) remember(out);
    waiting_.push_back({std::move(out)});
}

// As Conditions::broken looks at what the windows of a run cover.
void Stream::Impl::look_at_conditions(int64_t first) {
    const score::Conditions& conditions = detector_->conditions;
    if (!conditions.known()) return;
    if (stretch_end_ < 0 || first > stretch_end_) {
        promise_ = {};
        group_ = first;
    }
    stretch_end_ = first + length_;
    const int64_t length = score::Conditions::group_length(length_);
    for (; group_ + length <= stretch_end_; group_ += length) {
        if (promise_.first) continue;
        std::vector<float> samples(length);
        conditions.look(promise_, detector_->pipeline.preprocessing().scaler, {0, group_, group_ + length},
                        [&](int64_t c) -> std::span<const float> {
                            sampler_.copy(c, group_, samples);
                            return samples;
                        });
        if (promise_.first) void_since_s_ = group_s_;
        group_s_ = sampler_.time_of(group_);
    }
}

void Stream::Impl::remember(const JudgedWindow& judged) {
    const bool trouble = judged.alarm || judged.level >= detector_->alarm.rule.release;
    last_onset_s_ = troubled_ ? onset_s_ : judged.end_s;
    if (trouble) onset_s_ = last_onset_s_;
    troubled_ = trouble;
    std::erase_if(past_, [&](const Past& past) { return past.first < sampler_.oldest(); });
    past_.push_back({judged.first, judged.start_s, judged.end_s, judged.p_value, judged.level, judged.alarm,
                     judged.outside_range, judged.sensors, judged.residuals});
}

score::Explanation Stream::Impl::explain() const {
    if (past_.empty()) throw InputError("no window has been judged yet, so there is nothing to explain");
    const auto kept = std::ranges::find_if(past_, [&](const Past& past) { return past.first >= sampler_.oldest(); });
    if (kept == past_.end()) throw InputError("the samples of the last judged window are no longer kept");
    const std::span<const Past> past_windows(kept, past_.end());
    const int64_t from = kept->first;
    data::Dataset dataset;
    dataset.rate_hz = detector_->recipe.data.rate_hz;
    dataset.channels = detector_->channels;
    data::Recording& recording = dataset.recordings.emplace_back();
    recording.dated = dated();
    std::vector<float> samples(sampler_.length() - from);
    for (int64_t c = 0; c < std::ssize(channels_); ++c) {
        sampler_.copy(c, from, samples);
        recording.channels.emplace_back().append(samples);
    }
    for (const data::Segment& segment : sampler_.segments())
        if (segment.end > from)
            recording.segments.push_back({std::max<int64_t>(0, segment.begin - from), segment.end - from,
                                          sampler_.time_of(std::max(segment.begin, from))});
    score::ScoreRun run;
    run.scores.residuals = Matrix(std::ssize(past_windows), std::ssize(effects_));
    for (size_t i = 0; i < past_windows.size(); ++i) {
        const Past& past = past_windows[i];
        run.windows.push_back({.window = {.recording = 0, .begin = past.first - from},
                               .split = "new",
                               .start_s = past.start_s,
                               .end_s = past.end_s,
                               .p_value = past.p_value,
                               .level = past.level,
                               .alarm = past.alarm,
                               .outside_range = past.outside_range,
                               .judged = true,
                               .sensors = past.sensors});
        std::ranges::copy(past.residuals, run.scores.residuals.row(static_cast<int64_t>(i)).begin());
    }
    return score::explain(*detector_, dataset, run, std::ssize(run.windows) - 1, last_onset_s_);
}

Stream::Stream(std::shared_ptr<const score::Detector> detector, const Settings& settings) {
    CMR_ASSERT(detector != nullptr, "a stream has a detector");
    check(settings);
    if (const std::string& resample = detector->recipe.data.time.resample; resample != "none")
        throw InputError(
            "{}: data.time.resample = \"{}\", and a stream takes rows at even steps; score a file of them instead",
            detector->recipe.name, resample);
    impl_ = std::make_unique<Impl>(std::move(detector), settings);
}

Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

const score::Detector& Stream::detector() const { return *impl_->detector(); }
const Settings& Stream::settings() const { return impl_->settings(); }
const std::vector<std::string>& Stream::channels() const { return impl_->channels(); }
const std::vector<std::string>& Stream::names() const { return impl_->names(); }
const std::vector<std::string>& Stream::effects() const { return impl_->effects(); }
void Stream::push(double time_s, std::span<const float> row) { impl_->push(time_s, row); }
void Stream::push(double time_s, int64_t channel, float value) { impl_->push(time_s, channel, value); }
void Stream::end() { impl_->end(); }
std::optional<JudgedWindow> Stream::next() { return impl_->next(); }
score::Explanation Stream::explain() const { return impl_->explain(); }
const Counts& Stream::counts() const { return impl_->counts(); }
bool Stream::dated() const { return impl_->dated(); }

std::string Stream::save() const {
    StateWriter writer;
    Impl::visit_state(std::as_const(*impl_), writer);
    const std::string body = std::move(writer).take();
    StateWriter head;
    head(identity(detector(), settings()), digest(0, body));
    return std::string(kMagic) + std::move(head).take() + body;
}

void Stream::restore(std::string_view state) {
    if (!state.starts_with(kMagic)) throw InputError("no saved stream, or one of another version of cmr");
    state.remove_prefix(kMagic.size());
    uint64_t owner = 0, sum = 0;
    StateReader head(state);
    head(owner, sum);
    state.remove_prefix(sizeof owner + sizeof sum);
    if (owner != identity(detector(), settings()))
        throw InputError("a saved stream of another model, or with other settings: it cannot go on with this one");
    if (sum != digest(0, state)) throw InputError("a saved stream that is damaged: its digest does not fit");
    auto fresh = std::make_unique<Impl>(impl_->detector(), settings());
    StateReader reader(state);
    Impl::visit_state(*fresh, reader);
    if (!reader.at_end()) throw InputError("a saved stream with more bytes than it should have");
    impl_ = std::move(fresh);
}

}  // namespace cmr::monitor
