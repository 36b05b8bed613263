#pragma once
// A plan and the results that are there, joined: what tables and figures ask.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/numbers.h"
#include "study/plan.h"

namespace cmr::study {

class RunFolder;

// A number over seeds and folds.
struct Spread {
    double mean = 0;
    std::optional<double> deviation;
    int64_t values = 0;  // that it was made of
};

// One way of scoring: a row of most tables.
struct Line {
    std::string method, score;
    bool control = false;  // needs no network: the same whatever is trained

    std::string name() const { return control ? "control " + score : method + " " + score; }
};

// A setting that was swept, at one of its values; empty: the recipe as it is.
struct Setting {
    std::string axis, value;
};

class Outcome {
  public:
    Outcome(Plan plan, std::map<std::string, Result> results);
    static Outcome read(const RunFolder& folder);

    const Plan& plan() const { return plan_; }
    const std::map<std::string, Result>& results() const { return results_; }

    // Of the experiments that have results, in the order of the plan.
    std::vector<std::string> protocols() const;
    std::string protocol_of(const Experiment& e) const;      // empty: nothing is known yet
    Outcome by_protocol(const std::string& protocol) const;  // with the experiments of that protocol only

    // Finished cells only, in the order of the plan.
    std::vector<const Result*> of(const Experiment& e, const std::string& method, const Setting& setting = {}) const;
    std::vector<const Result*> of_fold(const Experiment& e, const std::string& method, int64_t fold) const;
    const Cell& cell_of(const Result& result) const;
    // Cells that failed, for the same.
    std::vector<const Result*> failed(const Experiment& e, const std::string& method) const;

    // The methods' own scores in the order of the study, then the controls.
    std::vector<Line> lines(const Experiment& e) const;
    // Those that speak for their method: of cmr the main score, the learned and the combined one, of rivals k-NN.
    std::vector<Line> main_lines(const Experiment& e) const;

    // The mean over folds of each seed, and the deviation of those; or, where the experiment says so or has one seed
    // only, the other way round. None where no cell has the number. The deviation is that of the sample, by the
    // protocol "paper" that of the population.
    std::optional<Spread> spread(const Experiment& e, const std::vector<const Result*>& results,
                                 const Number& number) const;
    // What ± is over in most rows: "seeds" or "folds"; empty: each number is of a single fit.
    std::string spread_over(const Experiment& e, const Setting& setting = {}) const;
    // Of the faults that count in tables of all experiments.
    std::optional<Spread> auroc(const Experiment& e, const Line& line, const Setting& setting = {}) const;

    std::vector<std::string> strata(const Experiment& e) const;

  private:
    Plan plan_;
    std::map<std::string, Result> results_;
};

// "12 (K004+K005)", or "12" where folds have no names.
std::string fold_title(const Result& result);

// "0.984 ± 0.007", "0.984", or "–" where there is none.
std::string shown(const std::optional<Spread>& spread, int digits = 3);

}  // namespace cmr::study
