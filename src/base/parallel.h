#pragma once
// One pool of worker threads for the whole program.

#include <cstdint>
#include <functional>

namespace cmr {

// Threads that parallel_for may use, the caller's own included. Default: CMR_THREADS, else the CPUs this process may
// use.
int thread_count();
void set_thread_count(int threads);

// Runs body(0) … body(tasks-1), handing tasks out in ascending order, and returns when all are done. A task may
// therefore wait for a task of lower index without deadlock. Every worker, and the caller while it works, flushes
// denormals to zero. An exception of the lowest failing task is rethrown after all running tasks end; tasks not yet
// started are skipped. Called from inside a task it runs serially.
void parallel_for(int64_t tasks, const std::function<void(int64_t)>& body);

// Denormals read and written as zero in this thread while alive (x86: FTZ and DAZ; aarch64: FZ). Without it a decaying
// scan is 35 times slower.
class FlushDenormals {
  public:
    FlushDenormals();
    ~FlushDenormals();
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

  private:
    uint64_t saved_;
};

}  // namespace cmr
