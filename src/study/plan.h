#pragma once
// A study worked out: every cell that has to be done, and what each is used for. A cell is one fit with everything that
// is scored on it; two uses that ask for the same fit share it.

#include "base/version.h"
#include "study/result.h"
#include "study/study.h"

namespace cmr::study {

struct Cell {
    std::string id;
    std::string model;       // file below models/: the same fit has the same
    std::string recipe;      // file below recipes/, resolved
    std::string data_root;   // absolute
    std::string experiment;  // that it was made for first
    std::string method;
    int64_t seed = 0, fold = 0;
    std::string stratum;  // of the faults that stealth and F1 are told of; empty: all
    bool reconstruction = false, pointwise = false;
    std::vector<double> stealthy;
    std::vector<std::string> poolings, metrics;
    std::vector<int64_t> ks;
};

struct Use {
    std::string experiment;
    std::string axis, value;  // empty: the recipe as it is
    std::string method;
    int64_t seed = 0, fold = 0;
    int64_t cell = 0;
};

struct Plan {
    std::string name, description, version;
    std::vector<Experiment> experiments;
    std::vector<Published> published;
    std::vector<Cell> cells;
    std::vector<Use> uses;
};

// Data wanted by [[simulate]] must lie in `run`/data already. Resolved recipes are written to `run`/recipes. Cells of
// another `program` are other cells, with models of their own.
Plan make_plan(const Study& study, const fs::path& run, const fs::path& data_root,
               std::string_view program = version());

template <Is<Cell> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("id", c.id, "");
    visit("model", c.model, "");
    visit("recipe", c.recipe, "");
    visit("data_root", c.data_root, "");
    visit("experiment", c.experiment, "");
    visit("method", c.method, "");
    visit("seed", c.seed, "");
    visit("fold", c.fold, "");
    visit("stratum", c.stratum, "");
    visit("reconstruction", c.reconstruction, "");
    visit("pointwise", c.pointwise, "");
    visit("stealthy", c.stealthy, "");
    visit("poolings", c.poolings, "");
    visit("metrics", c.metrics, "");
    visit("ks", c.ks, "");
}

template <Is<Use> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("experiment", c.experiment, "");
    visit("axis", c.axis, "");
    visit("value", c.value, "");
    visit("method", c.method, "");
    visit("seed", c.seed, "");
    visit("fold", c.fold, "");
    visit("cell", c.cell, "");
}

template <Is<Plan> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "");
    visit("description", c.description, "");
    visit("version", c.version, "");
    visit("experiments", c.experiments, "");
    visit("published", c.published, "");
    visit("cells", c.cells, "");
    visit("uses", c.uses, "");
}

}  // namespace cmr::study
