#include "study.h"

#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include "base/duration.h"
#include "base/error.h"
#include "base/version.h"
#include "io/json_fields.h"
#include "io/toml/toml.h"
#include "report/text.h"
#include "run_program.h"
#include "say.h"
#include "simulate.h"
#include "study/status.h"
#include "study_cell.h"
#include "study_launch.h"
#include "text_table.h"

namespace cmr::cli {
namespace {

namespace fs = std::filesystem;

template <typename Options>
void simulate_as(const fs::path& folder, const study::Simulation& wanted, const std::string& source) {
    io::TomlNode tree = io::parse_toml("", source);
    for (const std::string& setting : wanted.settings) io::set_toml(tree, setting);
    Options options;
    io::read_settings(tree, "", options);
    simulate(folder, options);
}

// What was simulated before with the same settings stays.
void simulate_data(const study::Study& study, const study::RunFolder& folder) {
    for (const study::Simulation& wanted : study.simulate) {
        const fs::path data = folder.path() / "data" / wanted.folder, note = data.string() + ".made-by";
        const std::string how = fmt::format("{} {}\n", wanted.kind, fmt::join(wanted.settings, " "));
        if (fs::exists(note) && io::read_file(note) == how) continue;
        say("simulating {}: {}", wanted.folder, how);
        const std::string source = study.file.string();
        if (wanted.kind == "bearing") simulate_as<simulate::BearingOptions>(data, wanted, source);
        if (wanted.kind == "hydraulic") simulate_as<simulate::HydraulicOptions>(data, wanted, source);
        if (wanted.kind == "water") simulate_as<simulate::WaterOptions>(data, wanted, source);
        io::write_file_atomically(note, how);
    }
}

// The folder has a plan already.
void tell_of_earlier(const study::RunFolder& folder, const study::Study& study) {
    const study::Plan earlier = folder.plan();
    if (earlier.name != study.name)
        throw InputError("{}: holds a run of the study \"{}\"; give another folder for \"{}\"", folder.path().string(),
                         earlier.name, study.name);
    if (earlier.version != version())
        say("cmr: {} was begun by cmr {}; this is cmr {}, so its cells are done again\n", folder.path().string(),
            earlier.version, version());
}

io::Json as_json(const study::Status& s) {
    io::Json out = {{"cells", s.cells},     {"done", s.done},         {"failed", s.failed},
                    {"running", s.running}, {"waiting", s.waiting()}, {"seconds_left", nullptr}};
    if (std::isfinite(s.seconds_left)) out["seconds_left"] = s.seconds_left;
    return out;
}

std::string status(const fs::path& run, bool json) {
    const study::RunFolder folder(run);
    const study::Plan plan = folder.plan();
    study::Watch watch(folder, plan);
    const study::Status all = watch.look();
    if (json) {
        io::Json out = as_json(all);
        out["failures"] = io::Json::array();
        for (const auto& [id, r] : watch.results())
            if (r.status != "done") out["failures"].push_back({{"cell", id}, {"reason", r.reason}});
        return out.dump(2) + "\n";
    }
    // By experiment and method.
    TextTable table({"<experiment", "<method", "cells", "done", "failed", "running", "time of each"});
    for (const study::Experiment& e : plan.experiments)
        for (const std::string& method : e.methods) {
            int64_t cells = 0, done = 0, failed = 0, running = 0;
            double seconds = 0;
            for (const study::Cell& cell : plan.cells) {
                if (cell.experiment != e.name || cell.method != method) continue;
                ++cells;
                const auto found = watch.results().find(cell.id);
                if (found == watch.results().end()) {
                    running += folder.is_claimed(cell);
                } else if (found->second.status == "done") {
                    ++done;
                    seconds += found->second.fit_seconds + found->second.score_seconds;
                } else {
                    ++failed;
                }
            }
            table.add({e.name, method, fmt::to_string(cells), fmt::to_string(done), fmt::to_string(failed),
                       fmt::to_string(running), done > 0 ? duration_text(seconds / static_cast<double>(done)) : "–"});
        }
    std::string text = table.text() + "\n" + status_line(all) + "\n";
    for (const auto& [id, r] : watch.results())
        if (r.status != "done") text += fmt::format("failed: {}: {}\n", id, r.reason);
    return text;
}

}  // namespace

std::string study(const StudyOptions& options) {
    if (!options.status.empty()) return status(options.status, options.json);
    if (!options.work.empty()) {
        end_on_interrupt("");  // who started the workers tells
        const int code = work(study::RunFolder(options.work), options.cell);
        if (code != 0) std::exit(code);
        return "";
    }
    if (options.study.empty())
        throw InputError("which study? `cmr study STUDY.toml --out RUN`, or `cmr study --status RUN`");
    study::Study study = study::read_study(options.study);
    if (!options.methods.empty()) study = study::with_methods(std::move(study), options.methods);
    const study::RunFolder folder(options.out.empty() ? fs::path("runs") / study.name : options.out);
    if (folder.has_plan()) tell_of_earlier(folder, study);
    if (version().ends_with(".dirty"))
        say("cmr: this is {}, built with changes that are in no commit: cells of other changes look alike\n",
            version());
    folder.create();
    simulate_data(study, folder);
    const study::Plan plan = study::make_plan(study, folder.path(), options.data_root);
    folder.write_plan(plan);
    for (const study::Cell& cell : plan.cells) {
        const std::optional<study::Result> result = folder.result(cell);
        if (result && result->status != "done" && options.retry) folder.forget(cell);
        if (!result && !folder.is_claimed(cell)) folder.reset(cell);
    }
    if (options.plan_only)
        return fmt::format("{}: {} cells for {} uses; the same command without --plan-only does them\n",
                           folder.path().string(), plan.cells.size(), plan.uses.size());
    if (options.launcher == "slurm") return launch_on_slurm(folder, plan, options.workers, options.sbatch);
    if (options.launcher != "local") throw InputError("--launcher {}: expected local or slurm", options.launcher);
    const study::Status end = launch_here(folder, plan, options.workers);
    if (options.json) return as_json(end).dump(2) + "\n";
    return fmt::format("{}: {} of {} cells done, {} failed. `cmr report {}` shows what came out.\n",
                       folder.path().string(), end.done, end.cells, end.failed, folder.path().string());
}

}  // namespace cmr::cli
