#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/parallel_time.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cmr {
namespace {

// Aligned like what follows it in memory: mold 1.10 lets the pages that are made read-only at start begin here, and a
// bool in the last bytes of a page made that a page that is not there, and a program that did not start.
alignas(8) thread_local bool inside_task = false;

int default_thread_count() {
    if (const char* text = std::getenv("CMR_THREADS")) {
        int threads = 0;
        const char* end = text + std::strlen(text);
        const auto parsed = std::from_chars(text, end, threads);
        if (parsed.ec != std::errc() || parsed.ptr != end || threads < 1 || threads > 1024)
            throw InputError("CMR_THREADS={}: expected a number from 1 to 1024", text);
        return threads;
    }
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

// One call of parallel_for: its tasks, who takes the next one, and what went wrong.
class Job {
  public:
    Job(int64_t tasks, const std::function<void(int64_t)>& body) : tasks_(tasks), body_(body) {}

    void work() {
        const FlushDenormals flush;
        inside_task = true;
        for (int64_t task; (task = next_.fetch_add(1)) < tasks_;) {
            try {
                body_(task);
            } catch (...) {
                next_ = tasks_;
                const std::lock_guard lock(mutex_);
                if (failed_task_ < 0 || task < failed_task_) failed_task_ = task, error_ = std::current_exception();
            }
        }
        inside_task = false;
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    const int64_t tasks_;
    const std::function<void(int64_t)>& body_;
    std::atomic<int64_t> next_{0};
    std::mutex mutex_;
    int64_t failed_task_ = -1;
    std::exception_ptr error_;
};

class Pool {
  public:
    explicit Pool(int threads) {
        workers_.reserve(threads);
        try {
            for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
        } catch (const std::system_error&) {
            // The machine gives no more threads or no memory for them: those that are there do the work.
        }
    }
    ~Pool() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (auto& worker : workers_) worker.join();
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    void run(Job& job, int64_t tasks) {
        const std::lock_guard one_job_at_a_time(run_mutex_);
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            seats_ = static_cast<int>(std::min<int64_t>(tasks - 1, workers_.size()));
        }
        wake_.notify_all();
        job.work();
        std::unique_lock lock(mutex_);
        job_ = nullptr;  // the tasks are all taken: nobody needs to join any more
        done_.wait(lock, [this] { return busy_ == 0; });
    }

  private:
    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return stopping_ || (job_ && seats_ > 0); });
            if (stopping_) return;
            Job* job = job_;
            --seats_;
            ++busy_;
            lock.unlock();
            job->work();
            lock.lock();
            if (--busy_ == 0) done_.notify_all();
        }
    }

    std::vector<std::thread> workers_;
    std::mutex run_mutex_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    Job* job_ = nullptr;
    int seats_ = 0;  // workers that may still join the job
    int busy_ = 0;   // workers inside the job
    bool stopping_ = false;
};

std::atomic<int64_t> nanoseconds_in_parallel{0};

std::mutex pool_mutex;
std::unique_ptr<Pool> pool;

Pool& the_pool() {
    const std::lock_guard lock(pool_mutex);
    if (!pool) pool = std::make_unique<Pool>(default_thread_count());
    return *pool;
}

}  // namespace

double seconds_in_parallel() { return static_cast<double>(nanoseconds_in_parallel) * 1e-9; }

int thread_count() { return the_pool().threads(); }

void set_thread_count(int threads) {
    CMR_ASSERT(threads >= 1 && !inside_task, "the thread count is set from outside tasks, to 1 or more");
    const std::lock_guard lock(pool_mutex);
    if (!pool || pool->threads() != threads) pool = std::make_unique<Pool>(threads);
}

void parallel_for(int64_t tasks, const std::function<void(int64_t)>& body) {
    if (tasks <= 0) return;
    if (inside_task || tasks == 1) {  // a single task leaves the threads to what it calls
        const FlushDenormals flush;
        for (int64_t task = 0; task < tasks; ++task) body(task);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    Job job(tasks, body);
    the_pool().run(job, tasks);
    nanoseconds_in_parallel += (std::chrono::steady_clock::now() - start).count();
    job.rethrow();
}

#if defined(__x86_64__)
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(static_cast<unsigned>(saved_) | 0x8040u); }
FlushDenormals::~FlushDenormals() { _mm_setcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
FlushDenormals::FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(saved_ | (uint64_t{1} << 24)));
}
FlushDenormals::~FlushDenormals() { asm volatile("msr fpcr, %0" ::"r"(saved_)); }
#else
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace cmr
