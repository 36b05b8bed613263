#pragma once
// Numbers of a result that tables and figures ask for, each as a question; none where a result does not have it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/result.h"

namespace cmr::study {

using Number = std::function<std::optional<double>(const Result&)>;

// Of one score, whatever `of` takes from it.
Number score_number(const std::string& score, const std::function<double(const ScoreResult&)>& of);
// Of a k-NN score: eval::coverage_ratio. NaN where the healthy windows are in the bank.
Number coverage_of(const std::string& score);
// `stratum`: empty: all faults.
Number auroc_of(const std::string& score, const std::string& stratum = "");
// Of a way to join the voices, see rules.h.
Number rule_auroc(const std::string& rule);
Number stealth_auroc(const std::string& score, double percentile, double StealthResult::*side);
Number grid_auroc(const std::string& pooling, const std::string& metric, int64_t k, const std::string& stratum = "");
// The best of the grid, chosen on the test windows themselves: an upper bound, not a result.
Number oracle_auroc(const std::string& stratum);
// A stratum at the choice that is best over all faults.
Number stratum_of_oracle(const std::string& stratum);
Number machine_auroc(const std::string& score, const std::string& machine);
// The mean score of one machine's faulty windows over that of all healthy ones, as coverage_of has it.
Number machine_ratio(const std::string& score, const std::string& machine);

// Two numbers of fits of the same seed and fold, which alone can be compared.
struct Pairs {
    std::vector<double> first, second;

    int64_t count() const { return static_cast<int64_t>(first.size()); }
    std::vector<double> differences() const;       // first less second
    std::optional<double> standard_error() const;  // of their mean; none of a single one
};
Pairs pair_up(const std::vector<const Result*>& first, const Number& first_number,
              const std::vector<const Result*>& second, const Number& second_number);
// The same by folds, each the mean over the seeds that both have: runs of one fold are not independent of each other.
Pairs pair_up_folds(const std::vector<const Result*>& first, const Number& first_number,
                    const std::vector<const Result*>& second, const Number& second_number);

}  // namespace cmr::study
