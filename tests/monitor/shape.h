#pragma once
// A small plant in the shape of any recipe: its channels, rate, layout, windows. Effects follow causes; a detector is
// fitted on it, with a tiny network or none; and what a plant says is given to a stream and to a file.

#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/version.h"
#include "data/channels.h"
#include "data/fingerprint.h"
#include "data/new_data.h"
#include "data/synthetic.h"
#include "model/tiny_model.h"
#include "monitor/score_row.h"
#include "monitor/stream.h"
#include "score/file/score_row.h"
#include "score/fit_detector.h"
#include "score/score_run.h"
#include "support/temporary_folder.h"

namespace cmr::test {

inline recipe::Recipe shape_of(recipe::Recipe recipe) {
    recipe.data.read = {};
    recipe.data.labels = {};
    recipe.data.events = {};
    recipe.data.unit.clear();
    recipe::Part part;
    part.name = "fit";
    part.files = recipe.data.layout == "cycles" ? "{channel}.csv" : "fit*.csv";
    part.state = "healthy";
    part.read.header = recipe.data.layout == "cycles" ? "no" : "auto";
    recipe.data.part = {part};
    recipe.split = {};
    recipe.model.width = 16;
    recipe.model.layers = 1;
    recipe.model.state = 4;
    recipe.model.rank = 2;
    recipe.score.k = 3;
    recipe.score.blocks = 4;
    recipe.score.components = 5;
    return recipe;
}

// Samples [rows][channels]: causes wander, each effect follows two of them, and from `broken` on the first effect does
// not.
inline std::vector<std::vector<float>> plant_samples(const recipe::Recipe& recipe, int64_t rows, uint64_t seed,
                                                     int64_t broken) {
    const auto channels = data::source_channels(recipe);
    Rng rng = Rng(seed).split("plant");
    std::vector<std::vector<float>> out(rows, std::vector<float>(channels.size()));
    std::vector<size_t> causes;
    for (size_t c = 0; c < channels.size(); ++c)
        if (!channels[c].effect) causes.push_back(c);
    for (int64_t t = 0; t < rows; ++t) {
        for (const size_t c : causes)
            out[t][c] = static_cast<float>(0.9 * (t > 0 ? out[t - 1][c] : 0.0f) + 0.4 * rng.normal());
        bool first = true;
        for (size_t c = 0; c < channels.size(); ++c) {
            if (!channels[c].effect) continue;
            const float a = out[t][causes[c % causes.size()]], b = out[t][causes[(c + 1) % causes.size()]];
            const float sign = first && t >= broken ? -1.0f : 1.0f;
            out[t][c] = static_cast<float>(5 + sign * (2 * a + b) + 0.1 * rng.normal());
            first = false;
        }
    }
    return out;
}

// What plant_samples says, as a dataset in memory.
inline data::Dataset plant_dataset(const recipe::Recipe& recipe, int64_t rows, uint64_t seed) {
    data::Dataset out;
    out.name = recipe.name;
    out.rate_hz = recipe.data.rate_hz;
    for (const data::SourceChannel& channel : data::source_channels(recipe)) out.channels.push_back(channel);
    out.parts = {{.name = "fit", .role = "fit", .files = 1}};
    data::Recording& recording = out.recordings.emplace_back();
    recording.name = "fit.csv";
    const auto samples = plant_samples(recipe, rows, seed, rows);
    for (size_t c = 0; c < out.channels.size(); ++c) {
        data::Samples& channel = recording.channels.emplace_back();
        for (const auto& row : samples) channel.push_back(row[c]);
    }
    const bool cycles = recipe.data.layout == "cycles";
    const int64_t piece = cycles ? std::llround(recipe.data.rate_hz * recipe.data.cycle_s) : rows;
    for (int64_t begin = 0; begin < rows; begin += piece)
        recording.segments.push_back(
            {begin, std::min(begin + piece, rows), static_cast<double>(begin) / recipe.data.rate_hz});
    recording.spans = {{.begin = 0, .end = rows}};
    return out;
}

inline std::shared_ptr<score::Detector> fit_shape(const recipe::Recipe& recipe, bool network) {
    const int64_t rows =
        recipe.window.length + std::max(30 * recipe.window.training_stride(), 12 * recipe.window.length);
    const data::Dataset dataset = plant_dataset(recipe, rows, 1);
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    model::Preprocessing prepared = model::prepare(dataset, recipe, fold);
    model::Model model;
    if (network) model = model::used_model(prepared.config);
    return std::make_shared<score::Detector>(score::fit_detector(
        dataset, recipe, fold, std::move(prepared), std::move(model),
        {recipe::to_toml(recipe), fold.name, 0, 7, data::fingerprint(dataset), std::string(version())}));
}

struct TimedRow {
    double time_s = 0;
    std::vector<float> values;
};

// The score file of `cmr score` on a file of these rows.
inline std::string file_scores(const score::Detector& detector, const std::vector<TimedRow>& rows) {
    const TemporaryFolder folder;
    const auto channels = data::source_channels(detector.recipe);
    const auto cell = [](float value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); };
    data::Dataset dataset;
    if (detector.recipe.data.layout == "cycles") {
        const int64_t piece = std::llround(detector.recipe.data.rate_hz * detector.recipe.data.cycle_s);
        for (size_t c = 0; c < channels.size(); ++c) {
            std::ofstream file(folder / (channels[c].column + ".csv"));
            for (size_t i = 0; i < rows.size(); ++i)
                file << cell(rows[i].values[c]) << ((i + 1) % piece == 0 ? '\n' : ',');
        }
        dataset = data::load_new(detector.recipe, folder.path());
        dataset.recordings.front().name = "new.csv";
    } else {
        std::ofstream file(folder / "new.csv");
        const std::string& time = detector.recipe.data.time.column;
        if (!time.empty()) file << '"' << time << "\",";
        for (size_t c = 0; c < channels.size(); ++c) {
            std::string column = channels[c].column;
            std::ranges::replace(column, '*', 'x');
            file << (c > 0 ? "," : "") << '"' << column << '"';
        }
        file << '\n';
        for (const TimedRow& row : rows) {
            if (!time.empty()) file << fmt::format("{},", row.time_s);
            for (size_t c = 0; c < channels.size(); ++c) file << (c > 0 ? "," : "") << cell(row.values[c]);
            file << '\n';
        }
        file.close();
        dataset = data::load_new(detector.recipe, folder / "new.csv");
    }
    return score::to_csv(score::run(detector, dataset), dataset);
}

// The windows of a stream that can be taken now, as rows of a score file.
inline std::string taken(monitor::Stream& stream) {
    std::string out;
    while (const auto judged = stream.next()) out += monitor::to_csv(*judged, stream, "new.csv");
    return out;
}

}  // namespace cmr::test
