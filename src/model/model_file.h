#pragma once
// A model as one safetensors file: the weights under the names of parameters.h, the settings in its metadata.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/tensors/safetensors.h"
#include "model/config.h"

namespace cmr::model {

struct Model {
    std::string source;  // for messages
    Config config;
    std::vector<io::NamedTensor> tensors;  // those of parameter_specs, in their order

    const std::vector<float>& values(const std::string& name) const;
    const float* at(const std::string& name) const { return values(name).data(); }
};

// What stands in a file beside the network has names that begin so; load_model leaves it alone.
inline constexpr const char* kDetectorPrefix = "detector.";

// The network's tensors and settings, to be written together with others, and back.
io::Safetensors to_safetensors(const Model& model, const std::string& source);
// `bare`: a file may have no tensors of a network at all, and gives a Model without tensors.
Model from_safetensors(const io::Safetensors& file, bool bare = false);

// Atomic: the file is complete or not there.
void save_model(const std::filesystem::path& path, const Model& model);

// Refuses anything but a complete model of a version it knows: InputError.
Model load_model(const std::filesystem::path& path);

}  // namespace cmr::model
