#include "fit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "data/fingerprint.h"
#include "data/memory.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "load_data.h"
#include "model/parameters.h"
#include "progress.h"
#include "run_program.h"
#include "say.h"
#include "score/features/pooling.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"
#include "score/scorers/scorer.h"
#include "text_table.h"
#include "train/fit.h"

namespace cmr::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What a signal does while the network learns: the step is finished first.
volatile std::sig_atomic_t interrupted = 0;  // the signal

void end_after_this_step(int number) { interrupted = number; }
void on_interrupt(void (*handler)(int)) {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, handler);
}

struct Stopped {};

constexpr int64_t kLibtorch = 300 << 20;  // bytes of memory that it takes by itself

// Better to learn now than in an hour that nothing can be written there.
void check_place(const fs::path& out, const fs::path& log) {
    if (!out.has_filename() || (fs::exists(out) && !fs::is_regular_file(out)))
        throw InputError("{}: names a folder or a device, expected the model file to write", out.string());
    const bool there = fs::exists(log);
    io::write_file_atomically(log, there ? io::read_file(log) : "");
    if (!there) fs::remove(log);
}

// Held as long as a fit writes its model: a second one to the same file would write the same checkpoint.
class OutputLock {
  public:
    explicit OutputLock(const fs::path& out)
        : path_(out.string() + ".lock"), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (file_.number() < 0) fail_with(errno, fmt::format("{}: cannot write", path_.string()));
        if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            throw InputError("{}: another fit is writing it; wait until it is done, or give another --out",
                             out.string());
    }
    ~OutputLock() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    OutputLock(const OutputLock&) = delete;
    OutputLock& operator=(const OutputLock&) = delete;

  private:
    fs::path path_;
    io::Descriptor file_;
};

// Every finished epoch as a line of JSON. Written whole each time.
class Log {
  public:
    explicit Log(fs::path file) : file_(std::move(file)) {}

    void add(const std::vector<Epoch>& epochs) {
        for (const Epoch& epoch : epochs) text_ += io::to_json(epoch).dump() + "\n";
        io::write_file_atomically(file_, text_);
    }

  private:
    fs::path file_;
    std::string text_;
};

// What of a recipe the network depends on, as text: how windows are scored may change without training again.
std::string learned_by(recipe::Recipe recipe) {
    const int64_t lags = recipe.score.lags;  // of the innovation, which networks may be given
    recipe.score = {};
    recipe.score.lags = lags;
    return recipe::to_toml(recipe);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How long an epoch takes, said before the first and once more: after some steps of a long one, or after the first.
class Estimate {
  public:
    explicit Estimate(int64_t most_epochs) : most_epochs_(most_epochs) {}

    std::string before(double seconds, int64_t finished) const {
        return fmt::format("will take about {} an epoch, at most {}", duration_text(seconds),
                           duration_text(seconds * static_cast<double>(most_epochs_ - finished)));
    }
    // Empty where it is too early to tell, or was told already.
    std::string after_step(int64_t step, int64_t steps, int64_t finished) {
        if (!first_step_) first_step_ = Clock::now();
        const double seconds = seconds_since(*first_step_);
        if (told_ || seconds < 20 || step < 4) return {};
        return after_epoch(seconds * static_cast<double>(steps) / static_cast<double>(step - 1), finished);
    }
    std::string after_epoch(double seconds, int64_t finished) {
        if (std::exchange(told_, true)) return {};
        const double most = seconds * static_cast<double>(most_epochs_ - finished);
        return fmt::format("about {} an epoch, at most {} more", duration_text(seconds), duration_text(most));
    }

  private:
    int64_t most_epochs_;
    std::optional<Clock::time_point> first_step_;
    bool told_ = false;
};

io::Json summary(const score::Detector& detector, const Fitted& fitted, const std::string& out, double seconds) {
    io::Json gates = io::Json::array();
    for (const score::Gate& gate : detector.pipeline.gates()) gates.push_back(gate.open);
    return {{"model", out},
            {"recipe", detector.recipe.name},
            {"method", detector.recipe.model.method},
            {"fold", detector.provenance.fold},
            {"seed", detector.provenance.seed},
            {"epochs", fitted.facts.epochs.size()},
            {"best_epoch", fitted.facts.best_epoch},
            {"validation_loss", fitted.facts.schedule.best},
            {"untrained_loss", fitted.facts.untrained_loss},
            {"recoveries", fitted.facts.recoveries},
            {"healthy_windows", detector.healthy.scores.rows},
            {"voices", detector.pipeline.combined().voices()},
            {"network_gates", gates},
            {"seconds", seconds}};
}

std::string what_the_network_adds(const score::Gates& gates) {
    if (gates.empty()) return "";
    const auto open = std::ranges::count_if(gates, [](const score::Gate& gate) { return gate.open > 0; });
    if (open == 0)
        return fmt::format(
            "The network counts for none of {} effects: it foretells none of them better than the linear mechanism, or "
            "too few windows are left that it has not seen.\n",
            gates.size());
    double left = 0;
    for (const score::Gate& gate : gates) left += gate.left / static_cast<double>(gates.size());
    return fmt::format(
        "The network counts for {} of {} effects; with it {:.0f} % is left of what the linear mechanism leaves "
        "unexplained of healthy windows that neither has seen.\n",
        open, gates.size(), 100 * left);
}

std::string table(const score::Detector& detector, const Fitted& fitted, const std::string& out, double seconds) {
    std::string text =
        fitted.facts.epochs.empty()
            ? fmt::format("{}: not trained, all in {}\n", out, duration_text(seconds))
            : fmt::format("{}: {} epochs, all in {}; the best was {}; validation loss {:.4g} (untrained {:.4g})\n", out,
                          fitted.facts.epochs.size(), duration_text(seconds), fitted.facts.best_epoch,
                          fitted.facts.schedule.best, fitted.facts.untrained_loss);
    int64_t skipped = 0;
    for (const Epoch& epoch : fitted.facts.epochs) skipped += epoch.skipped;
    if (skipped > 0)
        text += fmt::format("{} steps were not finite and were skipped; the last good state was restored {} times\n",
                            skipped, fitted.facts.recoveries);
    text += fmt::format("\nCombined on {} healthy windows, each judged by what was fitted without it\n",
                        with_commas(detector.healthy.scores.rows));
    cli::TextTable rows({"<voice", "<what it tells"});
    for (const score::NamedScorer& each : detector.pipeline.scorers())
        if (detector.pipeline.combined().holds(each.name())) rows.add({each.name(), std::string(each.kind->what)});
    return text + rows.text() + what_the_network_adds(detector.pipeline.gates());
}

std::string stopped_text(const std::string& when, const fs::path& checkpoint) {
    if (!fs::exists(checkpoint)) return fmt::format("stopped {}", when);
    return fmt::format("stopped {}; the same command goes on from there ({})", when, checkpoint.string());
}

void check_memory(const recipe::Recipe& recipe, int64_t memory) {
    const auto limit =
        recipe.train.memory_gb > 0 ? static_cast<int64_t>(recipe.train.memory_gb * 1e9) : available_memory();
    if (memory > limit) {
        const bool told = recipe.train.memory_gb > 0;
        const std::string message = fmt::format(
            "{}: fitting {} on windows of {} samples would take {} of memory, more than the {}; try a smaller "
            "train.batch, shorter windows, data.storage=disk or another method",
            recipe.name, recipe.model.method, recipe.window.length, bytes_text(memory),
            told ? fmt::format("{} GB of train.memory_gb", recipe.train.memory_gb)
                 : fmt::format("{} that are free", bytes_text(limit)));
        if (told) throw InputError(message);
        throw SystemError(message);
    }
}

// Says how far it is, and how long it will take; an interrupt ends it after a step.
Fitted train_telling(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                     const model::Preprocessing& preprocessing, FitOptions options, const fs::path& log_file) {
    on_interrupt(end_after_this_step);
    Log log(log_file);
    int64_t finished = 0;
    try {
        ProgressBar bar("training");
        Estimate estimate(recipe.train.max_epochs);
        const auto tell = [&](const std::string& text) {
            if (!text.empty()) bar.print(fmt::format("{}: {}", recipe.name, text));
        };
        options.on_begin = [&](double seconds) { tell(estimate.before(seconds, finished)); };
        options.on_resume = [&](const RunFacts& facts) {
            finished = std::ssize(facts.epochs);
            log.add(facts.epochs);  // a stop may have come before the last of them was written
            say("{}: goes on after epoch {} ({})\n", recipe.name, finished, options.checkpoint.string());
        };
        options.on_step = [&](int64_t step, int64_t steps) {
            if (interrupted) throw Stopped();
            tell(estimate.after_step(step, steps, finished));
            bar.update(finished * steps + step, recipe.train.max_epochs * steps);
        };
        options.on_epoch = [&](const Epoch& epoch) {
            finished = epoch.epoch;
            log.add({epoch});
            if (finished < recipe.train.max_epochs) tell(estimate.after_epoch(epoch.seconds, finished));
            bar.say(fmt::format("epoch {} of at most {}, effect {:.4f}, validation {:.4f}{}, {:.0f} windows/s",
                                epoch.epoch, recipe.train.max_epochs, epoch.train_effect, epoch.validation_judged,
                                epoch.skipped > 0 ? fmt::format(", {} steps skipped", epoch.skipped) : "",
                                epoch.windows_per_second));
        };
        Fitted fitted = fit(dataset, recipe, fold, preprocessing, options);
        if (interrupted) throw Stopped();
        return fitted;
    } catch (const Stopped&) {
        throw Interrupted(interrupted, stopped_text(fmt::format("after {} epoch{}", finished, finished == 1 ? "" : "s"),
                                                    options.checkpoint));
    }
}

score::Detector fit_detector_telling(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                                     model::Preprocessing preprocessing, const model::Model& network,
                                     const score::Provenance& origin) {
    constexpr double kWorthTelling = 5;  // seconds
    ProgressBar bar("fitting the detector");
    Clock::time_point embedded;  // the first step; the others are alike
    return score::fit_detector(
        dataset, recipe, fold, std::move(preprocessing), network, origin, [&](int64_t done, int64_t total) {
            bar.update(done, total);
            if (done == 1) embedded = Clock::now();
            if (done != 2) return;
            const double left = seconds_since(embedded) * static_cast<double>(total - done);
            if (left >= kWorthTelling)
                bar.print(fmt::format("{}: the detector will take about {} more", recipe.name, duration_text(left)));
        });
}

}  // namespace

int fit(const cli::FitRequest& request) {
    const auto start = Clock::now();
    std::vector<std::string> settings = request.settings;
    if (!request.method.empty()) settings.push_back("model.method=" + request.method);
    const recipe::Recipe recipe = recipe::read_recipe(request.recipe, settings);
    score::check_pooling(recipe.score.pooling, recipe.model.method, request.recipe);
    for (const std::string& name : recipe.score.only)
        score::scorer_named(name);  // InputError for one that there is not
    const fs::path out = request.out.empty() ? fs::path(recipe.name + ".cmr") : fs::path(request.out);
    const fs::path checkpoint = out.string() + ".part", log_file = out.string() + ".log.jsonl";
    io::refuse_to_overwrite(out, {request.recipe});
    check_place(out, log_file);
    const OutputLock lock(out);

    const data::Dataset dataset = cli::load_data(recipe, request.data_root);
    io::refuse_to_overwrite(out, cli::files_of(dataset, recipe, request.data_root));
    const std::vector<data::Fold> folds = data::make_folds(dataset, recipe);
    if (request.fold < 0 || request.fold >= std::ssize(folds))
        throw InputError("--fold {}: {} has folds 0 to {}", request.fold, recipe.name, folds.size() - 1);
    const data::Fold& fold = folds[request.fold];
    const int64_t to_fit =
        kLibtorch + score::memory_to_fit(dataset, recipe, std::ssize(fold.train) + std::ssize(fold.validation));
    check_memory(recipe, to_fit);
    model::Preprocessing preprocessing = model::prepare(dataset, recipe, fold);
    score::check_fold(recipe, fold, preprocessing);
    const int64_t seed = request.seed >= 0 ? request.seed : recipe.train.seeds.front();
    const score::Provenance origin{recipe::to_toml(recipe), fold.name, request.fold, seed, data::fingerprint(dataset),
                                   std::string(version())};
    const int64_t memory =
        std::max(memory_of_training(preprocessing.config, recipe.train.batch, recipe.window.length), to_fit);
    const bool learns = model::method_named(recipe.model.method).learns;
    const std::string epochs =
        learns ? fmt::format("at most {} epoch{}", recipe.train.max_epochs, recipe.train.max_epochs == 1 ? "" : "s")
               : "which are not trained";
    say("{}: {} training and {} validation windows, {} parameters, {}; needs up to {} of memory\n", recipe.name,
        with_commas(std::ssize(fold.train)), with_commas(std::ssize(fold.validation)),
        with_commas(model::parameter_count(preprocessing.config)), epochs,
        bytes_text(memory + data::bytes_in_memory(dataset)));

    check_memory(recipe, memory);
    const auto training = Clock::now();
    FitOptions options;
    options.seed = static_cast<uint64_t>(seed);
    options.checkpoint = checkpoint;
    options.run =
        fmt::format("{}\nfold {}\nseed {}\ndata {}", learned_by(recipe), request.fold, seed, origin.fingerprint);
    options.restart = request.restart;
    const Fitted fitted = train_telling(dataset, recipe, fold, preprocessing, std::move(options), log_file);
    end_on_interrupt(stopped_text("after training", checkpoint));
    say("{}: {}now fitting the detector on {} healthy windows\n", recipe.name,
        learns ? fmt::format("trained in {}; ", duration_text(seconds_since(training))) : "",
        with_commas(std::ssize(fold.train) + std::ssize(fold.validation)));
    release_freed_memory();
    const score::Detector detector =
        fit_detector_telling(dataset, recipe, fold, std::move(preprocessing), fitted.model, origin);
    on_interrupt(SIG_IGN);  // saving takes a moment
    score::save_detector(detector, out);
    std::error_code ignored;
    fs::remove(checkpoint, ignored);
    const double seconds = seconds_since(start);
    print_result(request.json ? summary(detector, fitted, out.string(), seconds).dump(2) + "\n"
                              : table(detector, fitted, out.string(), seconds));
    return 0;
}

}  // namespace cmr::train
