// The command line of cmr: reads the arguments and calls one verb. CLI11 takes seconds to compile, so it stays in this
// file; a verb is a function from its options to its output.

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "alarms.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/version.h"
#include "calibrate.h"
#include "demo.h"
#include "eval.h"
#include "explain.h"
#include "fit_request.h"
#include "info.h"
#include "inspect.h"
#include "io/json_fields.h"
#include "limits.h"
#include "pages.h"
#include "recipe/recipe.h"
#include "report.h"
#include "run_program.h"
#include "score.h"
#include "score_stream.h"
#include "simulate.h"
#include "study.h"
#include "training_program.h"
#include "update.h"
#include "watch.h"

namespace cmr::cli {
namespace {

constexpr const char* kDescription =
    "cmr watches whether a machine still answers its causes the way it did when healthy.\n";

constexpr const char* kLessons =
    "Begin with:\n"
    "  cmr demo             the whole product in a few minutes, on a simulated plant\n"
    "  cmr info             what this program is and what it runs on\n"
    "  cmr info --json      the same for other programs\n"
    "  cmr inspect FILE     what is in a data file, or in all the data of a recipe\n"
    "  cmr simulate KIND    data of a bearing, a hydraulic rig or a water plant, with known faults\n"
    "  cmr fit RECIPE       learn from healthy data; then calibrate, score and eval\n"
    "  cmr watch --demo     the live monitor, on a simulated plant\n"
    "  cmr study STUDY      compare methods over folds and seeds; then report\n"
    "  cmr selftest         train and score a small model here, and check what is promised\n"
    "  cmr VERB --help      all that a verb can do\n"
    "\n"
    "Environment:\n"
    "  CMR_THREADS=2        threads to use; otherwise every CPU this process may use\n"
    "  CMR_DATA_ROOT=DIR    where the data of recipes lie\n"
    "  CMR_ISA=portable     instruction set of the kernels; otherwise the best this CPU has\n"
    "  CMR_PRECISION=bf16x3 precision of matrix products, on AMX; otherwise the model's own, mostly float32\n"
    "\n"
    "Results go to standard output, messages to standard error.\n";

void add_info(CLI::App& app, std::string& result) {
    auto options = std::make_shared<InfoOptions>();
    auto* verb = app.add_subcommand("info", "Show the version, the instruction set in use, threads and libraries");
    verb->add_flag("--json", options->json, "Print a JSON object instead of a table");
    verb->callback([options, &result] { result = info(*options); });
}

void add_inspect(CLI::App& app, std::string& result) {
    auto options = std::make_shared<InspectOptions>();
    auto* verb =
        app.add_subcommand("inspect", "Show what is in data: channels, gaps, couplings, windows of each split");
    verb->add_option("DATA", options->target, "A recipe (.toml), or a data file of any known format")->required();
    verb->add_option("--data-root", options->data_root,
                     "Folder of the recipe's files; otherwise CMR_DATA_ROOT, or data/");
    verb->add_option(
            "--set", options->settings,
            "KEY=VALUE over the recipe, such as window.stride=64; of a file: how to read it, such as skip_rows=3")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->add_flag("--json", options->json, "Print a JSON object instead of tables");
    verb->callback([options, &result] { result = inspect(*options); });
}

// Every field of a settings struct as an option: sample_rate_hz is --sample-rate-hz.
template <typename Options>
void add_fields(CLI::App& verb, Options& options) {
    visit_fields(options, [&](std::string name, auto& member, const char* help) {
        std::ranges::replace(name, '_', '-');
        verb.add_option("--" + name, member, help)->capture_default_str();
    });
}

template <typename Options>
void add_simulator(CLI::App& app, std::string& result, const char* name, const char* description) {
    struct Call {
        std::filesystem::path out;
        Options options;
    };
    auto call = std::make_shared<Call>();
    auto* kind = app.add_subcommand(name, description);
    kind->add_option("--out", call->out, "Folder to write into: new, empty, or of an earlier simulation")->required();
    add_fields(*kind, call->options);
    kind->callback([call, &result] { result = simulate(call->out, call->options); });
}

void add_simulate(CLI::App& app, std::string& result) {
    auto* verb = app.add_subcommand("simulate", "Write data of a simulated machine with known faults");
    verb->require_subcommand(1);
    add_simulator<simulate::BearingOptions>(*verb, result, "bearing",
                                            "A bearing rig, as Paderborn University records it");
    add_simulator<simulate::HydraulicOptions>(*verb, result, "hydraulic", "A hydraulic rig, as ZeMA records it");
    add_simulator<simulate::WaterOptions>(*verb, result, "water", "A water treatment plant, as SWaT records it");
}

void add_fit(CLI::App& app) {
    auto request = std::make_shared<FitRequest>();
    auto* verb = app.add_subcommand("fit", "Learn from healthy windows: a recipe and its data become one model file");
    verb->add_option("RECIPE", request->recipe, "A recipe (.toml)")->required();
    verb->add_option("--data-root", request->data_root,
                     "Folder of the recipe's files; otherwise CMR_DATA_ROOT, or data/");
    verb->add_option("--out", request->out, "Model file to write; otherwise NAME.cmr here");
    verb->add_option("--fold", request->fold, "Which fold of the split, as `cmr inspect` numbers them")
        ->capture_default_str();
    verb->add_option("--seed", request->seed, "Of weights, order and dropout; otherwise the recipe's first");
    verb->add_option("--method", request->method,
                     fmt::format("{}; otherwise the recipe's", fmt::join(recipe::kMethods, ", ")));
    verb->add_option("--set", request->settings, "KEY=VALUE over the recipe, such as train.max_epochs=20")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->add_flag("--restart", request->restart, "Begin anew instead of going on with an unfinished run");
    verb->add_flag("--json", request->json, "Print a JSON object instead of a table");
    verb->callback([request] { become_training_program({"fit", io::to_json(*request).dump()}); });
}

void add_calibrate(CLI::App& app, std::string& result) {
    auto options = std::make_shared<CalibrateOptions>();
    auto* verb = app.add_subcommand("calibrate", "Set the alarm line by a promise of false alarms per day");
    verb->add_option("MODEL", options->model, "A model file of `cmr fit`")->required();
    verb->add_option("--false-alarms-per-day", options->false_alarms_per_day, "What you can live with")->required();
    verb->add_option("--out", options->out, "Model file to write; otherwise MODEL itself");
    add_fields(*verb, options->rule);
    verb->add_flag("--json", options->json, "Print a JSON object instead of text");
    verb->callback([options, &result] { result = calibrate(*options); });
}

void add_update(CLI::App& app, std::string& result) {
    auto options = std::make_shared<UpdateOptions>();
    auto* verb = app.add_subcommand("update", "Teach a model more healthy data without training it again");
    verb->add_option("MODEL", options->model, "A model file of `cmr fit`; alone: what was added to it")->required();
    verb->add_option("--healthy", options->healthy.data, "Data that were healthy, read as `score` reads new data");
    verb->add_option("--data-root", options->healthy.data_root,
                     "Folder of the data that the model was fitted on; otherwise CMR_DATA_ROOT, or data/");
    verb->add_option("--part", options->healthy.part, "As of `cmr score`");
    verb->add_option("--set", options->healthy.settings, "KEY=VALUE, as of `cmr score`")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->add_option("--marked", options->marked,
                     "A plant (.toml): of the data only alarms are healthy that its ledger has as marked false");
    verb->add_option("--asset", options->asset, "With --marked: whose data they are");
    verb->add_option("--who", options->who, "Who says so; otherwise $USER");
    verb->add_option("--why", options->why, "For the model, and the ledger of who watches with it");
    verb->add_flag("--undo", options->undo, "Put the model back that it was before the last addition");
    verb->add_flag("--json", options->json, "Print a JSON object instead of text");
    verb->callback([options, &result] { result = update(*options); });
}

void add_data_options(CLI::App& verb, DataOptions& data) {
    verb.add_option("DATA", data.data,
                    "New data, read as the recipe reads its own: a file, or a folder where the recipe has a file per "
                    "channel; otherwise the recipe's data. `score` judges rows as they come from a pipe, or from - "
                    "(standard input)");
    verb.add_option("--data-root", data.data_root, "Folder of the recipe's files; otherwise CMR_DATA_ROOT, or data/");
    verb.add_option("--part", data.part,
                    "Part of the recipe whose files DATA is like; otherwise the one whose names fit, or [data.read]");
    verb.add_option("--set", data.settings,
                    "KEY=VALUE over the model's recipe, of data.* or window.stride, such as data.read.decimal=comma")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_score(CLI::App& app, std::string& result) {
    auto options = std::make_shared<ScoreOptions>();
    auto stride = std::make_shared<std::string>();
    auto* verb = app.add_subcommand("score", "Write one row per window: every score, p-value, level and alarm");
    verb->add_option("MODEL", options->model, "A model file of `cmr fit`")->required();
    add_data_options(*verb, options->data);
    verb->add_option("--out", options->out, "CSV file to write; otherwise standard output");
    verb->add_option("--stride", *stride, "Samples from one window to the next; otherwise the recipe's")
        ->type_name("INT");
    verb->add_flag("--follow", options->follow, "Go on with a file that grows, until Ctrl-C");
    verb->add_flag("--timing", options->timing,
                   "Of files: say what share of the time reading, network and scorers took");
    verb->add_option("--lateness-s", options->lateness_s,
                     "Of rows that are judged as they come: seconds that one may come after later ones")
        ->capture_default_str();
    verb->add_flag("--json", options->json, "With --out: print a JSON object");
    verb->callback([options, stride, &result] {
        if (!stride->empty()) options->data.settings.push_back("window.stride=" + *stride);
        result = is_stream(*options) ? score_stream(*options) : score(*options);
    });
}

void add_explain(CLI::App& app, std::string& result) {
    auto options = std::make_shared<ExplainOptions>();
    auto* verb = app.add_subcommand("explain", "Tell which effect stopped following which cause, and since when");
    verb->add_option("MODEL", options->model, "A model file of `cmr fit`")->required();
    add_data_options(*verb, options->data);
    verb->add_option("--at", options->at, "The moment to explain; otherwise the first alarm");
    verb->add_option("--recording", options->recording, "The file it is in, as scores name it");
    verb->add_flag("--json", options->json, "Print a JSON object instead of tables");
    verb->callback([options, &result] { result = explain(*options); });
}

void add_demo(CLI::App& app, std::string& result) {
    auto options = std::make_shared<DemoOptions>();
    auto* verb = app.add_subcommand("demo", "Do it all on a simulated water plant under attack, and write a page");
    verb->add_option("--out", options->out, "Folder for data, model, scores and page")->capture_default_str();
    verb->add_option("--seed", options->seed, "Of the plant")->capture_default_str();
    verb->add_flag("--json", options->json, "Print a JSON object instead of text");
    verb->callback([options, &result] { result = demo(*options); });
}

void add_watch(CLI::App& app, std::string& result) {
    auto options = std::make_shared<WatchOptions>();
    auto* verb = app.add_subcommand("watch", "Watch a plant live: judge what comes, raise alarms, show them on a page");
    verb->add_option("PLANT", options->plant, "What to watch (.toml); recipes/watch/template.toml is a template");
    verb->add_flag("--check", options->check, "Say what it would do and what memory and disk that takes, and stop");
    verb->add_flag("--demo", options->demo, "Watch a simulated water plant instead, time sped up");
    verb->add_option("--out", options->out, "Folder of the demo")->capture_default_str();
    verb->add_option("--speed", options->speed, "How many times as fast the demo's time goes")->capture_default_str();
    verb->add_option("--set", options->settings, "KEY=VALUE over PLANT, such as web.address=127.0.0.1:8471")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->add_option("--stop-after-s", options->stop_after_s,
                     "Stop after so long; otherwise when asked to by Ctrl-C or SIGTERM");
    verb->callback([options, &result] { result = watch(*options); });
}

void add_alarms(CLI::App& app, std::string& result) {
    auto options = std::make_shared<AlarmsOptions>();
    auto* verb = app.add_subcommand("alarms", "Show what `cmr watch` has found; acknowledge, shelve, export");
    verb->add_option("PLANT", options->plant, "The plant (.toml) that is watched")->required();
    verb->add_option("--asset", options->asset, "Only of this one");
    verb->add_option("--limit", options->limit, "How many entries of the ledger, the newest first")
        ->capture_default_str();
    verb->add_flag("--csv", options->csv, "As CSV");
    verb->add_option("--do", options->act,
                     "acknowledge, reset, shelve, unshelve, remove (from service), restore, mark (as a false alarm) or "
                     "unmark the alarm of --asset");
    verb->add_option("--at", options->at, "With mark and unmark: the last alarm until then; otherwise the last one");
    verb->add_option("--hours", options->hours, "On the shelf")->capture_default_str();
    verb->add_option("--who", options->who, "Who does it; otherwise $USER");
    verb->add_option("--why", options->why, "For the ledger");
    verb->add_flag("--json", options->json, "As JSON");
    verb->callback([options, &result] { result = alarms(*options); });
}

void add_eval(CLI::App& app, std::string& result) {
    auto options = std::make_shared<EvalOptions>();
    auto* verb = app.add_subcommand("eval", "Show how well scores tell faulty windows from healthy ones");
    verb->add_option("SCORES", options->scores, "Files of `cmr score`; several are folds or seeds of one study")
        ->required();
    verb->add_flag("--json", options->json, "Print a JSON object instead of tables");
    verb->callback([options, &result] { result = eval(*options); });
}

void add_study(CLI::App& app, std::string& result) {
    auto options = std::make_shared<StudyOptions>();
    auto* verb = app.add_subcommand("study", "Compare methods over folds, seeds and settings; goes on after any stop");
    verb->add_option("STUDY", options->study, "A study (.toml), such as those in recipes/studies");
    verb->add_option("--out", options->out, "Folder of the run; otherwise runs/NAME");
    verb->add_option("--data-root", options->data_root,
                     "Folder of the recipes' files; otherwise CMR_DATA_ROOT, or data/");
    verb->add_option("--methods", options->methods,
                     "These alone, such as ae,vae; `report` joins runs of different ones")
        ->delimiter(',');
    verb->add_option("--workers", options->workers, "Cells at a time")->capture_default_str();
    verb->add_option("--launcher", options->launcher, "local, or slurm: a job array")->capture_default_str();
    verb->add_option("--sbatch", options->sbatch, "With slurm: one more option of the job, such as --partition=long");
    verb->add_flag("--retry", options->retry, "Do failed cells again");
    verb->add_flag("--plan-only", options->plan_only, "Write down what is to be done, and stop");
    verb->add_option("--status", options->status, "Tell how far the run in this folder is, and nothing else");
    verb->add_option("--work", options->work)->group("");  // for workers
    verb->add_option("--cell", options->cell)->group("");
    verb->add_flag("--json", options->json, "Print a JSON object instead of text");
    verb->callback([options, &result] { result = study(*options); });
}

void add_report(CLI::App& app, std::string& result) {
    auto options = std::make_shared<ReportOptions>();
    auto* verb = app.add_subcommand("report", "Show what a study found: one offline page, and tables");
    verb->add_option("RUN", options->runs, "Folder of `cmr study`; several make one report")->required();
    verb->add_option("--out", options->out, "Folder to write into; otherwise RUN/report, of several runs report");
    verb->add_flag("--compare", options->compare, "Of two runs: what changed, and is it more than noise?");
    verb->add_flag("--json", options->json, "Print a JSON object instead of text");
    verb->callback([options, &result] { result = report(*options); });
}

void add_selftest(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    auto* verb = app.add_subcommand("selftest", "Train and score a small model on this machine and check its promises");
    verb->add_flag("--json", *json, "Print a JSON object instead of a table");
    verb->callback([json] {
        become_training_program(*json ? std::vector<std::string>{"selftest", "--json"}
                                      : std::vector<std::string>{"selftest"});
    });
}

Command command_of(const CLI::App& app) {
    Command out{.name = app.get_name(),
                .description = app.get_description(),
                .footer = app.get_footer(),
                .options = {},
                .verbs = {}};
    out.description = out.description.substr(0, out.description.find('\n'));
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;  // for workers
        CommandOption one{.names = {},
                          .value = {},
                          .help = option->get_description(),
                          .positional = option->get_positional(),
                          .required = option->get_required()};
        if (one.positional) one.names.push_back(option->get_name(/*positional=*/true));
        for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
        for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
        if (option->get_items_expected_max() > 0) one.value = option->get_type_name();
        out.options.push_back(std::move(one));
    }
    for (const CLI::App* verb : app.get_subcommands(/*filter=*/nullptr))
        if (!verb->get_group().empty()) out.verbs.push_back(command_of(*verb));
    return out;
}

// For packages, which run it when they are built; no help shows it.
void add_pages(CLI::App& app) {
    auto folder = std::make_shared<std::filesystem::path>();
    auto* verb = app.add_subcommand("pages", "Write manual pages and shell completions");
    verb->group("");
    verb->add_option("--out", *folder, "Folder to write into")->required();
    verb->callback([&app, folder] { write_pages(command_of(app), *folder); });
}

// Numbers are checked as those of a recipe are, in all verbs.
void check_numbers(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        const std::string type = option->get_type_name();
        if (type != "INT" && type != "FLOAT") continue;
        const std::string name = "--" + option->get_lnames().at(0);
        option->check([=](const std::string& text) { return wrong_number(name, type == "INT", text); });
    }
    for (CLI::App* verb : app.get_subcommands(/*filter=*/nullptr)) check_numbers(*verb);
}

void refuse_unknown_verb(const CLI::App& app, const std::string& word) {
    if (word.starts_with('-')) return;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands(/*filter=*/nullptr)) verbs.push_back(verb->get_name());
    if (std::ranges::find(verbs, word) != verbs.end()) return;
    const auto hint = suggest(word, verbs);
    throw InputError("there is no verb '{}'; {}`cmr --help` lists the verbs", word,
                     hint ? fmt::format("did you mean `cmr {}`? ", *hint) : "");
}

// Returns what belongs on standard output.
std::string run(int argc, char** argv) {
    std::string result;
    CLI::App app(kDescription, "cmr");
    app.set_version_flag("--version", fmt::format("cmr {}", version()), "Print the version and exit");
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    add_info(app, result);
    add_inspect(app, result);
    add_simulate(app, result);
    add_fit(app);
    add_calibrate(app, result);
    add_update(app, result);
    add_score(app, result);
    add_explain(app, result);
    add_eval(app, result);
    add_study(app, result);
    add_report(app, result);
    add_watch(app, result);
    add_alarms(app, result);
    add_demo(app, result);
    add_selftest(app);
    for (CLI::App* verb : app.get_subcommands(/*filter=*/nullptr)) verb->group("Verbs");
    add_pages(app);
    check_numbers(app);
    app.footer(std::string(kLessons) +
               kExitCodes);  // last, because a verb inherits the footer that stands when it is added

    if (argc < 2) return app.help();
    refuse_unknown_verb(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wish) {  // --help and --version arrive as exceptions
        std::ostringstream text;
        app.exit(wish, text, text);
        return text.str();
    } catch (const CLI::ParseError& error) {
        const auto verbs = app.get_subcommands();
        throw InputError("{}; see `cmr {}--help`", error.what(), verbs.empty() ? "" : verbs.front()->get_name() + " ");
    }
    return result;
}

}  // namespace
}  // namespace cmr::cli

int main(int argc, char** argv) {
    return cmr::run_program([&] {
        cmr::print_result(cmr::cli::run(argc, argv));
        return 0;
    });
}
