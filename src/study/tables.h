#pragma once
// All tables of a run. A new one is one file in tables/ and one line in tables.cpp; a table that the run has no numbers
// for is left out.

#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study {

std::vector<Table> make_tables(const Outcome& outcome);

namespace tables {

std::vector<Table> verdict(const Outcome& outcome);       // where cmr wins, ties and loses
std::vector<Table> claims(const Outcome& outcome);        // do the paper's findings hold?
std::vector<Table> leaderboard(const Outcome& outcome);   // every way of scoring on every dataset
std::vector<Table> scoring(const Outcome& outcome);       // native score against k-NN on the same embeddings
std::vector<Table> strata(const Outcome& outcome);        // kinds of faults apart: the hard ones
std::vector<Table> hardest(const Outcome& outcome);       // the same, against the best control for each
std::vector<Table> stealth(const Outcome& outcome);       // faults that no sensor shows by itself
std::vector<Table> folds(const Outcome& outcome);         // fold by fold, with what an oracle would choose
std::vector<Table> seeds(const Outcome& outcome);         // seed by seed
std::vector<Table> f1(const Outcome& outcome);            // F1, raw and inflated
std::vector<Table> axes(const Outcome& outcome);          // settings swept
std::vector<Table> neighbours(const Outcome& outcome);    // k of k-NN
std::vector<Table> poolings(const Outcome& outcome);      // ranked
std::vector<Table> significance(const Outcome& outcome);  // is cmr better or worse than each rival?
std::vector<Table> coverage(const Outcome& outcome);      // why a fold fails
std::vector<Table> cost(const Outcome& outcome);          // parameters, time, memory
std::vector<Table> failures(const Outcome& outcome);      // what could not be done, and why

}  // namespace tables
}  // namespace cmr::study
