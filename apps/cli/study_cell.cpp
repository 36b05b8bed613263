#include "study_cell.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "base/version.h"
#include "data/load.h"
#include "fit_request.h"
#include "io/json_fields.h"
#include "kernels/isa.h"
#include "recipe/recipe.h"
#include "run_program.h"
#include "score/file/detector_file.h"
#include "study/measure.h"
#include "training_program.h"

namespace cmr::cli {
namespace {

constexpr int64_t kMostBeginnings = 3;  // a cell that ends its workers is given up
constexpr int kInterrupted = 128 + SIGINT;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The message with which a program ended.
std::string last_message(const std::filesystem::path& log) {
    const std::string text = io::read_file(log);
    const size_t at = text.rfind("cmr: ");
    if (at == std::string::npos) return "no message; see " + log.string();
    const size_t begin = at + 5;
    return text.substr(begin, text.find('\n', begin) - begin);
}

study::Result begin_result(const study::RunFolder& folder, const study::Cell& cell) {
    study::Result out;
    out.id = cell.id;
    out.status = "failed";
    out.experiment = cell.experiment;
    out.method = cell.method;
    out.protocol = recipe::read_recipe(folder.recipe(cell)).split.protocol;
    out.seed = cell.seed;
    out.fold = cell.fold;
    out.threads = thread_count();
    out.version = version();
    out.isa = kernels::name(kernels::current_isa());
    return out;
}

// Exit code of the fit; the model and its facts are there after 0.
TrainingEnd fit(const study::RunFolder& folder, const study::Cell& cell) {
    FitRequest request;
    request.recipe = folder.recipe(cell).string();
    request.data_root = cell.data_root;
    request.out = folder.model(cell).string();
    request.fold = cell.fold;
    request.seed = cell.seed;
    request.json = true;
    const std::filesystem::path facts = folder.fit_facts(cell), part = facts.string() + ".part";
    const TrainingEnd end = run_training_program({"fit", io::to_json(request).dump()}, part, folder.log(cell));
    if (end.code == 0) {
        io::Json json = io::Json::parse(io::read_file(part), nullptr, /*allow_exceptions=*/false);
        json["peak_mb"] = end.peak_mb;
        io::write_file_atomically(facts, json.dump(2) + "\n");
    }
    std::filesystem::remove(part);
    return end;
}

}  // namespace

CellEnd do_cell(const study::RunFolder& folder, const study::Cell& cell) {
    study::Result result = begin_result(folder, cell);
    if (!std::filesystem::exists(folder.model(cell)) || !std::filesystem::exists(folder.fit_facts(cell))) {
        const TrainingEnd end = fit(folder, cell);
        if (end.stop || end.code == kInterrupted) return CellEnd::kInterrupted;
        if (end.code != 0) {
            result.reason = end.signal != 0 ? fmt::format("training was ended by signal {}{}", end.signal,
                                                          end.signal == 9 ? "; was memory short?" : "")
                                            : last_message(folder.log(cell));
            folder.write_result(result);
            return CellEnd::kDone;
        }
    }
    try {
        const auto facts = io::Json::parse(io::read_file(folder.fit_facts(cell)));
        result.epochs = facts.at("epochs").get<int64_t>();
        result.fit_seconds = facts.at("seconds").get<double>();
        result.peak_mb = facts.at("peak_mb").get<double>();
        const auto start = Clock::now();
        const score::Detector detector = score::load_detector(folder.model(cell));
        if (detector.provenance.version != version())
            throw InputError("{}: fitted by cmr-train {}, but this is cmr {}; both must be of one build",
                             folder.model(cell).string(), detector.provenance.version, version());
        result.most_epochs = detector.recipe.train.max_epochs;
        const data::Dataset dataset = data::load(detector.recipe, cell.data_root);
        const score::ScoreRun run = study::measure(cell, detector, dataset, result);
        io::write_file_atomically(folder.scores(cell), score::to_csv(run, dataset));
        result.score_seconds = seconds_since(start);
        result.status = "done";
    } catch (const std::exception& error) {  // it would end the next worker, too
        const Ending ending = describe(error);
        result.reason = ending.message + (ending.code == kExitBug ? "; this is a bug in cmr" : "");
    }
    folder.write_result(result);
    return CellEnd::kDone;
}

int work(const study::RunFolder& folder, int64_t only_cell) {
    const study::Plan plan = folder.plan();
    if (plan.version != version())
        throw InputError(
            "{}: planned by cmr {}, but this is cmr {}, whose results would be mixed with its; `cmr study "
            "STUDY --out {}` plans the cells anew",
            folder.path().string(), plan.version, version(), folder.path().string());
    if (only_cell >= std::ssize(plan.cells))
        throw InputError("--cell {}: the plan has cells 0 to {}", only_cell, plan.cells.size() - 1);
    for (bool others = true; others;) {
        others = false;  // are at a cell; should they die, it is ours
        bool did_some = false;
        for (size_t i = 0; i < plan.cells.size(); ++i) {
            const study::Cell& cell = plan.cells[i];
            if ((only_cell >= 0 && std::cmp_not_equal(i, only_cell)) || folder.has_result(cell)) continue;
            const auto claim = folder.claim(cell);
            if (!claim) {
                others |= only_cell < 0;
                continue;
            }
            did_some = true;
            if (claim->begun >= kMostBeginnings) {
                study::Result result = begin_result(folder, cell);
                result.reason = fmt::format("{} workers died on it", claim->begun);
                folder.write_result(result);
            } else if (do_cell(folder, cell) == CellEnd::kInterrupted) {
                folder.reset(cell);
                return kInterrupted;
            }
        }
        if (others && !did_some) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return 0;
}

}  // namespace cmr::cli
