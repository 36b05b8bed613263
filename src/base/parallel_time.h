#pragma once
// For benches: how much of a program runs on all threads.

namespace cmr {

// Seconds that calls of parallel_for have taken so far, from outside tasks and with more than one task. What is missing
// to the time of a clock ran on one thread.
double seconds_in_parallel();

}  // namespace cmr
