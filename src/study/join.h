#pragma once
// Several runs, read as one.

#include "recipe/recipe.h"
#include "study/outcome.h"
#include "study/run_folder.h"

namespace cmr::study {

class Runs {
  public:
    explicit Runs(const std::vector<fs::path>& folders);

    const std::vector<RunFolder>& folders() const { return folders_; }
    // Of all of them. Where two have the same experiment with different methods, it is one: rivals need not be fitted
    // again when cmr changes. InputError where a method or another setting stands in the way.
    Outcome read() const;

    fs::path scores(const Cell& cell) const;                       // in the run that has it, if any does
    std::optional<recipe::Recipe> recipe(const Cell& cell) const;  // resolved; none where it cannot be read

  private:
    std::vector<RunFolder> folders_;
};

// Joins outcomes as read() does. `names`: of the runs, for messages.
Outcome join(const std::vector<Outcome>& outcomes, const std::vector<std::string>& names);

}  // namespace cmr::study
