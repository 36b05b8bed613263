#include "train/checkpoint.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/json_fields.h"
#include "io/tensors/safetensors.h"
#include "model/parameters.h"

namespace cmr::train {
namespace {

constexpr const char* kFormat = "cmr-checkpoint";

void put(io::Safetensors& file, const std::string& prefix, const model::Model& model) {
    for (const io::NamedTensor& tensor : model.tensors)
        file.tensors.push_back({prefix + tensor.name, tensor.shape, tensor.values});
}

model::Model take(const io::Safetensors& file, const std::string& prefix, const model::Config& config) {
    model::Model model{.source = file.source, .config = config, .tensors = {}};
    for (const model::ParameterSpec& spec : model::parameter_specs(config))
        model.tensors.push_back({spec.name, spec.shape, file.at(prefix + spec.name, spec.shape).values});
    return model;
}

// Of one moment of an optimiser; the first phase's have no prefix.
std::string moment_name(size_t phase, const char* moment, const std::string& parameter) {
    return fmt::format("{}{}.{}", phase == 0 ? "" : fmt::format("phase{}.", phase), moment, parameter);
}

RunState read_state(const io::Safetensors& file, const std::string& run, const model::Config& config, int64_t phases) {
    const auto text = [&](const char* key) {
        const auto found = file.metadata.find(key);
        if (found == file.metadata.end())
            throw InputError("{}: no \"{}\" in its metadata, so it is not the checkpoint of a training run",
                             file.source, key);
        return found->second;
    };
    if (text("format") != kFormat) throw InputError("{}: is not the checkpoint of a training run", file.source);
    if (text("run") != run)
        throw InputError(
            "{}: an unfinished run with another recipe, seed, fold or other data, which its own command finishes",
            file.source);
    RunState state;
    io::from_json(text("facts"), file.source, "fact", state.facts);
    state.network = take(file, "network.", config);
    if (state.facts.best_epoch > 0) state.best = take(file, "best.", config);
    if (std::ssize(state.facts.optimiser_steps) != phases)
        throw InputError("{}: steps of {} optimisers, expected {}", file.source, state.facts.optimiser_steps.size(),
                         phases);
    for (size_t phase = 0; phase < state.facts.optimiser_steps.size(); ++phase) {
        Optimiser::State& optimiser = state.optimisers.emplace_back();
        optimiser.steps = state.facts.optimiser_steps[phase];
        const auto moment = [&](const char* name, const model::ParameterSpec& spec) {
            return file.at(moment_name(phase, name, spec.name), spec.shape).values;
        };
        for (const model::ParameterSpec& spec : model::parameter_specs(config))
            if (spec.trained) optimiser.moments.push_back({moment("mean", spec), moment("square", spec)});
    }
    return state;
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const std::string& run, const RunState& state) {
    io::Safetensors file{.source = path.string(), .metadata = {}, .tensors = {}};
    put(file, "network.", state.network);
    put(file, "best.", state.best);
    for (size_t phase = 0; phase < state.optimisers.size(); ++phase) {
        size_t trained = 0;
        for (const model::ParameterSpec& spec : model::parameter_specs(state.network.config)) {
            if (!spec.trained) continue;
            const Optimiser::Moments& moments = state.optimisers[phase].moments[trained++];
            file.tensors.push_back({moment_name(phase, "mean", spec.name), spec.shape, moments.mean});
            file.tensors.push_back({moment_name(phase, "square", spec.name), spec.shape, moments.square});
        }
    }
    file.metadata = {{"format", kFormat}, {"run", run}, {"facts", io::to_text(io::to_json(state.facts))}};
    io::write_safetensors(path, file);
}

std::optional<RunState> load_checkpoint(const std::filesystem::path& path, const std::string& run,
                                        const model::Config& config, int64_t phases) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    try {
        return read_state(io::read_safetensors(path), run, config, phases);
    } catch (const InputError& error) {
        throw InputError("{}; use --restart to begin anew", error.what());
    }
}

}  // namespace cmr::train
