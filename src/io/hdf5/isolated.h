#pragma once
// A conversation with a process of its own, for libraries that are not to be trusted with the files they read. The
// child answers one request at a time. If it crashes, hangs or takes too much memory, the parent throws an InputError
// and lives on; a SystemError where the machine is at fault: no process, no memory for anybody, or one that was killed.
// Nobody asks the same of the same file again: what failed once fails at once.
//
// The child is a fork of the calling process, so the handler may use what it captured. It never returns into the
// parent's code: no destructors, no exit handlers, nothing printed. Between the fork and the end it runs only the
// handler, which must not touch locks that other threads of the parent may have held, malloc excepted.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"

namespace cmr::io {

struct IsolationLimits {
    uint64_t memory_bytes = uint64_t{1} << 30;  // above what the parent has when it forks
    uint64_t reply_bytes = uint64_t{1} << 28;
    std::chrono::seconds patience{60};  // for one answer, of the clock and of the processor's time
};

class IsolatedProcess {
  public:
    // Runs in the child, one request after the other; its InputErrors reach the parent. It may keep state.
    using Handler = std::function<std::string(std::string_view request)>;

    // `file` is what is read and `library` what reads it, for messages. Of the parent's descriptors only `keep` stays
    // open in the child.
    IsolatedProcess(std::string file, std::string library, const IsolationLimits& limits, int keep,
                    const Handler& handler);
    ~IsolatedProcess();
    IsolatedProcess(const IsolatedProcess&) = delete;
    IsolatedProcess& operator=(const IsolatedProcess&) = delete;

    std::string ask(std::string_view request);

  private:
    using Deadline = std::chrono::steady_clock::time_point;
    void receive(void* bytes, size_t size, Deadline deadline);
    [[noreturn]] void fail_as_it_died();
    [[noreturn]] void fail(const std::string& what);
    int stop();

    std::string file_;
    std::string library_;
    IsolationLimits limits_;
    int channel_ = -1;
    pid_t child_ = -1;
};

}  // namespace cmr::io
