#pragma once
// "That was healthy": a fitted detector learns more healthy data, and its network is not trained again. Everything else
// is fitted anew, on the data that it was fitted on and on what was added since: banks, tails, weights, the conditions
// of the promise, the alarm line. So both have to be there, and to be the same as they were, which fingerprints tell.

#include "score/detector.h"
#include "score/fit_detector.h"

namespace cmr::score {

// Data that are said to be healthy, as data::load_new reads them.
struct MoreHealthy {
    Addition about;  // fingerprint and windows are found here
    data::Dataset dataset;
};

// `original`: the data of its recipe. `added`: all additions, those that the detector knows first.
//
// The scale of the channels and the windows that the network was trained and is tested on stay as they were; what is
// added counts as not seen by the network. An alarm line that stood by a promise stands by the same promise again.
//
// InputError where data are not what they were, hold no whole window, stand among what is tested or was trained on
// (data/leakage.h), or were added before; and where the promise can no longer be made.
Detector update(const Detector& before, data::Dataset original, std::vector<MoreHealthy> added,
                const FitProgress& progress = {});

}  // namespace cmr::score
