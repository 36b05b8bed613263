#pragma once
// Round values of each kind of axis. Those of a kind take low < high, finite, and give at most `most` (2 or more)
// ticks.

#include <vector>

#include "report/scale.h"

namespace cmr::report {

std::vector<Tick> linear_ticks(double low, double high, int most);

// Powers of ten; with fewer than two of them 1, 2 and 5 times powers of ten; else as a linear axis.
std::vector<Tick> log_ticks(double low, double high, int most);

// 1, 2 and 5 times powers of ten, however many there are.
std::vector<Tick> one_two_five(double low, double high);

// In the unit that suits the range.
std::vector<Tick> elapsed_ticks(double low, double high, int most);

// Seconds, minutes, hours, days, months or years of the calendar, UTC.
std::vector<Tick> calendar_ticks(double low, double high, int most);

// The least 1, 2 or 5 times a power of ten that is not below this.
double round_step(double least);

// Seconds since 1970 that the calendar can show: the years 1 to 8000.
bool is_date(double seconds);

}  // namespace cmr::report
