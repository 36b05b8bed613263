#pragma once
// Samples of the test instead of windows, as point-wise F1 counts them: a sample's score is the greatest of the counted
// windows that cover it (eval::point_scores), its label that of the recording. Samples that none covers are left out.

#include "study/test_windows.h"

namespace cmr::study {

class Points {
  public:
    // length: of a window.
    Points(const CountedWindows& counted, const data::Dataset& dataset, int64_t length);

    struct F1 {
        double raw = 0, adjusted = 0;  // the second is inflated, see eval/f1.h
    };
    // scores: one per counted window.
    F1 f1(const std::vector<double>& scores) const;

  private:
    // Counted windows of one recording that follow each other.
    struct Piece {
        int64_t recording = 0;
        size_t first = 0;  // of the counted windows
        std::vector<int64_t> begins;
        std::vector<uint8_t> labels;  // per sample
    };
    int64_t length_;
    std::vector<Piece> pieces_;
};

}  // namespace cmr::study
