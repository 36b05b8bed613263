#pragma once
// What scores are made from: windows as samples and as pooled embeddings, one row each.
//
// A matrix of embeddings is called STREAM.STATISTIC: "effects.std" is the standard deviation over time of the effects'
// tokens. The streams are
//   effects        of a method that knows no causes: all channels together
//   causes
//   mean-cause     one cause for all: a statistic of each, averaged over them
//   residual       predicted minus observed effect tokens
//   cause-encoded  effects through the encoder of the first cause
// Always there are effects.mean and effects.std; of a method that knows causes causes.mean, causes.std, residual.mean
// (signed) and residual.square, too. A pooling brings what it is made of (pooling.h). Where a method has a score of its
// own it stands in "native" [windows, 1], and in "native.parts" [windows, effects] what each effect contributes. What a
// network leaves of the effects when it foretells them from the causes is "unforetold" [windows, effects · length].

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "model/inputs.h"
#include "model/methods/method.h"
#include "score/features/pooling.h"

namespace cmr::score {

inline constexpr std::string_view kUnforetold = "unforetold";

class Features {
  public:
    Matrix causes, effects;  // z-scored samples [windows, channels · length], unless they were dropped

    const Matrix& operator[](std::string_view name) const;  // of embeddings, one that is there
    Matrix& operator[](std::string_view name);
    bool has(std::string_view name) const { return matrices_.contains(name); }
    void add(const std::string& name, int64_t rows, int64_t columns) { matrices_[name] = Matrix(rows, columns); }

    int64_t rows() const { return effects.rows; }
    bool has_samples() const { return effects.columns > 0; }
    void drop_samples() { causes = effects = {}; }
    void drop(std::string_view name);  // if it is there
    Features chosen(const std::vector<int64_t>& rows) const;
    void append(const Features& more);

  private:
    std::map<std::string, Matrix, std::less<>> matrices_;
};

// Samples of causes and effects side by side.
Matrix joined_samples(const Features& windows);
// The same to fit on. Of more numbers than this evenly spaced windows, so that they do not stand in memory twice.
inline constexpr int64_t kMostJoinedNumbers = int64_t{1} << 27;
Matrix joined_samples_to_fit(const Features& windows);

// What is to be there beside what always is.
struct EmbedOptions {
    std::vector<std::string> poolings;  // all that these are made of
    bool decoding = false;              // "native" of cmr: what its decoders cannot rebuild of the effects
    bool foretelling = false;           // "unforetold", of a network that can: see Inputs
};

// Was the network trained to foretell the samples of effects?
bool can_foretell(const model::Config& config);

// A trained network as it is used in scoring, of any method. The numbers of a window do not depend on the others.
class Embedder {
  public:
    // InputError where a pooling needs causes and the model's method knows none.
    Embedder(const model::Model& model, const model::Inputs& inputs, const EmbedOptions& options);

    // causes, effects: as data::window_matrix gives them.
    Features embed(Matrix causes, Matrix effects) const;

  private:
    void pool(const model::Embedding& some, int64_t first, Features& out) const;

    const model::Inputs& inputs_;
    model::Config config_;
    std::vector<PooledMatrix> pooled_;
    model::Native native_;
    bool foretelling_;
    std::vector<int64_t> effect_of_channel_;  // of the network; -1: a cause
    std::unique_ptr<model::ScoringNetwork> network_;
};

}  // namespace cmr::score
