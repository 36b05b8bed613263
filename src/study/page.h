#pragma once
// The report of one run or of several: one offline page.

#include "report/page.h"
#include "study/join.h"
#include "study/paper/exhibit.h"
#include "study/table.h"

namespace cmr::study {

// `exhibits`: the paper's, see paper/items.h; none where the runs have none of its datasets.
report::Page make_page(const Outcome& outcome, const Runs& runs, const std::vector<ResultTable>& tables,
                       const std::vector<paper::Exhibit>& exhibits = {});

}  // namespace cmr::study
