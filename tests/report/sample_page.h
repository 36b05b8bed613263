#pragma once
// The page of a plant under attack, as `cmr demo` shows it.

#include "report/page.h"
#include "report/sample_plant.h"

namespace cmr::test {

report::Page make_sample_page(const SamplePlant& plant);

}  // namespace cmr::test
