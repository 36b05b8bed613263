#pragma once
// Proves that a fold does not leak, whoever made it.

#include "data/copies.h"
#include "data/split.h"

namespace cmr::data {

// Knows a dataset well enough to judge folds of it: building one reads every sample once.
class LeakageCheck {
  public:
    LeakageCheck(const Dataset& dataset, const recipe::Recipe& recipe);

    // An InputError tells which two windows, files or machines are on both sides:
    // - training and validation windows are healthy, and hold no excluded or absent samples;
    // - no sample of a training window, nor one nearer than the purge gap, is in a test window; nor in a validation
    //   window; nor are validation samples in test windows, but for the protocol "paper", which shares whole windows;
    // - leave-units-out: no unit, by-file: no file is on both sides;
    // - no two recordings of one unit that overlap in time are on both sides;
    // - no stretch of training samples stands copied in a test or validation recording, under whatever name; copies.h
    //   says what a copy is.
    void operator()(const Fold& fold) const;

  private:
    const Dataset& dataset_;
    const recipe::Recipe& recipe_;
    std::vector<Copy> copies_;
};

}  // namespace cmr::data
