#include "live/worker.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "base/error.h"

namespace cmr::live {

void Worker::start(const char* name, std::function<void()> work) {
    CMR_ASSERT(!thread_.joinable(), "stopped before it is started again");
    {
        const std::lock_guard lock(mutex_);
        stopping_ = false;
    }
    thread_ = std::thread(std::move(work));
    pthread_setname_np(thread_.native_handle(), name);
}

void Worker::stop() {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
}

void Worker::ask_to_stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
}

bool Worker::stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

bool Worker::wait(double seconds) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stopping_; });
}

}  // namespace cmr::live
