#pragma once
// A method is one row: its name, what it knows, its parameters, its network in scoring, the memory it takes. Who needs
// to tell methods apart asks the row for a property. cmr is the first row; the others are what it is measured against.
//
// A new method is one file here that gives its row, one in train/networks for its loss, a line in the table of each
// folder, and its name in recipe.h.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "model/model_file.h"
#include "model/specs.h"

namespace cmr::model {

// [windows, length, features]: a window's tokens one after the other. Where channels have tokens of their own they
// stand side by side in a token, each `width` features wide, in the order of the groups.
struct Tokens {
    int64_t length = 0, features = 0;
    std::vector<float> values;
};

// What a trained network makes of some windows; what a method does not have is empty. The numbers of a window do not
// depend on the others.
struct Embedding {
    Tokens effects;  // of a method that knows no causes: of all channels together
    Tokens causes;
    Tokens predicted;           // the effects' tokens as the causes' foretell them
    Matrix foretold;            // [windows, effect channels · length]: what decoders make of the predicted tokens
    Tokens cause_encoded;       // the effects through the encoder of the first cause
    std::vector<float> native;  // [windows]: the score of its publication; of cmr what its decoders cannot rebuild
    Matrix native_parts;        // [windows, channels]: what each channel of the network contributes to it
};

// What takes time and few need, of cmr.
struct OptionalStreams {
    bool cause_encoded = false;
    bool decoding = false;     // gives `native`
    bool foretelling = false;  // gives `foretold`
};

// A trained network as scoring uses it: no libtorch.
class ScoringNetwork {
  public:
    virtual ~ScoringNetwork() = default;
    // x: [windows, channels, length], channels in the order of the groups.
    virtual Embedding embed(int64_t windows, int64_t length, const float* x) const = 0;
};

// The score of a method's publication.
enum class Native {
    kNone,
    kWhole,      // one number
    kByChannel,  // and a part for each channel
};

// Of a token.
struct FeatureCounts {
    int64_t causes = 0, effects = 0;
    int64_t cause = 0;  // of a single cause
};

struct Method {
    std::string_view name;
    std::string_view what;      // in one line
    bool learns = true;         // false: scored as it begins
    bool knows_causes = false;  // causes and effects have tokens of their own, and these are foretold from those
    double learning_rate = 0;   // as published; 0: that of the recipe
    Native native = Native::kNone;
    void (*parameters)(Specs& specs, const Config& config) = nullptr;
    FeatureCounts (*features)(const Config& config) = nullptr;
    std::unique_ptr<ScoringNetwork> (*load)(const Model& model, const OptionalStreams& streams) = nullptr;
    // Floats that a training step keeps for one window, beside the window and the parameters.
    int64_t (*floats_per_window)(const Config& config, int64_t length) = nullptr;
};

std::span<const Method> methods();
const Method& method_named(const std::string& name);  // InputError with the nearest name if there is none

// The network of the method that the model's settings name.
std::unique_ptr<ScoringNetwork> load_network(const Model& model, const OptionalStreams& streams = {});

// So many windows are embedded together that their tokens take some hundred megabytes at most.
int64_t windows_at_once(const Config& config, int64_t length);

}  // namespace cmr::model
