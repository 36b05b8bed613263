#pragma once
// Published networks that CMR is measured against, behind one interface. They see all channels of a window together,
// and know nothing of causes. A new one is one file here for its parameters and its scores, one in training/ for its
// loss, and one line in each table.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "model/model_file.h"
#include "model/specs.h"

namespace cmr::model {

// What a trained rival makes of some windows. The numbers of a window do not depend on the others.
struct RivalOutput {
    int64_t tokens = 0, features = 0;
    std::vector<float> embedding;  // [windows, tokens, features]
    std::vector<float> native;     // [windows]: the score of its publication
    Matrix by_channel;             // [windows, channels]: the parts of it; empty where it has none
};

// The scoring face: no libtorch.
class Rival {
  public:
    virtual ~Rival() = default;
    // x [windows, channels, length]
    virtual RivalOutput run(int64_t windows, int64_t length, const float* x) const = 0;
};

struct RivalKind {
    std::string_view name;
    std::string_view what;  // in one line
    double learning_rate;   // as published
    bool parts;             // does its score have a part for each channel?
    void (*parameters)(Specs& specs, const Config& config);
    int64_t (*features)(const Config& config);  // of an embedding token
    std::unique_ptr<Rival> (*load)(const Model& model);
    // Floats that a training step keeps for one window, beside the parameters.
    int64_t (*floats_per_window)(const Config& config, int64_t length);
};

std::span<const RivalKind> rival_kinds();
const RivalKind* find_rival(const std::string& method);  // nullptr: CMR itself

}  // namespace cmr::model
