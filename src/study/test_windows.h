#pragma once
// The windows that a cell is judged by: those of the test, and of them those that stealth and F1 are told of.

#include <cstdint>
#include <string>
#include <vector>

#include "score/score_run.h"

namespace cmr::study {

// In the order of the run; all of one length, a place in each is one window.
struct TestWindows {
    std::vector<int64_t> rows;  // of the run
    std::vector<data::Window> windows;
    std::vector<uint8_t> faulty;
    std::vector<int64_t> stratum;
    std::vector<int64_t> recording;
};

// InputError where they are of one kind only.
TestWindows test_windows_of(const score::ScoreRun& run, const data::Dataset& dataset);

// Healthy windows and the faults that count in tables of all experiments.
struct CountedWindows {
    int64_t stratum = -1;        // of the faults; -1: all
    std::vector<size_t> places;  // among the test windows
    TestWindows test;            // they alone

    std::vector<double> of(const std::vector<double>& scores) const;  // one per test window → one per counted one
    bool has_faults() const;
};

// `stratum`: its name; empty: all faults. InputError where the dataset has no such stratum.
CountedWindows counted_of(const TestWindows& test, const std::string& stratum, const data::Dataset& dataset);

// One score of windows, values [windows, names]; only `rows` of them, or all. InputError where there is no such score.
std::vector<double> score_column(const Matrix& values, const std::vector<std::string>& names, const std::string& name,
                                 const std::vector<int64_t>* rows = nullptr);

}  // namespace cmr::study
