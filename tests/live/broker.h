#pragma once
// mosquitto on a free port of this machine, with its sessions on disk, that can go and come back.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "live/free_port.h"
#include "support/background.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr::test {

class Broker {
  public:
    // `more`: lines of its configuration; without "allow_anonymous false" anybody may.
    explicit Broker(const std::string& more = "") : port_(free_port()) {
        std::ofstream file(folder_ / "mosquitto.conf");
        file << "listener " << port_ << " 127.0.0.1\npersistence true\nautosave_on_changes true\nautosave_interval 1\n"
             << "max_queued_messages 0\npersistence_location " << folder_.path().string() << "/\n"
             << "log_type all\n";
        if (::geteuid() == 0) file << "user root\n";
        if (more.find("allow_anonymous") == std::string::npos) file << "allow_anonymous true\n";
        file << more;
    }

    void start() {
        process_ = std::make_unique<Background>(
            "PATH=$PATH:/usr/sbin exec mosquitto -c '" + (folder_ / "mosquitto.conf").string() + "'", folder_ / "log");
        wait_until([&] {
            return log().find("mosquitto version") != std::string::npos && log().find("running") != std::string::npos;
        });
    }
    // As a machine that is shut down: sessions are written.
    void stop() {
        process_->tell(SIGTERM);
        process_->wait();
        process_.reset();
    }

    std::string address(const std::string& scheme = "mqtt") const {
        return scheme + "://localhost:" + std::to_string(port_);
    }
    const TemporaryFolder& folder() const { return folder_; }

    // Another's client. `words`: topic and message, and perhaps more.
    CommandResult publish(const std::string& words) const {
        return run_command("mosquitto_pub -V 5 -h localhost -q 1 -p " + std::to_string(port_) + " " + words + " 2>&1");
    }
    // The first message on a topic; empty where none comes.
    std::string first_message(const std::string& topic, const std::string& words = "") const {
        return run_command("mosquitto_sub -V 5 -h localhost -q 1 -C 1 -W 5 -p " + std::to_string(port_) + " -t '" +
                           topic + "' " + words + " 2>&1")
            .output;
    }
    int port() const { return port_; }

  private:
    std::string log() const {
        std::ifstream file(folder_ / "log");
        return {std::istreambuf_iterator<char>(file), {}};
    }

    TemporaryFolder folder_;
    int port_;
    std::unique_ptr<Background> process_;
};

}  // namespace cmr::test
