#include "io/hdf5/isolated.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/error.h"
#include "io/hdf5/isolated_child.h"

namespace cmr::io {
namespace {

// No signal is delivered while this lives: a handler of the parent must not run in the fresh child.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

IsolatedProcess::IsolatedProcess(std::string file, std::string library, const IsolationLimits& limits, int keep,
                                 const Handler& handler)
    : file_(std::move(file)), library_(std::move(library)), limits_(limits) {
    std::array<int, 2> ends{};
    const auto refuse = [&](int error) {
        throw SystemError("{}: cannot start a process to read it: {}", file_, std::generic_category().message(error));
    };
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse(errno);
    const Descriptor childs_end(ends[1]);
    {
        const SignalsBlocked blocked;
        child_ = ::fork();
        if (child_ == 0) serve_as_child(childs_end.number(), keep, limits_, handler);
    }
    channel_ = ends[0];
    if (child_ < 0) {
        const int error = errno;
        ::close(channel_);
        refuse(error);
    }
}

IsolatedProcess::~IsolatedProcess() { stop(); }

// Ends the child, which owns nothing worth a farewell, and says how it ended; -1 where that is not known.
int IsolatedProcess::stop() {
    if (child_ < 0) return -1;
    ::close(channel_);
    ::kill(child_, SIGKILL);
    int status = -1;
    while (::waitpid(child_, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;  // someone else has waited for it
            break;
        }
    child_ = -1;
    return status;
}

void IsolatedProcess::fail(const std::string& what) {
    stop();
    throw InputError("{}: the {} library {}; it is damaged or hostile", file_, library_, what);
}

// The child has closed its end, so it is dying: a moment later its state tells why.
void IsolatedProcess::fail_as_it_died() {
    siginfo_t ended{};
    for (int attempt = 0; attempt < 1000 && ended.si_pid == 0; ++attempt) {
        if (::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            break;
        if (ended.si_pid == 0) ::poll(nullptr, 0, 1);
    }
    const int status = stop();
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        throw SystemError("{}: the process that reads it was killed; was memory short?", file_);
    if (status != -1 && WIFSIGNALED(status)) fail(fmt::format("failed on this file (signal {})", WTERMSIG(status)));
    if (status != -1 && WIFEXITED(status)) fail(fmt::format("failed on this file (exit {})", WEXITSTATUS(status)));
    fail("failed on this file");
}

void IsolatedProcess::receive(void* bytes, size_t size, Deadline deadline) {
    char* next = static_cast<char*>(bytes);
    while (size > 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd waiting{channel_, POLLIN, 0};
        const int ready = left.count() <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) fail(fmt::format("gave no answer on this file for {} s", limits_.patience.count()));
        const ssize_t got = ::recv(channel_, next, size, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) fail_as_it_died();
        next += got;
        size -= static_cast<size_t>(got);
    }
}

std::string IsolatedProcess::ask(std::string_view request) {
    if (child_ < 0) fail("failed on this file before");
    const uint64_t length = request.size();
    std::string message(reinterpret_cast<const char*>(&length), sizeof length);
    message += request;
    for (size_t sent = 0; sent < message.size();) {
        const ssize_t got = ::send(channel_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
        if (got < 0 && errno != EINTR) fail_as_it_died();
        if (got > 0) sent += static_cast<size_t>(got);
    }
    const Deadline deadline = std::chrono::steady_clock::now() + limits_.patience;
    ReplyHead head{};
    receive(&head, sizeof head, deadline);
    if (head.bytes > limits_.reply_bytes) fail(fmt::format("answered with {} bytes", head.bytes));
    std::string reply(head.bytes, '\0');
    receive(reply.data(), reply.size(), deadline);
    switch (head.outcome) {
        case Outcome::kDone:
            return reply;
        case Outcome::kInputError:
            throw InputError(reply);
        case Outcome::kOverLimit:
            throw InputError("{}: the {} library needs more than {} MiB for this file", file_, library_,
                             limits_.memory_bytes >> 20);
        case Outcome::kNoMemory:
            throw SystemError("{}: out of memory: the {} library needs more than `ulimit -v` leaves", file_, library_);
    }
    fail("gave an answer that makes no sense");
}

}  // namespace cmr::io
