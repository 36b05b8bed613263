#pragma once
// The program source_probe, and what it wrote.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/background.h"
#include "support/temporary_folder.h"

namespace cmr::test {

class Probe {
  public:
    // Settings as key=value.
    Probe(const TemporaryFolder& folder, const std::vector<std::string>& settings) : out_(folder / "probe.out") {
        const std::filesystem::path state = folder / "probe";
        std::filesystem::create_directories(state);
        command_ = "exec '" + std::string(std::getenv("CMR_BIN")) + "/source_probe' '" + state.string() + "' '" +
                   out_.string() + "'";
        for (const std::string& setting : settings) command_ += " '" + setting + "'";
        log_ = folder / "probe.log";
    }

    void start() { process_ = std::make_unique<Background>(command_, log_); }
    void kill() {  // at once, as the system does when memory is short
        process_->tell(SIGKILL);
        process_.reset();
    }

    // How often each value was taken.
    std::map<int, int> values() const {
        std::map<int, int> out;
        std::ifstream file(out_);
        for (std::string line; std::getline(file, line);) ++out[std::stoi(line)];
        return out;
    }

  private:
    std::filesystem::path out_, log_;
    std::string command_;
    std::unique_ptr<Background> process_;
};

}  // namespace cmr::test
