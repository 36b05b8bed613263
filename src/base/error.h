#pragma once
// Two kinds of failure. InputError: the user can mend it; the message says where, what was found and what was wanted.
// InternalError: we broke a promise to ourselves (CMR_ASSERT). Library code throws and never prints; `main` catches
// once.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cmr {

class InputError : public std::runtime_error {
  public:
    explicit InputError(const std::string& message) : std::runtime_error(message) {}

    template <typename First, typename... Rest>
    InputError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void fail_assertion(const char* condition, const char* why, const char* file, int line);

}  // namespace cmr

// On in every build; keep it out of innermost loops.
#define CMR_ASSERT(condition, why) \
    ((condition) ? static_cast<void>(0) : ::cmr::fail_assertion(#condition, why, __FILE__, __LINE__))
