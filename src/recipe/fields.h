#pragma once
// The names of all settings, each with the sentence that the documentation shows. Included by recipe.h.

#include <concepts>
#include <type_traits>

#include "recipe/recipe.h"

namespace cmr::recipe {

template <typename C, typename T>
concept Is = std::is_same_v<std::remove_const_t<C>, T>;

template <Is<Time> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("column", c.column, "of the time stamps; empty: the files have none");
    visit("max_step_s", c.max_step_s, "a longer step between two rows is a gap; 0: one and a half samples");
    visit("repeated", c.repeated, "stamps that stand twice: error, or keep-first, which leaves the later rows out");
    visit("restarts", c.restarts, "a clock that goes back: error, or segment, where each run has its own");
    visit("resample", c.resample, "rows at uneven steps, brought to rate_hz: none, linear, hold or mean");
}

template <Is<Labels> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("file", c.file, "a table with a row per cycle or row; empty: the labels are columns of the data files");
    visit("time", c.time, "column of `file` that tells from when on a label holds; empty: row by row");
    visit("column", c.column, "that tells healthy from faulty; empty: a part's `state` does");
    visit("columns", c.columns, "several of them instead: a row is faulty where any is");
    visit("healthy", c.healthy, "its healthy values; blanks and case do not count");
    visit("faulty", c.faulty, "its faulty values");
    visit("strata", c.strata, "names of the faulty values, in their order; of `columns`, where there are several");
    visit("keep_column", c.keep_column, "rows are used only where this column");
    visit("keep", c.keep, "has one of these values");
    visit("read", c.read, "how to read `file`");
}

template <Is<Events> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("file", c.file, "a table of faults with their times; empty: none");
    visit("start", c.start, "its column of beginnings");
    visit("end", c.end, "its column of ends, which may be times of day");
    visit("name", c.name, "its column of names; empty: they are numbered");
    visit("target", c.target, "its column of the channels concerned; empty: none");
    visit("optional", c.optional, "no error when the file is absent");
    visit("label", c.label, "rows inside an event are faulty; else events only name what the labels say");
    visit("read", c.read, "how to read `file`");
}

template <Is<Join> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("files", c.files, "another file of the same machine, with the {words} of the part's files");
    visit("read", c.read, "how to read it");
    visit("time", c.time, "its time stamps and how its values are brought to the part's");
}

template <Is<Part> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the part, for messages and tables");
    visit("files", c.files, "relative to the data root, with *, {unit}, {channel} and other {words}");
    visit("exclude", c.exclude, "files that match but are left out");
    visit("role", c.role, "fit: healthy windows are split; test: all for testing; unused: only inspected");
    visit("state", c.state, "of its rows: labels, healthy or faulty");
    visit("stratum", c.stratum, "of its faulty rows, such as {fault}");
    visit("skip_samples", c.skip_samples, "left out at the beginning of each file");
    visit("read", c.read, "how to read its files, over [data.read]");
    visit("time", c.time, "its time stamps, over [data.time]");
    visit("join", c.join, "files beside its own, with other channels, joined by time");
}

template <Is<Unit> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("names", c.names, "machines of this kind, as {unit} finds them");
    visit("state", c.state, "healthy or faulty");
    visit("stratum", c.stratum, "of their windows");
    visit("kind", c.kind, "of the damage");
    visit("place", c.place, "of the damage");
    visit("severity", c.severity, "1, 2, ...; 0: none");
}

template <Is<Data> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("obtain", c.obtain, "where the dataset can be had and how it must lie");
    visit("rate_hz", c.rate_hz, "samples per second of every channel");
    visit("layout", c.layout, "rows: time x channels; cycles: a file per channel, cycles x samples");
    visit("cycle_s", c.cycle_s, "duration of a cycle in seconds");
    visit("gaps", c.gaps, "absent values and steps in time: error, drop-window or interpolate");
    visit("max_gap", c.max_gap, "interpolate: the longest gap to fill, in samples");
    visit("storage", c.storage, "of samples: auto, memory or disk");
    visit("read", c.read, "how to read the files");
    visit("time", c.time, "time stamps");
    visit("labels", c.labels, "what is healthy");
    visit("events", c.events, "faults known by their time");
    visit("part", c.part, "files that are treated alike");
    visit("unit", c.unit, "what is known of each machine");
}

template <Is<Channels> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("role", c.role, "cause or effect");
    visit("group", c.group, "channels of one group share an encoder");
    visit("names", c.names, "F(1..3) is three of them");
    visit("columns", c.columns, "in the files; empty: as the names");
    visit("made", c.made, "from the columns: none, derivative, integral, or difference of two each");
    visit("rate_hz", c.rate_hz, "0: that of the data");
    visit("align", c.align, "to the data's rate: auto, mean, pick, hold or linear");
    visit("step", c.step, "values are rounded to multiples of it, as a coarser export has them; 0: as they are");
}

template <Is<Window> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("length", c.length, "samples of a window");
    visit("stride", c.stride, "samples from one window to the next");
    visit("train_stride", c.train_stride, "the same for training windows; 0: as `stride`");
    visit("faulty_fraction", c.faulty_fraction, "a window is faulty when more than this share of it is");
}

template <Is<Split> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("kind", c.kind, "chronological, leave-units-out or by-file");
    visit("per", c.per, "chronological: one split of the dataset, or a fold per recording");
    visit("train_fraction", c.train_fraction, "of the healthy windows, from the first");
    visit("train_samples", c.train_samples, "instead: this many at the beginning of each recording");
    visit("leave_out", c.leave_out, "units per fold");
    visit("order", c.order, "by-file: files in the order in which they are for training; empty: by part, then by name");
    visit("purge", c.purge, "samples left out between neighbours on different sides");
    visit("held_out", c.held_out, "healthy windows not for training serve: validation or validation+test");
    visit("validation_fraction", c.validation_fraction,
          "of the training windows, where the test needs the held-out ones");
    visit("protocol", c.protocol, "strict, or paper: validation windows are test windows too");
}

template <Is<Screening> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("prune_constants", c.prune_constants, "leave out channels that never change in healthy training data");
    visit("coupled_r2", c.coupled_r2, "an effect is coupled where the causes explain more than this, linearly");
}

template <Is<Model> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("method", c.method, "the network that is trained, see docs/baselines.md");
    visit("width", c.width, "features of a token");
    visit("layers", c.layers, "Mamba blocks of an encoder");
    visit("state", c.state, "states per inner channel");
    visit("conv", c.conv, "taps of the depthwise convolution");
    visit("expand", c.expand, "inner channels per feature");
    visit("rank", c.rank, "rank of the step-size projection");
    visit("stem_kernel", c.stem_kernel, "samples that one token sees directly");
    visit("stem_stride", c.stem_stride, "samples per token");
    visit("predictor_width", c.predictor_width, "0: as wide as a token for one effect channel, else twice that");
    visit("predictor_kernel", c.predictor_kernel, "tokens that one predictor block sees");
    visit("predictor_blocks", c.predictor_blocks, "causal convolutions of the predictor");
    visit("dropout", c.dropout, "in the predictor, while training");
    visit("mechanism_weight", c.mechanism_weight, "of the prediction of effect from cause embeddings");
    visit("effect_weight", c.effect_weight, "of the effect reconstruction");
    visit("cause_weight", c.cause_weight, "of the cause reconstruction");
    visit("waveform_weight", c.waveform_weight,
          "of foretelling the effects' samples from the causes; by the protocol paper 0");
    visit("stop_gradient", c.stop_gradient, "keep the mechanism loss out of the effect encoder");
    visit("effect_input", c.effect_input, "what the effect encoder sees: signal, innovation or both");
    visit("precision", c.precision, "of matrix products: float32, or on AMX bf16x3, or bf16 in scoring alone");
}

template <Is<Train> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("batch", c.batch, "windows per step");
    visit("max_epochs", c.max_epochs, "passes over the training windows at most");
    visit("patience", c.patience, "epochs without a better validation loss before it stops");
    visit("warmup_epochs", c.warmup_epochs, "of a rate that rises linearly");
    visit("schedule", c.schedule, "of the rate afterwards: plateau or cosine");
    visit("learning_rate", c.learning_rate, "of AdamW");
    visit("rival_rate", c.rival_rate, "learning rate of rivals; 0: as published");
    visit("memory_gb", c.memory_gb, "what training may take; 0: what the machine has");
    visit("weight_decay", c.weight_decay, "of AdamW");
    visit("clip", c.clip, "largest norm of the gradient");
    visit("seeds", c.seeds, "one run each; `fit` takes the first");
}

template <Is<Score> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("main", c.main, "the score reported first: knn or residual");
    visit("pooling", c.pooling, "of tokens to a vector");
    visit("k", c.k, "nearest healthy windows");
    visit("metric", c.metric, "l2 or cosine");
    visit("lags", c.lags, "of the linear mechanism: samples that a cause may come before its effect");
    visit("components", c.components, "of the PCA control");
    visit("blocks", c.blocks, "contiguous pieces of healthy data that are left out in turn to calibrate");
    visit("only", c.only, "scores to fit, and lagged, which explains; none: all");
}

template <Is<Recipe> C, typename Visit>
void visit_fields(C& c, const Visit& visit) {
    visit("name", c.name, "of the domain");
    visit("description", c.description, "in one line");
    visit("data", c.data, "files and what they mean");
    visit("channels", c.channels, "causes and effects");
    visit("window", c.window, "how windows are cut");
    visit("split", c.split, "what is for training and what for testing");
    visit("screening", c.screening, "of channels");
    visit("model", c.model, "sizes and loss weights");
    visit("train", c.train, "optimiser and schedule");
    visit("score", c.score, "how a window is scored");
}

}  // namespace cmr::recipe
