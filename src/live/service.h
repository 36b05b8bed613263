#pragma once
// A plant that is watched and served: engine, page, and what the service manager wants to hear.

#include <memory>
#include <optional>
#include <string>

#include "live/engine.h"
#include "live/web/server.h"

namespace cmr::live {

class Service {
  public:
    Service(Plant plant, Engine::Log log);
    ~Service();

    Engine& engine() { return *engine_; }
    std::string link() const;     // to the page; empty: there is none
    fs::path token_file() const;  // whoever may read it may write
    std::string token() const { return tokens_.front(); }

    // Every second or so: tells the service manager that all is well, as far as it is, and the log of what changed.
    void beat();
    // Reads the configuration again; says in the log what became of it.
    void reload();

  private:
    void log_changes();

    Plant plant_;
    const Engine::Log log_;
    std::vector<std::string> tokens_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<WebServer> web_;
    std::map<std::string, std::string> said_;  // about what, what was said last
};

// Tells systemd, where it has started us; nothing otherwise.
void tell_manager(const std::string& state);

// What a plant takes, before it is watched: assets, models, sources, memory and disk, in words.
std::string plan(const Plant& plant);

}  // namespace cmr::live
