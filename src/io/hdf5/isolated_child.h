#pragma once
// The child's side of an IsolatedProcess, and what the two say to each other: a request is 8 bytes of length and that
// many bytes; a reply is a ReplyHead and that many bytes.

#include "io/hdf5/isolated.h"

namespace cmr::io {

enum class Outcome : uint64_t {
    kDone,
    kInputError,  // the bytes are its message
    kOverLimit,   // it needs more memory than IsolationLimits allow
    kNoMemory,    // this process was given less than they allow
};

struct ReplyHead {
    Outcome outcome{};
    uint64_t bytes = 0;
};

// Called right after the fork, with all signals blocked. Ends when the parent closes its end.
[[noreturn]] void serve_as_child(int channel, int keep, const IsolationLimits& limits,
                                 const IsolatedProcess::Handler& handler);

}  // namespace cmr::io
