#include "run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "io/file.h"
#include "say.h"

namespace cmr {
namespace {

std::string last_words;  // of an interrupted process, as they are written

void say_and_end(int number) {
    io::remove_temporary_files();
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last_words.data(), last_words.size());
    end_by_signal(number);
}

volatile std::sig_atomic_t stop = 0;

void note_stop(int number) {
    if (stop != 0) say_and_end(number);
    stop = 1;
}

// A signal that is ignored stays so, as `nohup` and a shell's background job want it.
void on_interrupt(void (*handler)(int)) {
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) std::signal(number, handler);
    }
}

void tell(const Ending& ending) {
    say("cmr: {}\n", ending.message);
    if (ending.code == kExitBug)
        say("This is a bug in cmr, not a mistake of yours. Please report it with the command line and the output of "
            "`cmr info`.\n");
}

// A descriptor that was closed would be given to the next file that is opened, and messages written into it. They may
// go nowhere; a result may not, so that writing it still fails.
void open_closed_descriptors() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
            ::open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

// What no handler can reach, such as a thread that runs out of memory where nothing may be thrown.
[[noreturn]] void end_with_its_cause() {
    Ending ending{kExitBug, "ended without a reason"};
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::exception& error) {
        ending = describe(error);
    } catch (...) {
    }
    tell(ending);
    io::remove_temporary_files();
    ::_exit(ending.code);
}

}  // namespace

Ending describe(const std::exception& error) {
    if (dynamic_cast<const InputError*>(&error)) return {kExitInput, error.what()};
    if (dynamic_cast<const SystemError*>(&error)) return {kExitSystem, error.what()};
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return {kExitSystem, "out of memory; close other programs, raise `ulimit -v`, or give it less at a time"};
    if (dynamic_cast<const std::length_error*>(&error))
        return {kExitSystem, fmt::format("more than memory can hold ({})", error.what())};
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return {users_can_mend(file->code().value()) ? kExitInput : kExitSystem,
                fmt::format("{}: {}", file->path1().string(), file->code().message())};
    if (const auto* system = dynamic_cast<const std::system_error*>(&error))
        return {kExitSystem, fmt::format("the system refused: {}", system->what())};
    if (std::strstr(error.what(), "can't allocate memory"))  // libtorch's bad_alloc
        return {kExitSystem, "out of memory; try a smaller train.batch or shorter windows"};
    return {kExitBug, error.what()};
}

int run_program(const std::function<int()>& body) {
    open_closed_descriptors();
    std::set_terminate(end_with_its_cause);
    std::signal(SIGXFSZ, SIG_IGN);  // `ulimit -f`: a write that fails, and not the end
    std::signal(SIGPIPE, SIG_IGN);  // messages that nobody reads stop nothing; of results see print_result
    end_on_interrupt();
    try {
        return body();
    } catch (const Interrupted& end) {
        say("cmr: {}\n", end.what());
        end_by_signal(end.signal());
    } catch (const std::exception& error) {
        const Ending ending = describe(error);
        tell(ending);
        return ending.code;
    }
}

void print_result(const std::string& text) {
    const std::string shown = isatty(STDOUT_FILENO) != 0 ? printable(text) : text;
    const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() && std::fflush(stdout) == 0;
    if (!written && errno == EPIPE) end_by_signal(SIGPIPE);  // `| head` has seen enough
    if (!written) throw SystemError("cannot write the result: {}", std::generic_category().message(errno));
}

void end_on_interrupt(std::string words) {
    on_interrupt(SIG_DFL);                                                  // while the words change
    const char* clear_line = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";  // of a progress bar
    last_words = words.empty() ? "" : fmt::format("{}cmr: {}\n", clear_line, words);
    on_interrupt(say_and_end);
}

void stop_on_interrupt() { on_interrupt(note_stop); }

bool stop_wanted() { return stop != 0; }

void end_by_signal(int number) {
    std::signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(number);
    ::_exit(128 + number);
}

}  // namespace cmr
