#pragma once

#include <cstdint>

namespace cmr {

// Makes the allocator keep freed blocks of up to 32 MB for the next call instead of handing them back to the system: a
// training step takes and frees the same tensors again and again, and every 4 KB fetched anew costs a page fault.
// Larger blocks still go back, so that they cannot fragment the heap.
void keep_freed_memory();

// The opposite, for programs that run for years: what a rush took goes back when it is over. Blocks of 256 kB and more
// come from the system and return to it; by itself the allocator raises that limit with every one that is freed, up to
// 32 MB, and large blocks then leave holes between small ones. Threads share two arenas: an arena for each would keep
// what each of them once took. Before there are threads.
void return_freed_memory();

// Hands back what was kept so: after training, before something else needs the memory.
void release_freed_memory();

// Bytes that this process may still take: what the machine has left, or its control group or `ulimit -v`, if that is
// less.
int64_t available_memory();

}  // namespace cmr
