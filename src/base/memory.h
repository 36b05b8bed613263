#pragma once

#include <cstdint>

namespace cmr {

// Makes the allocator keep freed blocks of up to 32 MB for the next call instead of handing them back to the system: a
// training step takes and frees the same tensors again and again, and every 4 KB fetched anew costs a page fault.
// Larger blocks still go back, so that they cannot fragment the heap.
void keep_freed_memory();

// Hands back what was kept so: after training, before something else needs the memory.
void release_freed_memory();

// Bytes that this process may still take: what the machine has left, or its control group or `ulimit -v`, if that is
// less.
int64_t available_memory();

}  // namespace cmr
