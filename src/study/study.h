#pragma once
// A study says which methods are compared on which data, with which folds, seeds and settings. It is one TOML file;
// recipes say the rest.

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

namespace cmr::study {

namespace fs = std::filesystem;

// Data made on the spot.
struct Simulation {
    std::string kind;                   // bearing, hydraulic, water
    std::string folder;                 // below the run's data folder
    std::vector<std::string> settings;  // KEY=VALUE over the simulator's own
};

// One setting tried at several values while all others stay as they are.
struct Axis {
    std::string key;  // of the recipe, such as model.cause_weight
    std::vector<std::string> values;
    std::vector<std::string> methods = {"cmr"};
    std::vector<int64_t> seeds, folds;  // empty: as the experiment
};

// One dataset.
struct Experiment {
    std::string name;
    std::string recipe;      // file, beside the study or where it says
    bool simulated = false;  // its data are those of [[simulate]]
    std::vector<std::string> methods = {"cmr"};
    std::vector<int64_t> seeds;         // empty: the recipe's
    std::vector<int64_t> folds;         // empty: all
    std::string protocol;               // strict, paper; empty: the recipe's
    std::vector<std::string> settings;  // KEY=VALUE over the recipe
    std::string stratum;                // what counts in tables of all experiments; empty: all faults
    std::string spread = "seeds";       // what ± means: seeds, folds
    bool reconstruction = false;        // judge what cmr's decoders cannot rebuild, too
    bool pointwise = false;             // F1 of samples too, not of windows alone
    std::vector<double> stealthy;       // percentiles of the healthy marginal score below which a fault is stealthy
    // k-NN on one fit, each with each. Nothing is trained for these.
    std::vector<std::string> poolings;
    std::vector<int64_t> ks;
    std::vector<std::string> metrics;
    std::vector<Axis> axis;

    // Over the recipe, as KEY=VALUE: the protocol and the settings.
    std::vector<std::string> over_recipe() const;
};

// What was published, to be shown beside a table of ours.
struct Published {
    std::string table;
    std::string note;  // where it stands, or how it differs
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // the first cell is the row's name
};

struct Study {
    std::string name;
    std::string description;
    std::vector<Simulation> simulate;
    std::vector<Experiment> experiment;
    std::vector<Published> published;

    fs::path file;  // where it was read from
};

// InputError with the line for what is not known, missing or impossible.
Study read_study(const fs::path& file);

// The same with these methods alone, and the experiments that have one of them. InputError for one that none has.
Study with_methods(Study study, const std::vector<std::string>& methods);

template <typename C, typename T>
concept Is = std::is_same_v<std::remove_const_t<C>, T>;

template <Is<Simulation> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("kind", c.kind, "bearing, hydraulic or water");
    visit("folder", c.folder, "below the run's data folder, as the recipe wants it");
    visit("settings", c.settings, "KEY=VALUE over the simulator's own");
}

template <Is<Axis> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("key", c.key, "setting of the recipe that is swept");
    visit("values", c.values, "that it gets, one after the other");
    visit("methods", c.methods, "that are swept");
    visit("seeds", c.seeds, "empty: as the experiment");
    visit("folds", c.folds, "empty: as the experiment");
}

template <Is<Experiment> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "in tables and figures");
    visit("recipe", c.recipe, "file, relative to the study");
    visit("simulated", c.simulated, "its data are those of [[simulate]]");
    visit("methods", c.methods, "that are compared");
    visit("seeds", c.seeds, "empty: the recipe's");
    visit("folds", c.folds, "empty: all");
    visit("protocol", c.protocol, "strict or paper; empty: the recipe's");
    visit("settings", c.settings, "KEY=VALUE over the recipe");
    visit("stratum", c.stratum, "what counts in tables of all experiments; empty: all faults");
    visit("spread", c.spread, "what ± means: seeds or folds");
    visit("reconstruction", c.reconstruction, "judge what cmr's decoders cannot rebuild, too");
    visit("pointwise", c.pointwise, "F1 of samples too, not of windows alone");
    visit("stealthy", c.stealthy, "percentiles of the healthy marginal score below which a fault is stealthy");
    visit("poolings", c.poolings, "of k-NN, each with each k and metric");
    visit("ks", c.ks, "of k-NN");
    visit("metrics", c.metrics, "of k-NN");
    visit("axis", c.axis, "settings that are swept");
}

template <Is<Published> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("table", c.table, "of ours that it belongs to");
    visit("note", c.note, "where it stands, or how it differs");
    visit("columns", c.columns, "names of the columns");
    visit("rows", c.rows, "the row's name and its cells");
}

template <Is<Study> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the study");
    visit("description", c.description, "in a sentence");
    visit("simulate", c.simulate, "data made on the spot");
    visit("experiment", c.experiment, "datasets");
    visit("published", c.published, "values to show beside ours");
}

}  // namespace cmr::study
