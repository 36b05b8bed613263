#pragma once
// How both programs end: with an exit code, and one line where something went wrong.

#include <exception>
#include <functional>
#include <string>

namespace cmr {

enum ExitCode : int { kExitDone = 0, kExitBug = 1, kExitInput = 2, kExitSystem = 3 };

inline constexpr const char* kExitCodes =
    "Exit code: 0 done, 2 something in the input needs mending, 3 the machine would not\n"
    "(disk full, out of memory, a process killed), 1 a bug in cmr, 130 or 143 interrupted.";

// What to say of a failure, and the exit code for it. Failures of the library and of the system are told by their
// cause.
struct Ending {
    ExitCode code = kExitBug;
    std::string message;
};
Ending describe(const std::exception& error);

// The whole of main: runs `body`, which returns the exit code, and turns every failure into a message and its code.
// Standard descriptors that were closed are opened on /dev/null first, and messages that nobody reads stop nothing.
int run_program(const std::function<int()>& body);

// Writes what belongs on standard output: as it is, but to a terminal without control bytes (base/text.h). SystemError
// where it cannot be written; where nobody reads it any more, the end by SIGPIPE.
void print_result(const std::string& text);

// From now on SIGINT and SIGTERM end the process at once, by that signal, so that a shell sees 130 or 143: files that
// are being written are as before, and `last_words` is said unless it is empty.
void end_on_interrupt(std::string last_words = "stopped");

// From now on the first SIGINT or SIGTERM only makes stop_wanted() true; the next one ends the process.
void stop_on_interrupt();
bool stop_wanted();

// Ends the process by a signal, as if there were no handler.
[[noreturn]] void end_by_signal(int number);

}  // namespace cmr
