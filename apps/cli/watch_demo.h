#pragma once
// The plant of `cmr watch --demo`: simulated, learned on the spot, and played to the monitor faster than it happened.

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "live/source.h"

namespace cmr::cli {

// Readings of several machines, row by row, each from a place in the record on; at its end it begins anew.
class DemoPlayer {
  public:
    struct Machine {
        std::string name;
        int64_t first = 0;  // row where it begins
    };
    struct Record {
        std::vector<std::string> channels;
        std::vector<std::vector<float>> rows;
        double start_s = 0;
    };

    DemoPlayer(Record record, std::vector<Machine> machines, double speed, live::Sink& sink);
    ~DemoPlayer();
    DemoPlayer(const DemoPlayer&) = delete;
    DemoPlayer& operator=(const DemoPlayer&) = delete;

  private:
    void play();

    const Record record_;
    const std::vector<Machine> machines_;
    const double speed_;
    live::Sink& sink_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

struct WatchDemo {
    std::filesystem::path plant;  // the configuration that was written
    DemoPlayer::Record record;
    std::vector<DemoPlayer::Machine> machines;
};

// Simulates, learns and calibrates into `out`; an earlier demo there is replaced.
WatchDemo make_watch_demo(const std::filesystem::path& out);

}  // namespace cmr::cli
