#pragma once
// The folder of a study's run. Any number of workers, on this machine or on others that share the folder, take cells
// from it; a cell is one worker's while that worker lives, and nobody's after it died.
//
//   plan.json           what is to be done
//   recipes/            resolved recipes, one per kind of fit
//   cells/ID.json       one line: what a finished or failed cell gave
//   cells/ID.lock       held by the worker that is at it; one byte per worker that began it
//   models/, scores/    what a cell made; logs/ what its fit said
//   data/               simulated data

#include <memory>
#include <optional>

#include "io/file.h"
#include "study/plan.h"

namespace cmr::study {

class RunFolder {
  public:
    explicit RunFolder(fs::path folder) : folder_(std::move(folder)) {}

    const fs::path& path() const { return folder_; }
    void create() const;  // with all folders below it

    bool has_plan() const { return fs::exists(folder_ / "plan.json"); }
    void write_plan(const Plan& plan) const;
    Plan plan() const;  // InputError where it is none

    fs::path model(const Cell& cell) const { return folder_ / "models" / cell.model; }
    fs::path recipe(const Cell& cell) const { return folder_ / "recipes" / cell.recipe; }
    fs::path scores(const Cell& cell) const { return folder_ / "scores" / (cell.id + ".csv"); }
    fs::path log(const Cell& cell) const { return folder_ / "logs" / (cell.id + ".log"); }
    // What `cmr fit --json` said of the model.
    fs::path fit_facts(const Cell& cell) const { return folder_ / "models" / (cell.model + ".json"); }

    std::optional<Result> result(const Cell& cell) const;
    bool has_result(const Cell& cell) const;  // without reading it
    void write_result(const Result& result) const;
    void forget(const Cell& cell) const;  // all of it, so that it is done again from the start
    void reset(const Cell& cell) const;   // forgets who began it

    // Held while alive. None where another worker holds it, or has done it.
    struct Claim {
        io::Descriptor lock;
        int64_t begun = 0;  // how many workers had begun the cell before and did not end it
    };
    std::unique_ptr<Claim> claim(const Cell& cell) const;
    bool is_claimed(const Cell& cell) const;

  private:
    fs::path folder_;
};

}  // namespace cmr::study
