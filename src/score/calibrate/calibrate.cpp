#include "score/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "score/calibrate/gamma.h"

namespace cmr::score {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr double kTail = 0.025;        // outside the interval, on each side
constexpr double kFewestAlarms = 2.5;  // independent ones, expected in the trace
constexpr int64_t kFewestBlocks = 10;  // to compare with each other
constexpr int64_t kFewestMachines = 20;
constexpr double kDispersionTail = 0.1;  // the chance that true dispersion is above what is reckoned with
constexpr double kBlockPerMemory = 5.0;  // a block is this many integrated autocorrelation times

// So many days as people read them.
std::string days_text(double days) {
    constexpr double kMost = 36'525;
    return days <= kMost ? duration_text(days * kSecondsPerDay) : "more than 100 years";
}

void check(const HealthyTrace& trace) {
    const size_t windows = trace.score.size();
    if (windows == 0) throw InputError("no healthy windows to calibrate with");
    if (trace.end_s.size() != windows || trace.segment.size() != windows)
        throw InputError("{} healthy scores, {} times and {} segments: expected one of each per window", windows,
                         trace.end_s.size(), trace.segment.size());
    if (!(trace.period_s > 0 && std::isfinite(trace.period_s)))
        throw InputError("{} s from one window to the next: expected more than 0", trace.period_s);
    for (size_t i = 0; i < windows; ++i)
        if (!std::isfinite(trace.score[i]))
            throw InputError("healthy score {} of {} is {}, expected a finite number", i + 1, windows, trace.score[i]);
    const auto [least, greatest] = std::ranges::minmax(trace.score);
    if (least == greatest)
        throw InputError("all {} healthy scores are {}: a score that never moves has no threshold", windows, least);
    if (greatest <= 0)
        throw InputError("the greatest of {} healthy scores is {}: expected positive scores, for levels are ratios",
                         windows, greatest);
}

// A new machine may be stranger than all n that are known with a chance of 1 / (n + 1), whatever their scores are.
void check_machines(const HealthyTrace& trace) {
    if (trace.machines > 0 && trace.machines < kFewestMachines)
        throw InputError(
            "healthy data of {} machines: what a machine that is not among them will do cannot be promised from fewer "
            "than {}; fit and calibrate on healthy days of that machine itself (split.kind = \"chronological\")",
            trace.machines, kFewestMachines);
}

// Episodes of a trace as a function of the threshold.
class Episodes {
  public:
    Episodes(const HealthyTrace& trace, const AlarmRule& rule) : trace_(trace), rule_(rule) {
        const double greatest = std::ranges::max(trace.score);
        std::ranges::copy_if(trace.score, std::back_inserter(candidates_),
                             [&](double score) { return score > 0 && std::isfinite(greatest / score); });
        std::ranges::sort(candidates_, std::greater{});
        candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    }

    template <typename Found>  // found(window) for each window at which an alarm begins
    void find(double threshold, const Found& found) const {
        AlarmLogic logic(rule_);
        for (size_t i = 0; i < trace_.score.size(); ++i) {
            if (i > 0 && trace_.segment[i] != trace_.segment[i - 1]) logic.reset();
            const bool before = logic.on();
            if (logic.push(trace_.end_s[i], trace_.score[i] / threshold) && !before) found(i);
        }
    }

    int64_t count(double threshold) const {
        int64_t episodes = 0;
        find(threshold, [&](size_t) { ++episodes; });
        return episodes;
    }

    // Where the number of episodes first reaches `wanted` on the way down from the highest score. It rises at first and
    // falls further down, where episodes flow together, so we go down in small steps and look closer behind the first
    // that is too far.
    std::optional<size_t> reaching(int64_t wanted) {
        size_t enough = 0, below = 0;  // count(candidates_[below]) < wanted, unless both are 0
        while (count_at(enough) < wanted) {
            below = enough;
            enough = std::max(enough + 1, enough + enough / 8);
            if (enough >= candidates_.size()) return std::nullopt;
        }
        while (enough - below > 1) {
            const size_t middle = below + (enough - below) / 2;
            (count_at(middle) < wanted ? below : enough) = middle;
        }
        return enough;
    }

    double candidate(size_t place) const { return candidates_[place]; }
    int64_t count_at(size_t place) {
        const auto [known, is_new] = counts_.try_emplace(place);
        if (is_new) known->second = count(candidates_[place]);
        return known->second;
    }
    int64_t most() const {  // of all counts so far
        int64_t most = 0;
        for (const auto& [place, episodes] : counts_) most = std::max(most, episodes);
        return most;
    }

  private:
    const HealthyTrace& trace_;
    AlarmRule rule_;
    std::vector<double> candidates_;    // distinct positive scores, the greatest first
    std::map<size_t, int64_t> counts_;  // episodes by place among them: each costs a pass over the trace
};

// 1 where a score is in the upper tenth of all, else 0.
std::vector<double> high_ones(const std::vector<double>& scores) {
    std::vector<double> sorted = scores;
    const auto tenth = sorted.begin() + std::ssize(sorted) * 9 / 10;
    std::ranges::nth_element(sorted, tenth);
    const double line = *tenth,
                 least = std::ranges::min(scores);  // where nearly all are the least, the others are high
    std::vector<double> out;
    for (const double score : scores) out.push_back(score > least && score >= line ? 1.0 : 0.0);
    return out;
}

// The most high scores that lie within a tenth of the windows.
int64_t most_in_a_tenth(const std::vector<double>& high) {
    const auto tenth = std::max<int64_t>(1, std::ssize(high) / 10);
    double here = 0, most = 0;
    for (int64_t i = 0; i < std::ssize(high); ++i) {
        here += high[i] - (i >= tenth ? high[i - tenth] : 0);
        most = std::max(most, here);
    }
    return std::llround(most);
}

// High scores stay high for so long that these are too few windows. Says where they are, and what a promise needs: this
// rate, if above 0.
[[noreturn]] void refuse_for_memory(const HealthyTrace& trace, const std::vector<double>& high, double memory,
                                    double rate) {
    const auto windows = std::ssize(high);
    const double times = static_cast<double>(kFewestBlocks) * kBlockPerMemory;
    const auto duration = [&](double count) { return days_text(count * trace.period_s / kSecondsPerDay); };
    const double wanted = std::max(times * memory, static_cast<double>(windows + 1));
    const auto all = std::llround(std::accumulate(high.begin(), high.end(), 0.0));
    const int64_t together = most_in_a_tenth(high);
    std::string text = fmt::format(
        "no number of false alarms can be promised from {} healthy windows ({}): high scores come in stretches of "
        "{:.0f} "
        "windows or more",
        with_commas(windows), duration(static_cast<double>(windows)), memory);
    if (2 * together > all)
        text += fmt::format(" ({} of the {} highest lie within {})", with_commas(together), with_commas(all),
                            duration(static_cast<double>(windows) / 10));
    text += fmt::format(
        ", so how often they come by chance is not known from fewer than {:.0f} such stretches: at least {} windows "
        "({}) "
        "of healthy data",
        times, with_commas(std::llround(std::ceil(wanted))), duration(wanted));
    const double days = kFewestAlarms / rate;
    if (rate > 0 && days * kSecondsPerDay > wanted * trace.period_s)
        text += fmt::format(", and {} for {} a day", days_text(days), rate);
    throw InputError("{}", text);
}

// Windows of a block, so that blocks are as good as independent. It is alarms that are counted, so what matters is how
// long high scores stay high, not how long usual ones stay alike, which is longer: a slow mean wanders below all
// lines. The variance of the means of blocks, times their length, over the variance of the windows grows with the
// length to the integrated autocorrelation time; a block that is several times as long as that is long enough. Not less
// than the length of a window, which is the half-life of the slow clock too. Blocks go on over interruptions, which do
// not make a machine forget.
int64_t block_length(const HealthyTrace& trace, double rate) {
    const std::vector<double> score = high_ones(trace.score);
    const auto windows = static_cast<int64_t>(score.size());
    double mean = 0, variance = 0;
    for (const double value : score) mean += value / static_cast<double>(windows);
    std::vector<double> sums(1, 0.0);  // of the first 0, 1, … deviations from the mean
    sums.reserve(score.size() + 1);
    for (const double value : score) {
        sums.push_back(sums.back() + (value - mean));
        variance += (value - mean) * (value - mean) / static_cast<double>(windows);
    }
    const auto least = static_cast<double>(trace.overlap);
    double memory = least;
    const int64_t longest = windows / kFewestBlocks;
    for (int64_t length = 1; length <= longest;
         length = length == longest ? longest + 1 : std::min(longest, length + std::max<int64_t>(1, length / 4))) {
        const int64_t blocks = windows / length;
        double square = 0;
        for (int64_t b = 0; b < blocks; ++b) {
            const double sum = sums[(b + 1) * windows / blocks] - sums[b * windows / blocks];
            square += sum * sum;
        }
        memory = std::max(least, square / static_cast<double>(windows) / variance);
        if (static_cast<double>(length) >= kBlockPerMemory * memory) return length;
    }
    refuse_for_memory(trace, score, memory, rate);
}

class Calibrator {
  public:
    // rate: that is asked for; 0: any
    Calibrator(const HealthyTrace& trace, const AlarmRule& rule, double rate = 0)
        : episodes_(trace, rule),
          windows_(static_cast<int64_t>(trace.score.size())),
          block_windows_(block_length(trace, rate)),
          blocks_(windows_ / block_windows_),
          days_(static_cast<double>(windows_) * trace.period_s / kSecondsPerDay) {}

    double days() const { return days_; }
    int64_t most() const { return episodes_.most(); }
    int64_t at_the_top() { return episodes_.count_at(0); }  // alarms that reach the highest score

    // The threshold at which `wanted` episodes are expected. The true mean above the threshold that just reaches n
    // episodes is n, on average, so between n and n + 1 we go between their thresholds.
    std::optional<double> threshold(double wanted) {
        const auto whole = static_cast<int64_t>(std::floor(wanted));
        const std::optional<size_t> place = episodes_.reaching(whole);
        if (!place) return std::nullopt;
        const double here = episodes_.candidate(*place);
        if (const int64_t count = episodes_.count_at(*place); static_cast<double>(count) > wanted) {
            // Several alarms have the same peak: stay above it.
            if (*place == 0)
                throw InputError(
                    "the highest healthy score, {}, is reached by {} false alarms in {}, and {} are wanted, so no "
                    "threshold keeps the promise: see whether the score is clipped, or join alarms that follow each "
                    "other by a longer off_delay_s",
                    short_number(here, 4), with_commas(count), days_text(days_), short_number(wanted));
            return std::midpoint(here, episodes_.candidate(*place - 1));
        }
        const std::optional<size_t> next = episodes_.reaching(whole + 1);
        return next ? std::lerp(here, episodes_.candidate(*next), wanted - std::floor(wanted)) : here;
    }

    // Variance over mean of the episodes that begin in a block; 1 for independent ones. Of few blocks it is known
    // roughly, so what counts is what it may be: the upper end of its interval (chi-squared, one-sided). A few episodes
    // do not show whether they come in clusters, so lower thresholds are asked too, and the worst counts.
    double dispersion(double threshold, double wanted) {
        double worst = std::max(1.0, dispersion_at(threshold));
        for (const double more : {std::max(2 * wanted, 20.0), std::max(4 * wanted, 40.0)})
            if (const auto place = episodes_.reaching(static_cast<int64_t>(more)))
                worst = std::max(worst, dispersion_at(episodes_.candidate(*place)));
        return worst;
    }

    Calibration result(double rate, double threshold, double dispersion) const {
        const int64_t found = episodes_.count(threshold);
        const double wanted = rate * days_, count = static_cast<double>(found);
        const double fewer = std::min(wanted, count) / dispersion, more = std::max(wanted, count) / dispersion;
        return {.threshold = threshold,
                .promised_per_day = rate,
                .low_per_day = fewer > 0 ? dispersion * gamma_quantile(fewer, kTail) / days_ : 0,
                .high_per_day = dispersion * gamma_quantile(more + 1, 1 - kTail) / days_,
                .observed_per_day = count / days_,
                .false_alarms = found,
                .healthy_days = days_,
                .blocks = blocks_,
                .block_windows = block_windows_,
                .dispersion = dispersion};
    }

  private:
    double dispersion_at(double threshold) const {
        std::vector<double> counts(blocks_, 0.0);
        double total = 0;
        episodes_.find(threshold, [&](size_t window) {
            ++counts[static_cast<int64_t>(window) * blocks_ / windows_];
            ++total;
        });
        if (total == 0) return 1;
        const double mean = total / static_cast<double>(blocks_);
        double square = 0;
        for (const double count : counts) square += (count - mean) * (count - mean);
        const double freedom = static_cast<double>(blocks_ - 1);
        return square / mean / (2 * gamma_quantile(freedom / 2, kDispersionTail));
    }

    Episodes episodes_;
    int64_t windows_;
    int64_t block_windows_;
    int64_t blocks_;
    double days_;
};

// To two digits, not less.
double rounded_up(double value) {
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    return std::ceil(value / unit - 1e-9) * unit;
}

// At the smallest rate, no less than this one, that the data support; none where there is no such rate.
std::optional<Calibration> smallest_from(Calibrator& calibrator, double rate) {
    const double days = calibrator.days();
    double wanted = 1.001 * std::max(kFewestAlarms, static_cast<double>(calibrator.at_the_top()));
    while (true) {
        const double supported = rounded_up(std::max(wanted / days, rate));
        wanted = supported * days;
        const std::optional<double> threshold = calibrator.threshold(wanted);
        if (!threshold) return std::nullopt;
        const double dispersion = calibrator.dispersion(*threshold, wanted);
        if (wanted >= kFewestAlarms * dispersion) return calibrator.result(supported, *threshold, dispersion);
        wanted = std::max(1.02 * wanted, kFewestAlarms * dispersion);
    }
}

// Says which rates the data support instead.
[[noreturn]] void refuse(Calibrator& calibrator, double rate) {
    const double days = calibrator.days();
    const std::optional<Calibration> instead = smallest_from(calibrator, rate);
    if (!instead)
        throw InputError(
            "{} false alarms per day cannot be promised from {} of healthy data, nor can any other rate: at most {} "
            "alarms are in them, too few or too close together; more healthy data is needed",
            rate, days_text(days), with_commas(calibrator.most()));
    const double needed = kFewestAlarms * instead->dispersion;
    throw InputError(
        "{} false alarms per day cannot be promised from {} of healthy data, where {} would be expected and {} are "
        "needed{}: the smallest rate that they support is {} per day; {} per day needs {} of healthy data",
        rate, days_text(days), short_number(rate * days), short_number(needed),
        instead->dispersion > 1.1 ? ", as they come in clusters" : "", short_number(instead->promised_per_day), rate,
        days_text(rounded_up(needed / rate)));
}

}  // namespace

Calibration calibrate(const HealthyTrace& trace, const AlarmRule& rule, double false_alarms_per_day) {
    check(rule);
    check(trace);
    check_machines(trace);
    if (!(false_alarms_per_day > 0 && std::isfinite(false_alarms_per_day)))
        throw InputError("{} false alarms per day: expected a number above 0", false_alarms_per_day);

    Calibrator calibrator(trace, rule, false_alarms_per_day);
    const double wanted = false_alarms_per_day * calibrator.days();
    if (wanted < kFewestAlarms) refuse(calibrator, false_alarms_per_day);
    const std::optional<double> threshold = calibrator.threshold(wanted);
    if (!threshold)
        throw InputError(
            "{} false alarms per day cannot be reached: at no threshold does {} of healthy data have more than about "
            "{} "
            "alarms ({} per day); ask for fewer, shorten the delays (on {} s, off {} s) or raise release ({})",
            false_alarms_per_day, days_text(calibrator.days()), with_commas(calibrator.most()),
            short_number(static_cast<double>(calibrator.most()) / calibrator.days()), rule.on_delay_s, rule.off_delay_s,
            rule.release);
    const double dispersion = calibrator.dispersion(*threshold, wanted);
    if (wanted < kFewestAlarms * dispersion) refuse(calibrator, false_alarms_per_day);
    return calibrator.result(false_alarms_per_day, *threshold, dispersion);
}

std::optional<Calibration> smallest_promise(const HealthyTrace& trace, const AlarmRule& rule) {
    try {
        check(rule);
        check(trace);
        check_machines(trace);
        Calibrator calibrator(trace, rule);
        return smallest_from(calibrator, 0);
    } catch (const InputError&) {  // such as neighbours that are alike for too long
        return std::nullopt;
    }
}

}  // namespace cmr::score
