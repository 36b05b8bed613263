#include "live/service.h"

#include <systemd/sd-daemon.h>

#include <fstream>
#include <random>

#include "base/error.h"
#include "io/file.h"

namespace cmr::live {
namespace {

// 128 bits of the system's own chance, in letters.
std::string random_token() {
    std::random_device chance;
    std::string out;
    for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", chance());
    return out;
}

fs::path token_path(const Plant& plant) {
    return plant.web.token_file.empty() ? fs::path(plant.storage.folder) / "token" : fs::path(plant.web.token_file);
}

std::vector<std::string> tokens_of(const Plant& plant) {
    const fs::path file = token_path(plant);
    if (plant.web.token_file.empty() && !fs::exists(file)) {
        io::write_file_atomically(file, random_token() + "\n");
        fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    }
    return read_secrets(file);
}

}  // namespace

void tell_manager(const std::string& state) { sd_notify(/*unset_environment=*/0, state.c_str()); }

Service::Service(Plant plant, Engine::Log log) : plant_(std::move(plant)), log_(std::move(log)) {
    engine_ = std::make_unique<Engine>(plant_, log_);
    tokens_ = tokens_of(plant_);
    if (!plant_.web.address.empty())
        web_ = std::make_unique<WebServer>(
            *engine_, plant_.web, tokens_,
            std::make_unique<Ledger>(DatabaseAddress{plant_.ledger.address, read_secret(plant_.ledger.password_file)}));
    engine_->start();
    tell_manager("READY=1");
}

Service::~Service() {
    tell_manager("STOPPING=1");
    web_.reset();
    engine_->stop();
}

std::string Service::link() const { return web_ ? web_->link() : ""; }
fs::path Service::token_file() const { return token_path(plant_); }

void Service::beat() {
    const EngineStatus status = engine_->status();
    if (system_clock().steady_s() - status.round_s < kStuck_s) tell_manager("WATCHDOG=1");
    log_changes();
}

void Service::log_changes() {
    const EngineStatus status = engine_->status();
    const auto say = [&](const std::string& about, const std::string& what) {
        std::string& before = said_[about];
        if (before == what) return;
        before = what;
        log_(about + ": " + (what.empty() ? "well again" : what));
    };
    const auto trouble = [&](const std::string& about, bool well, const std::string& what) {
        if (!well || said_.contains(about)) say(about, well ? "" : what);
    };
    trouble("journal", status.intake.safe,
            status.intake.trouble + "; readings are judged, but a crash would lose them");
    trouble("ledger", status.recorder.reached, status.recorder.trouble);
    trouble("snapshot", status.snapshot_trouble.empty(), status.snapshot_trouble);
    for (const NamedSource& source : status.sources)
        trouble("source " + source.name, source.status.connected, source.status.detail);
    for (const NamedTeller& teller : status.tellers)
        trouble("notifier " + teller.name, teller.status.reached, teller.status.detail);
}

void Service::reload() {
    tell_manager("RELOADING=1");
    try {
        Plant plant = read_plant(plant_.file);
        engine_->reload(plant);
        log_(fmt::format("{} read again: {} assets", plant_.file.string(), engine_->views().size()));
    } catch (const Failure& failure) {
        log_(fmt::format("nothing is changed: {}", failure.what()));
    }
    tell_manager("READY=1");
}

}  // namespace cmr::live
