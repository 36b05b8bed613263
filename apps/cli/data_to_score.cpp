#include "data_to_score.h"

#include <algorithm>

#include "base/duration.h"
#include "base/error.h"
#include "data/new_data.h"
#include "io/file.h"
#include "io/text/time.h"
#include "load_data.h"
#include "progress.h"

namespace cmr::cli {
namespace {

void refuse_fitted(const std::string& setting) {
    const std::string key = setting.substr(0, setting.find('='));
    if (key == "window.stride" || (key.starts_with("data.") && key != "data.rate_hz")) return;
    throw InputError(
        "--set {}: the model was fitted with its own {}; what may change afterwards is window.stride and data.*, but "
        "not data.rate_hz. For another model: `cmr fit --set {}`",
        setting, key, setting);
}

}  // namespace

recipe::Recipe recipe_to_score(const recipe::Recipe& fitted, const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) refuse_fitted(setting);
    return recipe::with_settings(fitted, settings);
}

DataToScore load_data_to_score(const recipe::Recipe& fitted, const DataOptions& options) {
    recipe::Recipe recipe = recipe_to_score(fitted, options.settings);
    if (options.data.empty() && !options.part.empty())
        throw InputError("--part {}: is for a file that is named", options.part);
    DataToScore out{.recipe = std::move(recipe), .dataset = {}};
    if (options.data.empty()) {
        out.dataset = load_data(out.recipe, options.data_root);
    } else {
        const bool said = std::ranges::any_of(
            options.settings, [](const std::string& setting) { return setting.starts_with("data.gaps="); });
        if (!said && out.recipe.data.gaps == "error") out.recipe.data.gaps = "drop-window";
        ProgressBar bar("reading " + options.data.string());
        out.dataset = data::load_new(out.recipe, options.data, options.part,
                                     [&](int64_t done, int64_t total) { bar.update(done, total); });
    }
    return out;
}

void refuse_to_overwrite_inputs(const std::filesystem::path& out, const std::filesystem::path& model,
                                const DataOptions& options) {
    std::vector<std::filesystem::path> inputs = {model};
    std::error_code error;
    if (options.data == "-") {
        inputs.emplace_back("/dev/stdin");
    } else if (std::filesystem::is_directory(options.data, error)) {
        for (const auto& entry : std::filesystem::directory_iterator(options.data, error))
            inputs.push_back(entry.path());
    } else if (!options.data.empty()) {
        inputs.push_back(options.data);
    }
    io::refuse_to_overwrite(out, inputs);
}

std::string moment_text(const data::Recording& recording, double seconds) {
    if (recording.dated) return io::format_time(seconds);
    const std::string text = fmt::format("{:.10g} s", seconds);
    return seconds < 120 ? text : fmt::format("{} ({})", text, duration_text(seconds));
}

}  // namespace cmr::cli
