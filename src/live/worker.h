#pragma once
// A thread that works until it is told to stop, and that is not late for the end while it waits. Its owner keeps it
// as the last member: it ends before what it works on does.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace cmr::live {

class Worker {
  public:
    Worker() = default;
    ~Worker() { stop(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // `name` is what the system shows of the thread, at most 15 characters. `work` looks often whether it is time to
    // end, and throws nothing. May be started again after a stop.
    void start(const char* name, std::function<void()> work);
    // Returns when the work has. May be called twice, and without a start.
    void stop();
    // The first half of a stop, for who has to wake the work from something else before it ends.
    void ask_to_stop();

    // For the work. True where it is time to end.
    bool stopping() const;
    bool wait(double seconds);  // at most so long; returns as soon as it is time to end

  private:
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace cmr::live
