#include "train/fit.h"

#include <ATen/ops/empty.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "model/methods/method.h"
#include "model/parameters.h"
#include "train/guards.h"

namespace cmr::train {
namespace {

// Steps that are not finite before the last good state is restored; fewer where an epoch has fewer.
constexpr int64_t kMostInARow = 3;
constexpr int64_t kMostRecoveries = 5;  // before giving up

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Means of losses, each counted as often as it has windows.
class LossMean {
  public:
    void add(const Losses& losses, int64_t windows) {
        const auto weight = static_cast<double>(windows);
        weight_ += weight;
        sum_.total += weight * losses.total;
        sum_.mechanism += weight * losses.mechanism;
        sum_.effect += weight * losses.effect;
        sum_.cause += weight * losses.cause;
        sum_.waveform += weight * losses.waveform;
        sum_.judged += weight * losses.judged;
    }
    Losses mean() const {
        Losses out;
        out.total = sum_.total / weight_;
        out.mechanism = sum_.mechanism / weight_;
        out.effect = sum_.effect / weight_;
        out.cause = sum_.cause / weight_;
        out.waveform = sum_.waveform / weight_;
        out.judged = sum_.judged / weight_;
        return out;
    }

  private:
    double weight_ = 0;
    Losses sum_;
};

// Those of the recipe; a published method learns at the rate of its publication unless the recipe gives one.
recipe::Train settings_of(const recipe::Recipe& recipe) {
    recipe::Train out = recipe.train;
    const double published = model::method_named(recipe.model.method).learning_rate;
    if (published > 0) out.learning_rate = out.rival_rate > 0 ? out.rival_rate : published;
    return out;
}

class Run {
  public:
    Run(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
        const model::Preprocessing& preprocessing, const FitOptions& options)
        : dataset_(dataset),
          recipe_(recipe),
          fold_(fold),
          preprocessing_(preprocessing),
          options_(options),
          rng_(options.seed),
          network_(make_network({"new model", preprocessing.config,
                                 model::initial_parameters(preprocessing.config, rng_.split("init"))})),
          schedule_(settings_of(recipe), recipe.split.protocol),
          optimisers_(network_->phases(), Optimiser(network_->parameters(), {.rate = schedule_.rate(0),
                                                                             .weight_decay = recipe.train.weight_decay,
                                                                             .largest_norm = recipe.train.clip})) {}

    Fitted operator()() {
        check_batches();
        const bool resumed = resume();
        if (!resumed) {
            network_->begin([&](const std::function<void(const at::Tensor&)>& body) {
                for_each_batch(fold_.train,
                               [&](int64_t, std::span<const data::Window> windows) { body(batch(windows)); });
            });
            facts_.untrained_loss = validate(1).judged;
        }
        if (resumed && options_.on_resume) options_.on_resume(facts_);
        if (options_.on_begin && model::method_named(recipe_.model.method).learns && !finished())
            options_.on_begin(seconds_of_an_epoch());
        last_good_ = now();
        if (!model::method_named(recipe_.model.method).learns) {
            facts_.schedule.best = facts_.untrained_loss;
            return {last_good_.network, facts_, false};
        }
        while (!finished()) epoch();
        if (best_.tensors.empty())
            throw InputError("{}: no epoch had a finite validation loss; try a lower train.learning_rate",
                             recipe_.name);
        network_->restore(best_);
        check_alive(best_, facts_.untrained_loss, facts_.schedule.best, some_validation_windows(),
                    recipe_.window.length);
        return {best_, facts_, resumed};
    }

  private:
    struct Good {
        model::Model network;
        std::vector<Optimiser::State> optimisers;
    };
    Good now() const {
        Good out{network_->snapshot(), {}};
        for (const Optimiser& optimiser : optimisers_) out.optimisers.push_back(optimiser.state());
        return out;
    }
    void go_back_to(const model::Model& network, const std::vector<Optimiser::State>& optimisers) {
        network_->restore(network);
        for (size_t i = 0; i < optimisers_.size(); ++i) optimisers_[i].restore(optimisers[i]);
    }

    // Batch normalisation needs two rows.
    void check_batches() const {
        const int64_t last = (std::ssize(fold_.train) - 1) % recipe_.train.batch + 1;
        if (last == 1 && preprocessing_.config.tokens(recipe_.window.length) == 1)
            throw InputError(
                "{}: the last batch of an epoch would be one window of one token, which nothing can be normalised by; "
                "try another train.batch than {}, or a window.length above {}",
                recipe_.name, recipe_.train.batch, recipe_.window.length);
    }

    bool finished() const {
        return std::ssize(facts_.epochs) >= recipe_.train.max_epochs || schedule_.patience_is_over();
    }

    bool resume() {
        if (options_.checkpoint.empty() || options_.restart) return false;
        auto state = load_checkpoint(options_.checkpoint, options_.run, preprocessing_.config, network_->phases());
        if (!state) return false;
        facts_ = std::move(state->facts);
        go_back_to(state->network, state->optimisers);
        best_ = std::move(state->best);
        schedule_.restore(facts_.schedule);
        return true;
    }

    at::Tensor batch(std::span<const data::Window> windows) const {
        const std::vector<data::Window> chosen(windows.begin(), windows.end());
        const int64_t length = recipe_.window.length;
        at::Tensor out = at::empty({std::ssize(chosen), preprocessing_.inputs.channels(), length}, at::kFloat);
        preprocessing_.inputs.assemble(preprocessing_.cause_windows(dataset_, chosen, length),
                                       preprocessing_.effect_windows(dataset_, chosen, length), out.data_ptr<float>());
        return out;
    }

    std::vector<data::Window> shuffled(int64_t epoch) const {
        std::vector<data::Window> out = fold_.train;
        Rng rng = rng_.split("shuffle").split(static_cast<uint64_t>(epoch));
        for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[rng.below(i)]);
        return out;
    }

    template <typename Body>
    void for_each_batch(std::span<const data::Window> windows, const Body& body) const {
        const int64_t size = recipe_.train.batch;
        for (int64_t first = 0; first < std::ssize(windows); first += size)
            body(first / size, windows.subspan(first, std::min<int64_t>(size, std::ssize(windows) - first)));
    }

    Losses validate(int64_t epoch) {
        LossMean mean;
        for_each_batch(fold_.validation, [&](int64_t, std::span<const data::Window> windows) {
            mean.add(network_->evaluate(batch(windows), epoch), std::ssize(windows));
        });
        return mean.mean();
    }

    void epoch() {
        const auto start = Clock::now();
        const int64_t index = std::ssize(facts_.epochs);
        Epoch report{.epoch = index + 1, .rate = schedule_.rate(index)};
        set_rate(report.rate);
        const std::vector<data::Window> windows = shuffled(index);
        const int64_t steps = (std::ssize(windows) + recipe_.train.batch - 1) / recipe_.train.batch;
        LossMean mean;
        int64_t in_a_row = 0;
        for_each_batch(windows, [&](int64_t step, std::span<const data::Window> chosen) {
            const at::Tensor samples = batch(chosen);
            const Rng rng = rng_.split("dropout").split(static_cast<uint64_t>(index * steps + step));
            for (int64_t phase = 0; phase < std::ssize(optimisers_); ++phase) {
                const Losses losses = network_->train_step(samples, {rng, report.epoch, phase});
                bool fine = std::isfinite(losses.total);
                if (fine)
                    fine = std::isfinite(optimisers_[phase].step());
                else
                    optimisers_[phase].discard();
                if (fine) {
                    if (phase == 0) mean.add(losses, std::ssize(chosen));
                    in_a_row = 0;
                    continue;
                }
                ++report.skipped;
                if (++in_a_row >= std::min(kMostInARow, steps)) {
                    recover();
                    set_rate(schedule_.rate(index));
                    in_a_row = 0;
                }
            }
            if (options_.on_step) options_.on_step(step + 1, steps);
        });
        report.windows_per_second = static_cast<double>(windows.size()) / seconds_since(start);
        finish(report, mean.mean(), start);
    }

    void finish(Epoch& report, const Losses& train, Clock::time_point start) {
        const Losses validation = validate(report.epoch);
        report.train_total = train.total;
        report.train_mechanism = train.mechanism;
        report.train_effect = train.effect;
        report.train_cause = train.cause;
        report.train_waveform = train.waveform;
        report.validation_total = validation.total;
        report.validation_mechanism = validation.mechanism;
        report.validation_effect = validation.effect;
        report.validation_cause = validation.cause;
        report.validation_waveform = validation.waveform;
        report.validation_judged = validation.judged;
        report.best = schedule_.observe(report.epoch - 1, validation.judged);
        // Either way the network is now the last good one, which is what a resumed run takes it for.
        if (std::isfinite(validation.judged))
            last_good_ = now();
        else
            recover();
        if (report.best) {
            best_ = last_good_.network;
            facts_.best_epoch = report.epoch;
        }
        report.seconds = seconds_since(start);
        facts_.epochs.push_back(report);
        facts_.schedule = schedule_.state();
        facts_.optimiser_steps.clear();
        for (const Optimiser& optimiser : optimisers_) facts_.optimiser_steps.push_back(optimiser.state().steps);
        if (!options_.checkpoint.empty()) {
            Good state = now();
            save_checkpoint(options_.checkpoint, options_.run,
                            {facts_, std::move(state.network), std::move(state.optimisers), best_});
        }
        if (options_.on_epoch) options_.on_epoch(report);
    }

    void recover() {
        if (++facts_.recoveries > kMostRecoveries)
            throw InputError(
                "{}: the loss does not stay finite, even at {:.2g} of the learning rate; try a lower "
                "train.learning_rate, or look for wild values with `cmr inspect`",
                recipe_.name, schedule_.state().factor);
        go_back_to(last_good_.network, last_good_.optimisers);
        schedule_.lower();
    }

    // The first step warms up caches and memory and does not count, unless it is so long that it does not matter.
    double seconds_of_an_epoch() const {
        const auto trial = make_network(network_->snapshot());
        std::vector<Optimiser> optimisers(optimisers_.size(), Optimiser(trial->parameters(), {}));
        const auto some = [&](const std::vector<data::Window>& windows) {
            return std::span(windows).first(std::min<size_t>(recipe_.train.batch, windows.size()));
        };
        const auto batches = [&](const std::vector<data::Window>& windows) {
            return static_cast<double>(windows.size()) / static_cast<double>(some(windows).size());
        };
        double step = 0.0;
        for (int turn = 0; turn < 3 && step < 2.0; ++turn) {
            const auto start = Clock::now();
            const at::Tensor samples = batch(some(fold_.train));
            for (int64_t phase = 0; phase < std::ssize(optimisers); ++phase) {
                trial->train_step(samples, {rng_.split("trial"), 1, phase});
                optimisers[phase].step();
            }
            step = turn < 2 ? seconds_since(start) : std::min(step, seconds_since(start));
        }
        if (fold_.validation.empty()) return step * batches(fold_.train);
        const auto start = Clock::now();
        trial->evaluate(batch(some(fold_.validation)), 1);
        return step * batches(fold_.train) + seconds_since(start) * batches(fold_.validation);
    }

    void set_rate(double rate) {
        for (Optimiser& optimiser : optimisers_) optimiser.set_rate(rate);
    }

    // Evenly spaced.
    Matrix some_validation_windows() const {
        constexpr int64_t kMost = 64;
        std::vector<data::Window> chosen;
        const int64_t count = std::min<int64_t>(kMost, std::ssize(fold_.validation));
        for (int64_t i = 0; i < count; ++i)
            chosen.push_back(fold_.validation[i * std::ssize(fold_.validation) / count]);
        const int64_t length = recipe_.window.length;
        Matrix out(count, preprocessing_.inputs.channels() * length);
        preprocessing_.inputs.assemble(preprocessing_.cause_windows(dataset_, chosen, length),
                                       preprocessing_.effect_windows(dataset_, chosen, length), out.values.data());
        return out;
    }

    const data::Dataset& dataset_;
    const recipe::Recipe& recipe_;
    const data::Fold& fold_;
    const model::Preprocessing& preprocessing_;
    const FitOptions& options_;
    Rng rng_;
    std::unique_ptr<Network> network_;
    Schedule schedule_;
    std::vector<Optimiser> optimisers_;  // per phase
    RunFacts facts_;
    Good last_good_;
    model::Model best_;
};

}  // namespace

Fitted fit(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
           const model::Preprocessing& preprocessing, const FitOptions& options) {
    return Run(dataset, recipe, fold, preprocessing, options)();
}

}  // namespace cmr::train
