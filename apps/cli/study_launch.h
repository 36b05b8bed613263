#pragma once
// Starts the workers of a study.

#include "study/status.h"

namespace cmr::cli {

// So many workers on this machine, which share its threads; returns when they are done. A worker that is killed is
// replaced. Interrupted, or InputError where cells are left because something is wrong with the run folder.
study::Status launch_here(const study::RunFolder& folder, const study::Plan& plan, int64_t workers);

// A job array of Slurm, one task per cell that is not done, `workers` of them at a time. Returns what to tell the user.
std::string launch_on_slurm(const study::RunFolder& folder, const study::Plan& plan, int64_t workers,
                            const std::vector<std::string>& options);

// "12 of 63 cells done, 2 running, 1 failed; about 14 min left"
std::string status_line(const study::Status& status);

}  // namespace cmr::cli
