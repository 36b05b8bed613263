#pragma once

#include "fit_request.h"

namespace cmr::train {

// `cmr fit`: recipe and data → one detector file. Prints what was learned; returns the exit code.
int fit(const cli::FitRequest& request);

}  // namespace cmr::train
