#include "watch.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "live/service.h"
#include "watch_demo.h"

namespace cmr::cli {
namespace {

// One line each, to standard error; the service manager adds the time.
void log(const std::string& text) {
    std::fprintf(stderr, "cmr: %s\n", text.c_str());
    std::fflush(stderr);
}

// Signals that the loop below waits for instead of being interrupted by. Before there are threads, which inherit it.
sigset_t block_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    return set;
}

int next_signal(const sigset_t& set) {
    const timespec second{1, 0};
    return sigtimedwait(&set, nullptr, &second);  // -1: none
}

}  // namespace

std::string watch(const WatchOptions& options) {
    if (options.demo == !options.plant.empty())
        throw InputError("`cmr watch` takes a plant.toml, or --demo; recipes/watch/template.toml is a template");
    if (!(options.speed >= 1 && options.speed <= 1000))
        throw InputError("--speed {}: expected 1 to 1000", options.speed);
    if (options.check) return live::plan(live::read_plant(options.plant, options.settings));
    std::optional<WatchDemo> demo;
    if (options.demo) demo = make_watch_demo(options.out);

    const sigset_t signals = block_signals();
    return_freed_memory();
    const auto start = std::chrono::steady_clock::now();
    live::Service service(live::read_plant(demo ? demo->plant : options.plant, options.settings), log);
    std::optional<DemoPlayer> player;
    if (demo) {
        fmt::print(stderr, "3/3 watching, {} times as fast as it happened\n", short_number(options.speed));
        player.emplace(std::move(demo->record), demo->machines, options.speed, service.engine().sink());
    }
    if (!service.link().empty()) {
        // After the #, which browsers keep to themselves.
        fmt::print("Look at {}{}\n", service.link(), demo ? "#token=" + service.token() : "");
        fmt::print("To acknowledge and shelve, use the token in {}\n", service.token_file().string());
        std::fflush(stdout);
    }
    for (;;) {
        const int number = next_signal(signals);
        if (number == SIGINT || number == SIGTERM) break;
        if (number == SIGHUP) service.reload();
        service.beat();
        if (options.stop_after_s > 0 &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.stop_after_s)
            break;
    }
    return "";  // the state is saved by the end of the service
}

}  // namespace cmr::cli
