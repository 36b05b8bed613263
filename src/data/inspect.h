#pragma once
// What there is to know about data before anything is learned from them.

#include <string>
#include <vector>

#include "data/recording.h"
#include "data/split.h"
#include "recipe/recipe.h"

namespace cmr::data {

struct ChannelFacts {
    std::string name;
    std::string role;  // cause, effect; empty for a bare file
    std::string group;
    int64_t samples = 0;
    int64_t absent = 0;
    double least = 0, mean = 0, most = 0, deviation = 0;
    int64_t longest_flat = 0;  // samples in a row that do not change, in healthy data
    bool constant = false;     // never moves: in the healthy training data of the first fold, or in the file
    double r2 = 0;             // of an effect from the causes, on the same data; NaN where there is none
    bool coupled = false;      // r2 above the recipe's limit
    double outside = 0;        // share of healthy test samples beyond the range of the training data
};

struct StateCount {
    int64_t healthy = 0, faulty = 0, excluded = 0;
};

struct PartSummary {
    std::string name, role;
    int64_t files = 0;
    StateCount samples;  // moments in time (rows, or samples of cycles)
    StateCount windows;  // excluded: left out, for labels or absent values
    int64_t segments = 0;
};

struct FoldSummary {
    std::string name;
    int64_t train = 0, validation = 0, purged = 0;
    StateCount test;
    std::vector<int64_t> strata;  // faulty test windows of each stratum
};

struct Warning {
    int harm = 0;  // higher is worse
    std::string text;
};

struct Inspection {
    std::string name, description, protocol;
    double rate_hz = 0;
    int64_t window = 0, stride = 0;
    std::vector<ChannelFacts> channels;
    std::vector<PartSummary> parts;
    std::vector<std::string> strata;
    std::vector<FoldSummary> folds;
    int64_t events = 0;
    std::vector<Warning> warnings;  // the worst first
};

Inspection inspect(const Dataset& dataset, const recipe::Recipe& recipe);

// A file without a recipe: its columns as they are.
struct FileInspection {
    std::string name;
    int64_t rows = 0;
    std::string time_column;  // empty: none found
    double first_s = 0, last_s = 0;
    double rate_hz = 0;  // from the median step; 0: unknown
    int64_t steps = 0;   // longer than one and a half samples
    std::vector<std::string> text_columns;
    std::vector<ChannelFacts> channels;
    std::vector<Warning> warnings;
};

FileInspection inspect_file(const fs::path& file, const io::TableOptions& options);

}  // namespace cmr::data
