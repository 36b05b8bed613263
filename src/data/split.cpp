#include "data/split.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "data/files.h"
#include "data/leakage.h"

namespace cmr::data {
namespace {

// The windows of a fold before the protocol decides about validation.
struct Sides {
    std::vector<Window> train;
    std::vector<Window> held_out;        // healthy, of the parts for fitting, at the testing stride
    std::vector<Window> held_out_dense;  // the same at the training stride
    std::vector<Window> test;
};

// 0.29 of 100 is 29, though the product of the doubles is a little less.
size_t share(double fraction, size_t count) {
    return static_cast<size_t>(fraction * static_cast<double>(count) + 1e-9);
}

class Splitter {
  public:
    Splitter(const Dataset& dataset, const recipe::Recipe& recipe) : dataset_(dataset), recipe_(recipe) {
        for (size_t i = 0; i < dataset.recordings.size(); ++i) {
            const auto index = static_cast<int32_t>(i);
            const std::string& role = dataset.parts[dataset.recordings[i].part].role;
            if (role != "fit" && role != "test") continue;
            std::vector<Window> windows;
            cut_windows(dataset, index, recipe.window, recipe.window.stride, windows);
            for (const Window& window : windows)
                (role == "test" ? test_ : window.state == State::kFaulty ? faulty_ : healthy_).push_back(window);
            if (role != "fit") continue;
            fit_.push_back(index);
            windows.clear();
            cut_windows(dataset, index, recipe.window, recipe.window.training_stride(), windows);
            for (const Window& window : windows)
                if (window.state == State::kHealthy) candidates_.push_back(window);
        }
        if (healthy_.empty())
            throw InputError(
                "{}: no healthy window of {} samples in the parts with role = \"fit\", so nothing to learn from",
                recipe.name, recipe.window.length);
    }

    std::vector<Fold> folds(std::vector<std::string>* left_out) const {
        if (recipe_.split.kind == "leave-units-out") return leave_units_out();
        if (recipe_.split.kind == "by-file") return {usable(finish("", by_file()))};
        if (recipe_.split.per == "dataset") return {usable(finish("", chronological({fit_.begin(), fit_.end()})))};
        std::vector<Fold> folds, short_ones;
        for (const int32_t recording : fit_) {
            Fold fold = finish(dataset_.recordings[recording].name, chronological({recording}));
            (is_usable(fold) ? folds : short_ones).push_back(std::move(fold));
        }
        if (folds.empty()) usable(std::move(short_ones.front()));
        for (const Fold& fold : short_ones)
            if (left_out) left_out->push_back(fold.name);
        return folds;
    }

  private:
    int64_t length() const { return recipe_.window.length; }

    // The beginning of `recordings` for training, the rest held out.
    Sides chronological(const std::set<int32_t>& recordings) const {
        const recipe::Split& split = recipe_.split;
        const auto inside = [&](const Window& w) { return recordings.contains(w.recording); };
        Sides sides;
        // Windows before `border` in the order of recordings and samples are for training.
        const auto divide = [&](const auto& before_border) {
            for (const Window& w : candidates_)
                if (inside(w)) (before_border(w) ? sides.train : sides.held_out_dense).push_back(w);
            for (const Window& w : healthy_)
                if (inside(w) && !before_border(w)) sides.held_out.push_back(w);
        };
        if (split.train_samples > 0) {
            divide([&](const Window& w) { return w.begin + length() <= split.train_samples; });
        } else {
            std::vector<Window> all;
            std::ranges::copy_if(healthy_, std::back_inserter(all), inside);
            const size_t count = share(split.train_fraction, all.size());
            if (count == 0) return sides;
            const std::pair border(all[count - 1].recording, all[count - 1].begin);
            divide([&](const Window& w) { return std::pair(w.recording, w.begin) <= border; });
        }
        sides.test = test_;
        std::ranges::copy_if(faulty_, std::back_inserter(sides.test), inside);
        return sides;
    }

    // Whole files. One without a healthy window is no use in training, so it is for testing.
    Sides by_file() const {
        std::vector<int32_t> files;
        for (const Window& w : healthy_)
            if (files.empty() || files.back() != w.recording) files.push_back(w.recording);
        order(files);
        const size_t count = share(recipe_.split.train_fraction, files.size());
        const std::set<int32_t> train(files.begin(), files.begin() + static_cast<int64_t>(count));
        return by_membership([&](const Window& w) { return train.contains(w.recording); });
    }

    // As split.order lists them; those that it does not list come last.
    void order(std::vector<int32_t>& files) const {
        const std::vector<PathPattern> listed(recipe_.split.order.begin(), recipe_.split.order.end());
        const auto fits = [&](const PathPattern& pattern, int32_t file) {
            return pattern.match(dataset_.recordings[file].name).has_value();
        };
        for (size_t i = 0; i < listed.size(); ++i)
            if (std::ranges::none_of(files, [&](int32_t file) { return fits(listed[i], file); }))
                throw InputError("{}: split.order has '{}', which no file with healthy windows is called", recipe_.name,
                                 recipe_.split.order[i]);
        std::ranges::stable_sort(files, {}, [&](int32_t file) {
            return std::ranges::find_if(listed, [&](const PathPattern& pattern) { return fits(pattern, file); }) -
                   listed.begin();
        });
    }

    template <typename InTraining>
    Sides by_membership(const InTraining& in_training) const {
        Sides sides;
        for (const Window& w : candidates_) (in_training(w) ? sides.train : sides.held_out_dense).push_back(w);
        for (const Window& w : healthy_)
            if (!in_training(w)) sides.held_out.push_back(w);
        sides.test = test_;
        // A faulty stretch of a file or machine that is trained on would put it on both sides.
        for (const Window& w : faulty_)
            if (!in_training(w)) sides.test.push_back(w);
        return sides;
    }

    // Every choice of `leave_out` healthy units, in order.
    std::vector<Fold> leave_units_out() const {
        std::set<std::string, bool (*)(std::string_view, std::string_view)> names(natural_less);
        for (const Window& w : healthy_) names.insert(dataset_.recordings[w.recording].unit);
        const std::vector<std::string> units(names.begin(), names.end());
        const auto count = static_cast<size_t>(recipe_.split.leave_out);
        if (units.size() <= count || units.front().empty())
            throw InputError(
                "{}: leave-units-out with leave_out = {} needs more healthy units than that, and {{unit}} in "
                "the file pattern; found {}",
                recipe_.name, count, units.front().empty() ? 0 : units.size());
        std::vector<Fold> folds;
        std::vector<size_t> chosen(count);
        for (size_t i = 0; i < count; ++i) chosen[i] = i;
        while (true) {
            std::vector<std::string> out;
            for (const size_t i : chosen) out.push_back(units[i]);
            const auto in_training = [&](const Window& w) {
                const std::string& unit = dataset_.recordings[w.recording].unit;
                return names.contains(unit) && std::ranges::find(out, unit) == out.end();
            };
            folds.push_back(usable(finish(fmt::format("{}", fmt::join(out, "+")), by_membership(in_training))));
            // The next combination: the last index that can move on, and the ones after it close behind.
            size_t i = count;
            while (i > 0 && chosen[i - 1] == units.size() - count + i - 1) --i;
            if (i == 0) return folds;
            ++chosen[i - 1];
            for (size_t j = i; j < count; ++j) chosen[j] = chosen[j - 1] + 1;
        }
    }

    // Leaves out of `windows` what is nearer to `training` than the purge gap.
    int64_t purge(std::vector<Window>& windows, const std::vector<Window>& training) const {
        const std::vector<SampleRange> stretches = covered(training, length());
        const auto near = [&](const Window& w) {
            const SampleRange reach{w.recording, w.begin - recipe_.split.purge,
                                    w.begin + length() + recipe_.split.purge};
            auto after = std::ranges::upper_bound(stretches, SampleRange{w.recording, reach.end - 1, INT64_MAX});
            return after != stretches.begin() && (--after)->recording == w.recording && after->end > reach.begin;
        };
        return static_cast<int64_t>(std::erase_if(windows, near));
    }

    // Takes validation windows out of the training windows: whole files where there are enough, else the end.
    std::vector<Window> carve_validation(std::vector<Window>& train) const {
        const double fraction = recipe_.split.validation_fraction;
        std::vector<int32_t> recordings;
        for (const Window& w : train)
            if (recordings.empty() || recordings.back() != w.recording) recordings.push_back(w.recording);
        const auto every = static_cast<size_t>(std::max(2LL, std::llround(1.0 / fraction)));
        std::set<int32_t> chosen;
        std::vector<Window> validation;
        if (recordings.size() >= 2 * every) {
            for (size_t i = every - 1; i < recordings.size(); i += every) chosen.insert(recordings[i]);
            for (const Window& w : train)
                if (chosen.contains(w.recording)) validation.push_back(w);
            std::erase_if(train, [&](const Window& w) { return chosen.contains(w.recording); });
        } else {
            const auto keep = static_cast<size_t>(std::ceil((1.0 - fraction) * static_cast<double>(train.size())));
            validation.assign(train.begin() + static_cast<int64_t>(keep), train.end());
            train.resize(keep);
        }
        return validation;
    }

    Fold finish(std::string name, Sides sides) const {
        const recipe::Split& split = recipe_.split;
        Fold fold{
            .name = std::move(name), .train = std::move(sides.train), .validation = {}, .test = std::move(sides.test)};
        const bool held_out_is_test = split.held_out == "validation+test";
        const bool paper = split.protocol == "paper";
        if (held_out_is_test) fold.test.insert(fold.test.end(), sides.held_out.begin(), sides.held_out.end());
        if (sides.held_out.empty() || (held_out_is_test && !paper))
            fold.validation = carve_validation(fold.train);
        else
            fold.validation = std::move(held_out_is_test ? sides.held_out : sides.held_out_dense);
        fold.purged += purge(fold.validation, fold.train);
        fold.purged += purge(fold.test, fold.train);
        if (!(paper && held_out_is_test)) fold.purged += purge(fold.test, fold.validation);
        std::ranges::sort(fold.test);
        return fold;
    }

    static bool is_usable(const Fold& fold) { return !fold.train.empty() && !fold.validation.empty(); }

    Fold usable(Fold fold) const {
        if (is_usable(fold)) return fold;
        throw InputError("{}{}: no window left for {}; the split needs more healthy data or shorter windows",
                         recipe_.name, fold.name.empty() ? "" : ", fold " + fold.name,
                         fold.train.empty() ? "training" : "validation");
    }

    const Dataset& dataset_;
    const recipe::Recipe& recipe_;
    std::vector<int32_t> fit_;        // recordings
    std::vector<Window> healthy_;     // of the parts for fitting, at the testing stride
    std::vector<Window> faulty_;      // of the parts for fitting
    std::vector<Window> candidates_;  // healthy ones of the parts for fitting, at the training stride
    std::vector<Window> test_;        // of the parts for testing
};

}  // namespace

std::vector<Fold> make_folds(const Dataset& dataset, const recipe::Recipe& recipe, std::vector<std::string>* left_out) {
    std::vector<Fold> folds = Splitter(dataset, recipe).folds(left_out);
    LeakageCheck check(dataset, recipe);
    for (const Fold& fold : folds) check(fold);
    return folds;
}

}  // namespace cmr::data
