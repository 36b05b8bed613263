#include "study/points.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "eval/f1.h"

namespace cmr::study {

Points::Points(const CountedWindows& counted, const data::Dataset& dataset, int64_t length) : length_(length) {
    const TestWindows& test = counted.test;
    for (size_t first = 0; first < test.windows.size();) {
        Piece& piece = pieces_.emplace_back();
        piece.first = first;
        piece.recording = test.recording[first];
        for (; first < test.windows.size() && test.recording[first] == piece.recording; ++first)
            piece.begins.push_back(test.windows[first].begin);
        const data::Recording& r = dataset.recordings[piece.recording];
        piece.labels.assign(r.length(), 0);
        for (const data::Span& span : r.spans)
            if (span.state == data::State::kFaulty)
                std::fill(piece.labels.begin() + span.begin, piece.labels.begin() + span.end, 1);
    }
}

Points::F1 Points::f1(const std::vector<double>& scores) const {
    std::vector<double> values;
    std::vector<uint8_t> labels;
    std::vector<int64_t> recordings;
    for (const Piece& piece : pieces_) {
        const std::span<const double> own(scores.data() + piece.first, piece.begins.size());
        const auto points = eval::point_scores(own, piece.begins, length_, std::ssize(piece.labels));
        for (size_t i = 0; i < points.size(); ++i)
            if (!std::isinf(points[i])) {  // covered by a test window that counts
                values.push_back(points[i]);
                labels.push_back(piece.labels[i]);
                recordings.push_back(piece.recording);
            }
    }
    return {eval::best_f1(values, labels).f1, eval::best_f1_point_adjusted(values, labels, recordings).f1};
}

}  // namespace cmr::study
