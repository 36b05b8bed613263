#pragma once
// What scores are made from: windows as samples and as pooled embeddings, one row each.

#include <memory>
#include <vector>

#include "base/matrix.h"
#include "model/inputs.h"
#include "model/model_file.h"

namespace cmr::score {

struct Features {
    Matrix causes, effects;  // z-scored samples [windows, channels · length]

    // Of the network's channels, [windows, channels · width]. Empty where there is no network.
    Matrix cause_mean, cause_std;  // pooled cause tokens
    Matrix mean, std, max;         // pooled effect tokens
    Matrix cause_encoded;          // effects through the first cause encoder, mean; only where asked for
    Matrix residual_mean;          // predicted minus observed effect tokens, mean over time: signed
    Matrix residual_square;        // the same squared, mean over time

    // Of a rival, whose tokens show all channels together: pooled in mean, std and max as above, and these. Of cmr only
    // where asked for: what its decoders cannot rebuild of the effects.
    Matrix native;        // [windows, 1]: the score of its publication
    Matrix native_parts;  // [windows, effects]: what each effect contributes; empty where it has no parts

    int64_t rows() const { return effects.rows; }
    Features chosen(const std::vector<int64_t>& rows) const;
    void append(const Features& more);
};

// A trained network as it is used in scoring. The numbers of a window do not depend on the others.
class Embedder {
  public:
    virtual ~Embedder() = default;

    // causes, effects: as data::window_matrix gives them.
    virtual Features embed(Matrix causes, Matrix effects) const = 0;
};

// What takes time and few need, of cmr.
struct EmbedOptions {
    bool cause_encoded = false;  // effects through a cause encoder
    bool decoding = false;       // what the decoders cannot rebuild
};

// Of the model's method.
std::unique_ptr<Embedder> make_embedder(const model::Model& model, const model::Inputs& inputs, EmbedOptions extras);

}  // namespace cmr::score
