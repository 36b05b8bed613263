#pragma once
// A recipe says everything about a domain: where its data lie and what they mean, how windows are cut and split, what
// model is trained and how it scores. It is one TOML file; nothing else in the program knows a domain. The defaults are
// the paper's settings where the domains agree.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/table.h"
#include "io/toml/toml.h"

namespace cmr::recipe {

namespace fs = std::filesystem;

// Time stamps in the data files.
struct Time {
    std::string column;              // empty: the files have none
    double max_step_s = 0.0;         // a longer step is a gap; 0: one and a half samples
    std::string repeated = "error";  // a stamp that stands twice: error, keep-first: the rows behind it are left out
    std::string restarts = "error";  // a clock that goes back: error, segment: it begins again with each run
    // Rows at uneven steps brought to rate_hz: none (they are even), linear, hold, mean; see data/resample.h.
    std::string resample = "none";
};

// Row by row (or cycle by cycle): healthy, faulty and of which stratum, or not to be used.
struct Labels {
    // A table with one row per cycle (layout cycles) or per row, relative to the data root; {words} are those of the
    // part's files. Empty: the labels are columns of the data files.
    std::string file;
    std::string time;    // of the rows of `file`: a label holds from its time to the next; empty: row by row
    std::string column;  // empty: a part's `state` says it
    std::vector<std::string> columns;  // instead, several: a row is faulty where any of them is
    std::vector<std::string> healthy;  // values of the column; blanks and case do not count
    std::vector<std::string> faulty;
    // Names of the faulty values, in their order; empty: none. With `columns`, of these; empty: they name themselves.
    std::vector<std::string> strata;
    std::string keep_column;  // rows are used only where this column has one of the `keep` values
    std::vector<std::string> keep;
    io::TableOptions read;  // of `file`
};

// Faults that are known by time: a table with one row each.
struct Events {
    std::string file;  // empty: none
    std::string start = "Start Time";
    std::string end = "End Time";         // may be a time of day only
    std::string name = "Attack #";        // empty: they are numbered
    std::string target = "Attack Point";  // empty: nothing is said
    bool optional = true;                 // no error when the file is absent
    bool label = false;  // rows inside an event are faulty; else the events only name what the labels say
    io::TableOptions read;
};

// Another file of the same machine, with its own clock and rate, joined by time.
struct Join {
    std::string files;  // relative to the data root; {words} are those of the part's files
    io::TableOptions read;
    Time time;  // `column`, `resample` and `max_step_s` are needed
};

// Files that are treated alike.
struct Part {
    std::string name;
    // Relative to the data root. `*` is any run of letters; {unit} too, and names the machine; {channel} names the
    // channel that a file holds; any other {word} may be used in `stratum`.
    std::string files;
    std::vector<std::string> exclude;
    std::string role = "fit";  // fit: healthy windows are split; test: all for testing; unused: only inspected
    // What its rows are: labels, healthy, faulty; unknown of new data, which may lack the columns of the labels.
    std::string state = "labels";
    std::string stratum;       // of its faulty rows, such as "{fault}"
    int64_t skip_samples = 0;  // at the beginning of each file
    io::TableOptions read;     // over [data.read]
    Time time;                 // over [data.time]
    std::vector<Join> join;    // where the columns are that its own files lack
};

// What is known of machines, where a file's name tells the machine. Files of other machines are left out.
struct Unit {
    std::vector<std::string> names;
    std::string state = "healthy";
    std::string stratum;
    std::string kind;
    std::string place;
    int64_t severity = 0;
};

struct Data {
    std::string obtain;            // where the dataset can be had and how it must lie
    double rate_hz = 0.0;          // samples per second of every channel after alignment
    std::string layout = "rows";   // rows: time × channels; cycles: one file per channel, cycles × samples
    double cycle_s = 0.0;          // duration of a cycle
    std::string gaps = "error";    // error, drop-window, interpolate
    int64_t max_gap = 0;           // interpolate: the longest gap to fill, in samples
    std::string storage = "auto";  // auto, memory, disk: where samples are kept
    io::TableOptions read;
    Time time;
    Labels labels;
    Events events;
    std::vector<Part> part;
    std::vector<Unit> unit;
};

struct Channels {
    std::string role;                  // cause or effect
    std::string group;                 // channels of one group share an encoder
    std::vector<std::string> names;    // F(1..3) is three of them
    std::vector<std::string> columns;  // in the files; empty: as the names
    std::string made = "none";         // from its column: derivative, integral; from two: difference
    double rate_hz = 0.0;              // 0: that of the data
    std::string align = "auto";  // to the data's rate. auto: mean downwards, hold upwards; mean, pick, hold, linear
    double step = 0.0;           // values are rounded to multiples of it, as a coarser export has them; 0: as they are
};

struct Window {
    int64_t length = 256;
    int64_t stride = 128;
    int64_t train_stride = 0;      // 0: as `stride`
    double faulty_fraction = 0.0;  // a window is faulty when more than this share of its samples is

    int64_t training_stride() const { return train_stride > 0 ? train_stride : stride; }
    // Of the healthy windows that the alarm line rests on: those of training, and where it skips some that will be
    // scored, those between them, as densely. The largest step up to `stride` that training's is a multiple of.
    int64_t judging_stride() const {
        int64_t out = std::min(stride, training_stride());
        while (training_stride() % out != 0) --out;
        return out;
    }
};

struct Split {
    std::string kind = "chronological";  // chronological, leave-units-out, by-file
    std::string per = "dataset";         // chronological: dataset, or a fold per recording
    double train_fraction = 0.85;
    int64_t train_samples = 0;       // over train_fraction: this many at the beginning of each recording
    int64_t leave_out = 2;           // units per fold
    std::vector<std::string> order;  // by-file: file patterns, the first for training; empty: by part, then by name
    int64_t purge = 0;               // samples left out between neighbours on different sides
    // What the healthy windows that are not for training do. A test that has no healthy windows of its own needs them.
    std::string held_out = "validation";  // validation, validation+test
    double validation_fraction = 0.15;    // of the training windows, where held-out windows may not be used (strict)
    std::string protocol = "strict";      // strict, paper: validation windows are test windows too
};

struct Screening {
    bool prune_constants = true;
    double coupled_r2 = 0.55;  // an effect is coupled where a linear model of the causes explains more than this
};

// The names of model/methods: cmr, cmr before it has learned, and the rivals of docs/baselines.md.
inline constexpr std::array<std::string_view, 7> kMethods = {"cmr",  "untrained",          "ae", "vae", "usad",
                                                             "svdd", "anomaly-transformer"};

struct Model {
    std::string method = "cmr";  // one of kMethods
    int64_t width = 128;         // features of a token
    int64_t layers = 4;
    int64_t state = 16;
    int64_t conv = 4;
    int64_t expand = 2;
    int64_t rank = 8;
    int64_t stem_kernel = 7;
    int64_t stem_stride = 4;
    int64_t predictor_width = 0;  // 0: `width` where there is one effect channel, else twice that
    int64_t predictor_kernel = 5;
    int64_t predictor_blocks = 3;
    double dropout = 0.1;
    double mechanism_weight = 0.20;       // γ
    double effect_weight = 1.00;          // α_y; 0: no effect decoders
    double cause_weight = 0.0;            // α_x; 0: no cause decoders
    double waveform_weight = 1.0;         // of foretelling the effects' samples; by the protocol paper 0
    bool stop_gradient = true;            // of the mechanism loss into the effect encoder
    std::string effect_input = "signal";  // signal, innovation, both
    std::string precision = "float32";    // of the products: float32, bf16x3, bf16 (in scoring alone)
};

struct Train {
    int64_t batch = 32;
    int64_t max_epochs = 150;
    int64_t patience = 15;
    int64_t warmup_epochs = 5;
    std::string schedule = "plateau";  // plateau, cosine
    double learning_rate = 5e-4;
    double rival_rate = 0;  // of rivals; 0: as published
    double memory_gb = 0;   // what training may take; 0: what the machine has
    double weight_decay = 1e-5;
    double clip = 1.0;
    std::vector<int64_t> seeds = {1337, 9999, 777};
};

// The names of score/features/pooling.cpp.
inline constexpr std::array<std::string_view, 9> kPoolings = {
    "std", "mean", "max", "mean+std", "mean+std+max", "mean-pca", "effect+cause", "effect+mean-cause", "cause-encoder"};

struct Score {
    std::string main = "knn";     // knn, residual: the score reported first
    std::string pooling = "std";  // one of kPoolings
    int64_t k = 5;
    std::string metric = "l2";      // l2, cosine
    int64_t lags = 3;               // of the linear mechanism: samples that a cause may come before its effect
    int64_t components = 30;        // of the PCA control
    int64_t blocks = 10;            // contiguous pieces of healthy data that are left out in turn to calibrate
    std::vector<std::string> only;  // scores to fit; empty: all. "lagged" is always among them, it explains
};

struct Recipe {
    std::string name;
    std::string description;
    Data data;
    std::vector<Channels> channels;
    Window window;
    Split split;
    Screening screening;
    Model model;
    Train train;
    Score score;

    fs::path file;  // where it was read from; not part of the TOML
};

// Reads and checks a recipe; `settings` are KEY=VALUE laid over it.
Recipe read_recipe(const fs::path& file, const std::vector<std::string>& settings = {});
Recipe parse_recipe(const std::string& text, const std::string& source, const std::vector<std::string>& settings = {});

// A recipe that was read already, with KEY=VALUE laid over it. data.read.* and data.time.* hold for all its
// parts.
Recipe with_settings(const Recipe& recipe, const std::vector<std::string>& settings);

// Everything resolved, defaults included, as TOML that parse_recipe reads back to the same recipe.
std::string to_toml(const Recipe& recipe);

}  // namespace cmr::recipe

#include "recipe/fields.h"
