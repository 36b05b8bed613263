#pragma once
// The report of a run: one offline page.

#include "report/page.h"
#include "study/outcome.h"
#include "study/run_folder.h"
#include "study/table.h"

namespace cmr::study {

report::Page make_page(const Outcome& outcome, const RunFolder& folder, const std::vector<ResultTable>& tables);

}  // namespace cmr::study
