#include "io/hdf5/isolated_child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include "base/error.h"

namespace cmr::io {
namespace {

// What the child does not own it must not hold open: another child's channel would then never report its end.
void close_all_but(int channel, int keep) {
    const int null = ::open("/dev/null", O_RDWR);
    for (const int standard : {1, 2})  // a crash prints nothing
        if (standard != channel && standard != keep) ::dup2(null, standard);
    const int low = std::min(channel, keep), high = std::max(channel, keep);
    const auto close_between = [](int first, int last) {
        if (first > last) return;
        if (::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
        const int most = static_cast<int>(::sysconf(_SC_OPEN_MAX));  // an old kernel
        for (int i = first; i <= std::min(last, most); ++i) ::close(i);
    };
    close_between(3, low - 1);
    close_between(std::max(3, low + 1), high - 1);
    close_between(std::max(3, high + 1), ~0u >> 1);
}

// The parent's handlers know nothing of this process, and a sanitizer's would print. An interrupt of the terminal is
// meant for the parent, which then ends this process or still needs it.
void reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    ::signal(SIGINT, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

void set_limit(int resource, uint64_t wanted) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// On top of what is mapped already, which under a sanitizer is terabytes. False where this process has a lower limit
// from outside, such as `ulimit -v`.
bool limit_memory(uint64_t bytes) {
    unsigned long long pages = 0;
    if (FILE* status = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(status, "%llu", &pages) != 1) pages = 0;
        std::fclose(status);
    }
    const uint64_t wanted = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    rlimit given{};
    ::getrlimit(RLIMIT_AS, &given);
    if (given.rlim_cur != RLIM_INFINITY && given.rlim_cur <= wanted) return false;
    if (pages > 0) set_limit(RLIMIT_AS, wanted);
    return true;
}

// Time runs anew with every request: how long a whole file takes depends on its size.
void limit_time(std::chrono::seconds seconds) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    set_limit(RLIMIT_CPU, static_cast<uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + seconds.count() + 1));
}

// The parent is gone where this fails.
void transfer(ssize_t (*call)(int, void*, size_t), int channel, void* bytes, size_t size) {
    char* next = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t moved = call(channel, next, size);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) ::_exit(0);
        next += moved;
        size -= static_cast<size_t>(moved);
    }
}

ssize_t write_bytes(int channel, void* bytes, size_t size) { return ::write(channel, bytes, size); }

}  // namespace

void serve_as_child(int channel, int keep, const IsolationLimits& limits, const IsolatedProcess::Handler& handler) {
    close_all_but(channel, keep);
    reset_signals();
    set_limit(RLIMIT_CORE, 0);
    const bool own_limit = limit_memory(limits.memory_bytes);
    for (;;) {
        uint64_t length = 0;
        transfer(::read, channel, &length, sizeof length);
        ReplyHead head{};
        std::string reply;
        try {
            std::string request(length, '\0');
            transfer(::read, channel, request.data(), request.size());
            limit_time(limits.patience);
            reply = handler(request);
        } catch (const InputError& error) {
            head.outcome = Outcome::kInputError;
            reply = error.what();
        } catch (const std::bad_alloc&) {
            head.outcome = own_limit ? Outcome::kOverLimit : Outcome::kNoMemory;
        } catch (...) {
            ::abort();  // a mistake of ours; the parent reports the signal
        }
        head.bytes = reply.size();
        transfer(write_bytes, channel, &head, sizeof head);
        transfer(write_bytes, channel, reply.data(), reply.size());
    }
}

}  // namespace cmr::io
