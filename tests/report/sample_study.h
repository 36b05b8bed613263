#pragma once
// Methods, folds and seeds as a study would hand them over: drawn, not measured. Every kind of chart that compares.

#include "report/page.h"

namespace cmr::test {

report::Section make_sample_study();

}  // namespace cmr::test
