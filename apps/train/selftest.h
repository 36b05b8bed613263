#pragma once

namespace cmr::train {

// Trains a small model for a few steps on every instruction set of this CPU and checks that a repetition and another
// number of threads give the same bits, that the loss falls, and that the torch-free encoder reads the saved model and
// gives the same embeddings. Prints a table or JSON; returns the exit code, 1 where a promise is broken.
int selftest(bool json);

}  // namespace cmr::train
