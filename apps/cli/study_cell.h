#pragma once
// One cell of a study, from its fit to its line of results.

#include "study/run_folder.h"

namespace cmr::cli {

enum class CellEnd { kDone, kInterrupted };

// What is wrong with the cell itself (a model that learned nothing, too little memory) is a result. InputError where
// the run cannot go on: nothing can be written.
CellEnd do_cell(const study::RunFolder& folder, const study::Cell& cell);

// Takes cells until none is left, or the one given. Returns the exit code of a worker.
int work(const study::RunFolder& folder, int64_t only_cell);

}  // namespace cmr::cli
