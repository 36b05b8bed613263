#pragma once
// All tables of a run. A new one is one file in tables/ and one line in tables.cpp; a table that the run has no numbers
// for is left out.

#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study {

std::vector<ResultTable> make_tables(const Outcome& outcome);

namespace tables {

std::vector<ResultTable> verdict(const Outcome& outcome);       // where cmr wins, ties and loses
std::vector<ResultTable> claims(const Outcome& outcome);        // do the paper's findings hold?
std::vector<ResultTable> leaderboard(const Outcome& outcome);   // every way of scoring on every dataset
std::vector<ResultTable> left_out(const Outcome& outcome);      // rules judged by datasets they were not chosen with
std::vector<ResultTable> promises(const Outcome& outcome);      // of false alarms, kept or broken
std::vector<ResultTable> scoring(const Outcome& outcome);       // native score against k-NN on the same embeddings
std::vector<ResultTable> strata(const Outcome& outcome);        // kinds of faults apart: the hard ones
std::vector<ResultTable> hardest(const Outcome& outcome);       // the same, against the best control for each
std::vector<ResultTable> severity(const Outcome& outcome);      // machines with the same damage, by severity
std::vector<ResultTable> stealth(const Outcome& outcome);       // faults that no sensor shows by itself
std::vector<ResultTable> marginals(const Outcome& outcome);     // how far faults move each effect by itself
std::vector<ResultTable> folds(const Outcome& outcome);         // fold by fold, with what an oracle would choose
std::vector<ResultTable> seeds(const Outcome& outcome);         // seed by seed
std::vector<ResultTable> f1(const Outcome& outcome);            // F1, raw and inflated
std::vector<ResultTable> axes(const Outcome& outcome);          // settings swept
std::vector<ResultTable> neighbours(const Outcome& outcome);    // k of k-NN
std::vector<ResultTable> poolings(const Outcome& outcome);      // ranked
std::vector<ResultTable> significance(const Outcome& outcome);  // is cmr better or worse than each rival?
std::vector<ResultTable> coverage(const Outcome& outcome);      // why a fold fails
std::vector<ResultTable> cost(const Outcome& outcome);          // parameters, time, memory
std::vector<ResultTable> failures(const Outcome& outcome);      // what could not be done, and why

}  // namespace tables
}  // namespace cmr::study
