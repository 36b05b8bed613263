#include "model/model_file.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "io/tensors/header.h"
#include "model/parameters.h"

namespace cmr::model {
namespace {

constexpr const char* kFormat = "cmr-model";
constexpr const char* kSchema = "1";

const std::string& metadata(const io::Safetensors& file, const std::string& key) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
        throw InputError("{}: no \"{}\" in its metadata, so it is not a cmr model", file.source, key);
    return found->second;
}

// The tensors that a model of these settings has. A few bytes of settings could ask for millions: the list ends soon
// after it is longer than what the file has.
std::vector<ParameterSpec> specs_of(const Config& config, const std::string& source, int64_t tensors) {
    constexpr int64_t kMissing = 1000;  // of fewer it is said which
    try {
        return parameter_specs(config, tensors + kMissing);
    } catch (const InputError&) {
        throw InputError("{}: {} tensors are too few for its settings", source, tensors);
    }
}

}  // namespace

const std::vector<float>& Model::values(const std::string& name) const {
    for (const io::NamedTensor& tensor : tensors)
        if (tensor.name == name) return tensor.values;
    throw InternalError("no tensor " + name);
}

io::Safetensors to_safetensors(const Model& model, const std::string& source) {
    io::Safetensors file{.source = source, .metadata = {}, .tensors = model.tensors};
    file.metadata = {{"format", kFormat},
                     {"schema", kSchema},
                     {"version", std::string(version())},
                     {"config", to_json(model.config)}};
    return file;
}

Model from_safetensors(const io::Safetensors& file, bool bare) {
    if (metadata(file, "format") != kFormat)
        throw InputError("{}: format {}, expected \"{}\"", file.source, io::in_quotes(metadata(file, "format")),
                         kFormat);
    if (metadata(file, "schema") != kSchema)
        throw InputError("{}: model schema {}, but this is cmr {}, which reads schema {}", file.source,
                         io::in_quotes(metadata(file, "schema")), version(), kSchema);
    Model model{
        .source = file.source, .config = config_from_json(metadata(file, "config"), file.source), .tensors = {}};
    const auto own = std::ranges::count_if(
        file.tensors, [](const io::NamedTensor& tensor) { return !tensor.name.starts_with(kDetectorPrefix); });
    if (bare && own == 0) return model;
    for (const ParameterSpec& spec : specs_of(model.config, file.source, own)) {
        const io::NamedTensor& tensor = file.at(spec.name, spec.shape);
        for (const float value : tensor.values)
            if (!std::isfinite(value)) throw InputError("{}: tensor {} holds {}", file.source, spec.name, value);
        model.tensors.push_back(tensor);
    }
    if (std::ssize(model.tensors) != own)
        throw InputError("{}: {} tensors, expected {}", file.source, own, model.tensors.size());
    return model;
}

void save_model(const std::filesystem::path& path, const Model& model) {
    io::write_safetensors(path, to_safetensors(model, path.string()));
}

Model load_model(const std::filesystem::path& path) { return from_safetensors(io::read_safetensors(path)); }

}  // namespace cmr::model
