#pragma once
// Three kinds of failure. InputError: the user can mend it; the message says where, what was found and what was wanted.
// SystemError: neither the input nor the program is wrong, but the machine would not: a full disk, too little memory, a
// process that cannot be started or was killed. InternalError: we broke a promise to ourselves (CMR_ASSERT). And
// Interrupted, which is none: somebody asked for the end. Library code throws and never prints; `main` catches once.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cmr {

// A message that is formatted where it is thrown.
class Failure : public std::runtime_error {
  public:
    explicit Failure(const std::string& message) : std::runtime_error(message) {}

    template <typename First, typename... Rest>
    Failure(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

class InputError : public Failure {
  public:
    using Failure::Failure;
};

class SystemError : public Failure {
  public:
    using Failure::Failure;
};

class Interrupted : public Failure {
  public:
    Interrupted(int signal, const std::string& message) : Failure(message), signal_(signal) {}
    int signal() const { return signal_; }

  private:
    int signal_;
};

// "`what`: the system's reason" for an error number of the system: an InputError where the user named something that is
// not there, not allowed or of another kind, else a SystemError.
[[noreturn]] void fail_with(int error, const std::string& what);
bool users_can_mend(int error);

class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void fail_assertion(const char* condition, const char* why, const char* file, int line);

}  // namespace cmr

// On in every build; keep it out of innermost loops.
#define CMR_ASSERT(condition, why) \
    ((condition) ? static_cast<void>(0) : ::cmr::fail_assertion(#condition, why, __FILE__, __LINE__))
