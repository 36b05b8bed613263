#include "study_launch.h"

#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <set>
#include <system_error>
#include <thread>

#include "base/duration.h"
#include "base/error.h"
#include "base/parallel.h"
#include "model/methods/method.h"
#include "progress.h"
#include "say.h"
#include "study/outcome.h"

namespace cmr::cli {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;  // the signal
void remember(int number) { interrupted = number; }

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

pid_t start_worker(const study::RunFolder& folder, int threads) {
    const std::string program = own_program().string(), run = folder.path().string();
    const std::string count = std::to_string(threads);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) throw SystemError("cannot start a worker: {}", std::generic_category().message(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(1);  // it died before we asked to be told
        setenv("CMR_THREADS", count.c_str(), /*overwrite=*/1);
        execl(program.c_str(), program.c_str(), "study", "--work", run.c_str(), nullptr);
        _exit(1);
    }
    return child;
}

void tell(const study::Result& r, const study::Status& status) {
    const std::string head = fmt::format("[{}/{}] {}", status.done + status.failed, status.cells, r.id);
    if (r.status != "done") {
        say("{}: failed: {}\n", head, r.reason);
        return;
    }
    std::string scores;
    std::vector<std::string> names = {"native", "knn"};
    if (model::method_named(r.method).knows_causes) names.insert(names.end(), {"residual", "mechanism", "combined"});
    for (const std::string& name : names)
        if (const study::ScoreResult* s = r.score(name)) scores += fmt::format(" {} {:.3f}", name, s->auroc);
    say("{}: AUROC{} ({})\n", head, scores, duration_text(r.fit_seconds + r.score_seconds));
}

}  // namespace

std::string status_line(const study::Status& s) {
    std::string out = fmt::format("{} of {} cells done, {} running, {} failed", s.done, s.cells, s.running, s.failed);
    if (s.done + s.failed < s.cells)
        out += std::isfinite(s.seconds_left) ? "; about " + duration_text(std::ceil(s.seconds_left)) + " left"
                                             : "; time left not known yet";
    return out;
}

study::Status launch_here(const study::RunFolder& folder, const study::Plan& plan, int64_t workers) {
    study::Watch watch(folder, plan);
    study::Status status = watch.look(workers);
    watch.ended();  // of earlier runs
    workers = std::min(workers, std::max<int64_t>(status.cells - status.done - status.failed, 0));
    if (workers == 0) return status;
    say("{}: {}\n", plan.name, status_line(status));
    const int threads = std::max<int>(1, thread_count() / static_cast<int>(workers));
    struct sigaction ours {
    }, old_interrupt{}, old_end{};
    ours.sa_handler = remember;
    sigaction(SIGINT, &ours, &old_interrupt);
    sigaction(SIGTERM, &ours, &old_end);
    std::set<pid_t> alive;
    for (int64_t i = 0; i < workers; ++i) alive.insert(start_worker(folder, threads));
    {
        ProgressBar bar(plan.name);
        bool told = false;
        while (!alive.empty()) {
            if (interrupted && !told) {
                told = true;
                for (const pid_t worker : alive) kill(worker, SIGTERM);
            }
            int end = 0;
            while (const pid_t worker = waitpid(-1, &end, WNOHANG)) {
                if (worker < 0) break;
                alive.erase(worker);
                if (WIFSIGNALED(end) && !interrupted) {
                    say("cmr: a worker was ended by signal {}; another takes its place\n", WTERMSIG(end));
                    alive.insert(start_worker(folder, threads));
                }
            }
            status = watch.look(workers);
            for (const study::Result* result : watch.ended()) tell(*result, status);
            bar.say(status_line(status));
            bar.update(status.done + status.failed, status.cells);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
    }
    sigaction(SIGINT, &old_interrupt, nullptr);
    sigaction(SIGTERM, &old_end, nullptr);
    status = watch.look(workers);
    if (interrupted)
        throw Interrupted(interrupted,
                          fmt::format("stopped: {}; the same command goes on from there", status_line(status)));
    if (status.done + status.failed < status.cells)
        throw InputError("{}: {}, and no worker is left; its message is above, the same command goes on from there",
                         folder.path().string(), status_line(status));
    return status;
}

std::string launch_on_slurm(const study::RunFolder& folder, const study::Plan& plan, int64_t workers,
                            const std::vector<std::string>& options) {
    std::vector<int64_t> open;
    for (size_t i = 0; i < plan.cells.size(); ++i)
        if (!folder.result(plan.cells[i])) open.push_back(static_cast<int64_t>(i));
    if (open.empty()) return fmt::format("{}: all cells are done\n", folder.path().string());
    const fs::path run = fs::absolute(folder.path()), script = run / "slurm.sh", answer = run / "logs" / "sbatch.txt";
    for (const std::string& path : {run.string(), own_program().string()})
        if (path.find_first_of("'\"\n") != std::string::npos)
            throw InputError("{}: quotes and line ends in a path cannot be handed to Slurm", path);
    std::string text = fmt::format("#!/bin/bash\n#SBATCH --job-name=cmr-{}\n#SBATCH --array={}%{}\n", plan.name,
                                   fmt::join(open, ","), workers);
    text += fmt::format("#SBATCH --output=\"{}/slurm-%A_%a.txt\"\n#SBATCH --open-mode=append\n#SBATCH --requeue\n",
                        (run / "logs").string());
    for (const std::string& option : options) text += fmt::format("#SBATCH {}\n", option);
    text += "export CMR_THREADS=${SLURM_CPUS_PER_TASK:-1}\n";
    text += fmt::format("exec '{}' study --work '{}' --cell \"$SLURM_ARRAY_TASK_ID\"\n", own_program().string(),
                        run.string());
    io::write_file_atomically(script, text);
    const std::string command = fmt::format("sbatch --parsable '{}' >'{}' 2>&1", script.string(), answer.string());
    const int end = std::system(command.c_str());
    std::string said = io::read_file(answer);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    if (end != 0)
        throw InputError("sbatch did not take the job: {}; the script is {}",
                         said.empty() ? "is Slurm installed?" : said, script.string());
    return fmt::format("Slurm job {}: {} cells, {} at a time. `cmr study --status {}` shows how far it is.\n", said,
                       open.size(), workers, run.string());
}

}  // namespace cmr::cli
