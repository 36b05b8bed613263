#pragma once
// A long signal as a short line: per column of the drawing only its least and its greatest value are kept, in the order
// in which they came, so that no peak is lost however many samples share the column.
//
// Times rise. A value that is NaN or infinite is a gap. So is a step in time longer than two periods.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "report/scale.h"
#include "report/svg.h"

namespace cmr::report {

using Polyline = std::vector<Point>;

// Throws InputError naming `what` unless there is one value for each time and the times are finite and rise.
void check_signal(std::string_view what, std::span<const double> times, size_t values);

// The median step; 1 where there is none.
double usual_step(std::span<const double> times);

// The parts of the line between gaps, columns being one unit wide. Samples outside the scale of x are left out.
std::vector<Polyline> trace(std::span<const double> times, std::span<const float> values, double period, const Scale& x,
                            const Scale& y);

// What lies above a horizontal line at `level` (smaller y), each part closed along the level.
std::vector<Polyline> parts_above(const std::vector<Polyline>& lines, double level);

// "M1 2L3 4": with `closed`, every part is an area.
std::string path_data(const std::vector<Polyline>& lines, bool closed = false);

// How a cell stands for the samples in it.
enum class Cell {
    kGreatest,           // the peak
    kGreatestMagnitude,  // of absolute values
    kMean,
};

// One value for each of so many equal parts of the scale; NaN where there is nothing. A sample fills the cells from its
// time to a period later.
std::vector<float> cells(std::span<const double> times, std::span<const float> values, double period, const Scale& x,
                         int64_t count, Cell cell);

// The same for every column of a matrix with one row per time: [columns, count].
Matrix cells(std::span<const double> times, const MatrixView& values, double period, const Scale& x, int64_t count,
             Cell cell);

}  // namespace cmr::report
