#pragma once
// A progress bar on standard error: only on a terminal, and only once the work has taken two seconds.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace cmr {

class ProgressBar {
  public:
    explicit ProgressBar(std::string what);
    ~ProgressBar();  // clears the line
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // What is done now.
    void say(std::string what);

    // A line that stays; the bar goes on below it.
    void print(const std::string& text);

    // May be called from any thread, in any order; the highest count is shown.
    void update(int64_t done, int64_t total);

    // The line that is shown, in so many columns of a terminal and without control characters: what is done, how far,
    // time left. Where there is little room the bar is short, then what is done is cut.
    static std::string line(const std::string& what, int64_t done, int64_t total, double seconds, int columns = 120);

  private:
    using Clock = std::chrono::steady_clock;

    std::string what_;
    bool on_terminal_;
    Clock::time_point start_;
    Clock::time_point shown_;
    int64_t most_ = 0;
    bool visible_ = false;
    std::mutex mutex_;
};

}  // namespace cmr
